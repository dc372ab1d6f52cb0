public import SubmitStore

/// Which events somebody wants to hear of.
///
/// It keeps off what speaks of other batches or other destinations only. What speaks of none in particular passes: that a
/// destination is on hold holds up every batch, and that a path was refused concerns every destination.
public struct EventFilter: Sendable, Hashable {
    /// `nil`: all there are, and all that come.
    public var batches: Set<BatchID>?
    /// By their names; `nil`: all.
    public var destinations: Set<String>?

    /// Lets everything pass where nothing is given.
    public init(batches: Set<BatchID>? = nil, destinations: Set<String>? = nil) {
        self.batches = batches
        self.destinations = destinations
    }

    /// Whether an event is one of those wanted.
    public func passes(_ event: SubmitEvent) -> Bool {
        if let batches, let batch = event.batch, !batches.contains(batch) { return false }
        if let destinations, let told = event.destinations { return told.contains(where: destinations.contains) }
        return true
    }

    func passes(_ progress: SubmissionProgress) -> Bool {
        batches?.contains(progress.batch) ?? true && destinations?.contains(progress.destination) ?? true
    }
}

extension SubmitEvent {
    /// The batch it speaks of; `nil` for what happens to a destination as a whole.
    public var batch: BatchID? {
        switch self {
        case .accepted(_, let batch, _), .refused(_, let batch, _), .leftBehind(_, let batch),
            .batchComplete(let batch, _),
            .sourceRemoved(_, let batch, _), .sourceKept(_, let batch, _, _):
            batch
        case .started(let note), .done(let note, _), .failed(let note, _), .waiting(let note, _, _),
            .cancelled(let note):
            note.batch
        case .onHold, .holdEnded, .paused, .resumed: nil
        }
    }

    /// The names of the destinations it speaks of; `nil` where it concerns all.
    public var destinations: [String]? {
        switch self {
        case .accepted(_, _, let submissions): submissions.map(\.destination)
        case .started(let note), .done(let note, _), .failed(let note, _), .waiting(let note, _, _),
            .cancelled(let note):
            [note.destination]
        case .onHold(let state): [state.name]
        case .holdEnded(let name), .paused(let name), .resumed(let name): [name]
        case .refused, .leftBehind, .batchComplete, .sourceRemoved, .sourceKept: nil
        }
    }
}
