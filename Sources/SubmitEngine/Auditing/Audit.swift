public import Submit
internal import SubmitConcurrency
public import SubmitStore
public import SystemPackage

/// What an audit speaks of. Without batches of all, without destinations of all.
public struct AuditScope: Sendable, Hashable {
    /// Of these; empty: of all.
    public var batches: [BatchID]
    /// At the destinations of these names; empty: at all.
    public var destinations: [String]

    /// All there is, where nothing is given.
    public init(batches: [BatchID] = [], destinations: [String] = []) {
        self.batches = batches
        self.destinations = destinations
    }
}

/// What an audit found of a submission.
public enum AuditFinding: Sendable, Hashable {
    /// The copy is there, and this is how sure that is now.
    case there(Evidence)
    /// Something is there in its place that is not the item.
    case changed(Difference)
    /// It was there, and nothing is in its place now.
    case vanished
    /// Why it cannot be told. It says nothing of the copy.
    case cannotTell(String)
    /// Other bytes had its name and were left alone, as was asked for: it never was there.
    case skipped
    /// It is yet to be sent.
    case waiting
    /// It failed: nothing was looked for.
    case failed
    /// It was cancelled: nothing was looked for.
    case cancelled

    /// Whether sending it again would help.
    public var isLost: Bool {
        switch self {
        case .changed, .vanished: true
        default: false
        }
    }
}

/// A submission with what an audit found of it.
public struct AuditedSubmission: Sendable {
    /// The submission as it was when it was looked at.
    public let record: SubmissionRecord
    /// What was found of its copy.
    public let finding: AuditFinding
    /// Whether its source could be sent again.
    public let source: SourceState
    /// Where the source of a lost copy lies that was removed: in the trash. What has its name there was not read.
    public let trashed: FilePath?
    /// Where a lost copy can be had that cannot be sent again from its source: verified at this moment.
    public internal(set) var elsewhere: [SubmissionRecord] = []
}

extension SubmitManager {
    /// Asks the destinations what of all that was submitted is there.
    ///
    /// Destinations are asked side by side, each as many times at once as it takes. Memory does not grow with the number
    /// of submissions. Nothing is sent or removed. Cancelling the task ends it early, without an error.
    ///
    /// - Parameters:
    ///   - scope: what it speaks of.
    ///   - isDeep: copies are read back where the destination can, and sources are read.
    ///   - unusable: why destinations cannot be used that are not this manager's: a sentence by name.
    ///   - show: gets the findings page by page; those of different destinations in any order, also side by side.
    /// - Throws: when the journal fails (`journal…`, to be tried again); what `show` throws, which ends it. A
    ///   destination that cannot be asked is no error:
    ///   ``AuditFinding/cannotTell(_:)``.
    public func audit(
        _ scope: AuditScope, isDeep: Bool = false, unusable: [String: String] = [:],
        _ show: @escaping @Sendable ([AuditedSubmission]) async throws(SubmitFailure) -> Void
    ) async throws(SubmitFailure) {
        let names = scope.destinations.isEmpty ? try await store.destinationNames() : scope.destinations
        let lookers = Dictionary(
            uniqueKeysWithValues: Set(try await store.destinationNames()).union(names).map { name in
                (name, looker(name, reason: unusable[name]))
            })
        let failure = await withTaskGroup(of: SubmitFailure?.self) { group in
            for looker in names.compactMap({ lookers[$0] }) {
                group.addTask { [store] in
                    let auditor = Auditor(looker: looker, lookers: lookers, store: store, isDeep: isDeep)
                    do throws(SubmitFailure) {
                        try await auditor.run(scope.batches, show)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            var failure: SubmitFailure?
            for await ended in group where ended != nil {
                failure = failure ?? ended
                group.cancelAll()
            }
            return failure
        }
        if let failure { throw failure }
    }

    func looker(_ name: String, reason: String?) -> CopyLooker {
        CopyLooker(name, known.withLock { $0[name]?.submitter }, reason: reason, logger: logger)
    }
}
