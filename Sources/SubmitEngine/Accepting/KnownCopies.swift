internal import Submit
internal import SubmitStore

/// To which destinations of a request a file was sent before, and need not be again.
struct KnownCopies: Sendable {
    /// The submissions that are done, and proven as the request wants it, by destination.
    var done: [String: SubmissionID] = [:]
    /// The submissions that wait since earlier, by destination.
    var waiting: [String: KnownSource.Submission] = [:]
    /// The items of both.
    var items: Set<ItemID> = []
    /// Something was accepted from its path, which may have been other bytes.
    var isKnownPath = false

    /// Of a file that nothing is known of.
    init() {}

    /// What was sent with other words, or into another album, counts for nothing: it is another wish.
    ///
    /// - Parameter since: after which submission copies lie where each destination puts them now.
    init(
        _ known: KnownSource, _ request: SubmitRequest, _ destinations: [Destination], since: [String: SubmissionID]
    ) {
        isKnownPath = known.isKnownPath
        for destination in destinations {
            guard let since = since[destination.name] else { continue }
            let last = known.submissions.first {
                $0.destination == destination.name && $0.id > since && $0.album == request.album
                    && $0.caption == request.caption && $0.tags == request.tags
            }
            guard let last else { continue }
            switch last.state {
            case .waiting, .running: waiting[destination.name] = last
            case .done:
                if last.isSkipped || request.verification != .usual && last.evidence != .verified { continue }
                done[destination.name] = last.id
            case .failed, .cancelled: continue
            }
            items.insert(last.item)
        }
    }

    func contains(_ destination: Destination) -> Bool {
        done[destination.name] != nil || waiting[destination.name] != nil
    }
}
