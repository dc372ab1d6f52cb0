internal import Foundation
public import Submit
internal import SubmitConcurrency
public import SubmitStore
internal import SystemPackage

extension SubmitManager {
    private static let removalPage = 4096
    private static let removalsAtOnce = 8

    /// Removes the sources whose time has come; see ``SubmitRequest/removal``.
    ///
    /// Destinations are asked anew, and sources are read. What cannot be told keeps a source where it is. Cancelling the
    /// task ends it after the sources that are under way.
    ///
    /// - Parameters:
    ///   - batches: those of these; `nil` for all.
    ///   - unusable: why destinations cannot be used that are not this manager's: a sentence by name.
    ///   - environment: where the trash is; `nil`: that of the process.
    /// - Throws: when the journal fails (`journal…`, to be tried again). A source that stays is no error:
    ///   ``SubmitEvent/sourceKept(_:batch:_:isForGood:)``.
    public func removeSources(
        of batches: [BatchID]? = nil, unusable: [String: String] = [:],
        environment: [String: String]? = nil
    ) async throws(SubmitFailure) {
        try await removeSources(
            of: batches, unusable: unusable, environment: environment ?? ProcessInfo.processInfo.environment,
            isKilled: { _ in false })
    }

    func removeSources(
        of batches: [BatchID]?, unusable: [String: String], environment: [String: String],
        copies: VerifiedCopies.Kind = .anywhere, isKilled: @escaping @Sendable (SourceRemover.Step) -> Bool
    ) async throws(SubmitFailure) {
        let names = try await store.removalDestinations(batches: batches)
        if names.isEmpty { return }
        // Of copies that other batches sent, too.
        let all = copies.destinations.map(Set.init) ?? Set(names).union(known.withLock { $0.keys })
        let lookers = Dictionary(uniqueKeysWithValues: all.map { ($0, looker($0, reason: unusable[$0])) })
        let remover = SourceRemover(
            store: store, lookers: lookers, counting: copies, dataHome: TrashCan.home(environment), isKilled: isKilled)
        var last: ItemID = 0
        while !Task.isCancelled,
            case let page = try await store.claimRemovals(batches: batches, after: last, limit: Self.removalPage),
            let end = page.last
        {
            last = end.itemID
            try await remove(page, remover)
        }
    }

    private func remove(
        _ page: [RemovableSource], _ remover: SourceRemover
    ) async throws(SubmitFailure) {
        let failure = await withTaskGroup(of: SubmitFailure?.self) { group in
            // One file that was submitted twice is removed once, and has one name in the trash.
            var rest = Dictionary(grouping: page, by: \.item.source).values.sorted { $0[0].itemID < $1[0].itemID }[...]
            func next() {
                guard let sources = rest.popFirst() else { return }
                group.addTask { [hub] in
                    do throws(SubmitFailure) {
                        for source in sources {
                            if Task.isCancelled {
                                try await self.store.settleRemoval(of: source, .released)
                            } else {
                                hub.send(try await remover.remove(source), of: source)
                            }
                        }
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            for _ in 0..<Self.removalsAtOnce { next() }
            var failure: SubmitFailure?
            for await ended in group {
                failure = failure ?? ended
                if failure == nil { next() }
            }
            return failure
        }
        if let failure { throw failure }
    }
}

extension EventHub {
    fileprivate func send(_ outcome: SourceRemover.Outcome, of source: RemovableSource) {
        switch outcome {
        case .removed(let place): send(.sourceRemoved(source.item, batch: source.batch, to: place))
        case .waiting(let failure):
            send(.sourceKept(source.item, batch: source.batch, failure, isForGood: false))
        case .kept(let failure): send(.sourceKept(source.item, batch: source.batch, failure, isForGood: true))
        case .killed: break
        }
    }
}
