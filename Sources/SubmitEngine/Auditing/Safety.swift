internal import Foundation
public import Submit
internal import SubmitConcurrency
package import SubmitStore
public import SystemPackage

/// Whether files could be done without: what a look at all of them, and at all their copies, found.
public struct SafetyReport: Sendable {
    /// Photos and videos that were found, and what was refused.
    public internal(set) var files = 0
    /// Bytes of those found.
    public internal(set) var size: Int64 = 0
    /// Those of which every destination that was asked holds a verified copy that is there now, each in another place.
    public internal(set) var safe = 0
    /// Bytes of those.
    public internal(set) var safeSize: Int64 = 0
    /// Verified copies that are there now, by destination.
    public internal(set) var copies: [String: Int] = [:]
    /// What lies there and is neither photo nor video that was taken.
    public internal(set) var leftBehind = LeftBehindTally()
    /// There are files, and all of them are safe.
    public var isSafe: Bool { files > 0 && safe == files }
    /// One item of each safe file.
    package internal(set) var items: [ItemID] = []

    /// Nothing, yet.
    public init() {}
}

/// A file that is not safe at a destination.
public struct UnsafeFile: Sendable, Hashable {
    /// Absolute.
    public let path: FilePath
    /// Where a copy is missing; `nil` where the file itself cannot be taken.
    public let destination: String?
    /// Why: one sentence.
    public let message: String
    /// A copy that was there has vanished or was changed, so a repair may help.
    public var isLost = false
}

extension SubmitManager {
    /// Looks whether files could be done without, and writes down of copies that were read back that they are proven.
    ///
    /// It walks as an acceptance does, whatever was accepted before, and believes no count of a run. A copy counts when its
    /// destination calls it `verified` at this moment, or when it is read back now. One that is on the file system of its
    /// source counts for nothing, and a file that something else that was submitted needs yet is not safe. Cancelling the
    /// task ends it early, with a report that is not whole.
    ///
    /// - Parameters:
    ///   - request: which files, and at which destinations each has to be; ``SubmitRequest/removal`` has no effect.
    ///   - show: gets what is not safe, side by side.
    /// - Throws: as ``check(_:)``; when the journal fails (`journal…`, to be tried again).
    public func safety(
        of request: SubmitRequest, _ show: @escaping @Sendable (UnsafeFile) -> Void
    ) async throws(SubmitFailure) -> SafetyReport {
        var request = request
        (request.skipsUnchanged, request.trustsMarks, request.removal) = (true, true, nil)
        var files = try acceptor(for: request)
        files.distrustsKnown = true
        // Originals may lie among the copies: without a copy elsewhere they aren't safe.
        files.copies = CopyFolders([])
        let lookers = Dictionary(
            files.destinations.map { ($0.name, looker($0.name, reason: nil)) }, uniquingKeysWith: { $1 })
        let check = SafetyCheck(store: store, lookers: lookers, show: show)
        var report = SafetyReport()
        try await files.run { (findings) async throws(SubmitFailure) in
            try await check.add(findings, to: &report)
            return true
        }
        return report
    }

    /// Has the safe files of a report deleted, each when every destination holds a copy that is verified at that moment, on
    /// another disk than its own; see ``removeSources(of:unusable:environment:)``, which tells of each by an event.
    ///
    /// Cancelling the task ends it after the files that are under way. What stays is not deleted by any later run, but for
    /// a file that was put aside when the process was killed.
    ///
    /// - Parameter destinations: those that the report was made of.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func removeSafeSources(
        of report: SafetyReport, at destinations: [String]
    ) async throws(SubmitFailure) {
        var rest = report.items[...]
        while !rest.isEmpty, !Task.isCancelled {
            let page = Array(rest.prefix(Self.safePage))
            rest = rest.dropFirst(Self.safePage)
            try await store.want(SourceRemoval(copies: destinations.count, manner: .delete), of: page)
            var batches: Set<BatchID> = []
            for item in page { batches.formUnion(try await store.submissions(of: item).map(\.batch)) }
            try await removeSources(
                of: batches.sorted(), unusable: [:], environment: ProcessInfo.processInfo.environment,
                copies: .onOtherDisks(destinations), isKilled: { _ in false })
            try await takeBackRemovals(of: Set(page), in: batches.sorted())
        }
    }

    /// What was not removed, and is not put aside, is not to be removed by whoever comes later.
    private func takeBackRemovals(of items: Set<ItemID>, in batches: [BatchID]) async throws(SubmitFailure) {
        var last: ItemID = 0
        while case let open = try await store.claimRemovals(batches: batches, after: last, limit: Self.safePage),
            let end = open.last
        {
            last = end.itemID
            for source in open {
                if items.contains(source.itemID), source.aside.map(FileStatus.exists) != true {
                    try await store.settleRemoval(of: source, .takenBack)
                } else {
                    try await store.settleRemoval(of: source, .released)
                }
            }
        }
    }

    /// So many are wanted to be deleted at once: no more are, when the process is killed.
    private static let safePage = 256
}

/// Looks at files and their copies, many at once.
private struct SafetyCheck: Sendable {
    let store: any Store
    let lookers: [String: CopyLooker]
    let show: @Sendable (UnsafeFile) -> Void

    func add(_ findings: [Acceptor.Finding], to report: inout SafetyReport) async throws(SubmitFailure) {
        let outcomes = await withTaskGroup(of: Result<Outcome, SubmitFailure>.self) { group in
            for finding in findings {
                group.addTask {
                    do throws(SubmitFailure) {
                        return .success(try await outcome(finding))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var proven: [SubmissionRecord] = []
        for outcome in outcomes {
            let outcome = try outcome.get()
            if let left = outcome.leftBehind { report.leftBehind.add(left) } else { report.files += 1 }
            report.size += outcome.size
            for name in outcome.copies { report.copies[name, default: 0] += 1 }
            proven += outcome.proven
            guard let item = outcome.safeItem else { continue }
            report.safe += 1
            report.safeSize += outcome.size
            report.items.append(item)
        }
        if !proven.isEmpty { try await store.prove(proven) }
    }

    private struct Outcome: Sendable {
        var size: Int64 = 0
        var leftBehind: LeftBehind?
        var copies: [String] = []
        var places: Set<CopyPlace> = []
        var proven: [SubmissionRecord] = []
        var safeItem: ItemID?
    }

    private func outcome(_ finding: Acceptor.Finding) async throws(SubmitFailure) -> Outcome {
        switch finding {
        case .leftBehind(let left) where left.reason == .beingWritten:
            show(UnsafeFile(path: left.path, destination: nil, message: "It is still being written."))
            return Outcome()
        case .leftBehind(let left), .untaken(_, _, let left): return Outcome(leftBehind: left)
        case .refused(let path, let failure):
            let message = failure.message.replacing("“\(path)” ", with: "It ")
            show(UnsafeFile(path: path, destination: nil, message: message))
            return Outcome()
        case .inspected(let file, let known):
            return try await outcome(file.item.source, file.identity, known)
        case .unchanged(let path, let identity, let known): return try await outcome(path, identity, known)
        }
    }

    private func outcome(
        _ path: FilePath, _ identity: SourceIdentity, _ known: KnownCopies
    ) async throws(SubmitFailure) -> Outcome {
        var outcome = Outcome(size: identity.size)
        var item: (id: ItemID, batch: BatchID, item: MediaItem)?
        for (name, looker) in lookers.sorted(by: { $0.key < $1.key }) {
            guard let id = known.done[name],
                let record = try await store.submissions(SubmissionSelection(submission: id)).first,
                let receipt = record.receipt
            else {
                show(UnsafeFile(path: path, destination: name, message: try await reason(path, name, known)))
                continue
            }
            if let lack = await lack(of: record, receipt, looker, identity, &outcome) {
                show(UnsafeFile(path: path, destination: name, message: lack.why, isLost: lack.isLost))
            } else {
                outcome.copies.append(name)
                item = item ?? (record.itemID, record.batch, record.item)
            }
        }
        if outcome.copies.count == lookers.count {
            if let item, let need = try await need(of: item, identity) {
                show(UnsafeFile(path: path, destination: nil, message: need))
            } else if outcome.places.count == lookers.count {
                outcome.safeItem = item?.id
            } else {
                show(
                    UnsafeFile(
                        path: path, destination: nil,
                        message: "Two of its destinations are one place, which holds one copy: take another one."))
            }
        }
        return outcome
    }

    /// Why something else that was submitted needs the file yet; `nil` where nothing does.
    private func need(
        of item: (id: ItemID, batch: BatchID, item: MediaItem), _ identity: SourceIdentity
    ) async throws(SubmitFailure) -> String? {
        let source = RemovableSource(
            itemID: item.id, batch: item.batch, item: item.item, identity: identity,
            removal: SourceRemoval(copies: lookers.count, manner: .delete), state: .wanted, aside: nil)
        guard let need = try await store.need(of: source, besides: []), case .submission = need else { return nil }
        return "It is needed yet: \(need.why)."
    }

    /// Why a copy does not count; `nil` where it does.
    private func lack(
        of record: SubmissionRecord, _ receipt: Receipt, _ looker: CopyLooker, _ identity: SourceIdentity,
        _ outcome: inout Outcome
    ) async -> (why: String, isLost: Bool)? {
        if record.isRendition {
            return ("What is there is a rendition (\(record.recipe ?? "")), and no copy of it.", false)
        }
        var found = await looker.look(record.item, receipt)
        // That it was read back some time ago says nothing of the bytes that are there now.
        if case .present(let evidence) = found, evidence != .verified, looker.canReadBack {
            found = await looker.look(record.item, receipt, readingBack: true)
        }
        switch found {
        case .present(.verified):
            let place = CopyPlace(of: receipt, at: record.destination)
            if place.isBeside(record.item.source, identity) {
                return ("The copy there is on the same disk as the file.", false)
            }
            outcome.places.insert(place)
            if receipt.evidence != .verified { outcome.proven.append(record) }
            return nil
        case .present(let evidence): return ("Its copy there is proven by “\(evidence.rawValue)” only.", false)
        case .changed(let difference): return ("Its copy there was changed (\(difference.words)).", true)
        case .absent: return ("Its copy there has vanished.", true)
        case .unknown(let why): return (why, false)
        }
    }

    /// Why nothing is done there.
    private func reason(
        _ path: FilePath, _ destination: String, _ known: KnownCopies
    ) async throws(SubmitFailure) -> String {
        let last = try await store.submissions(ofSource: path, limit: 20).first { $0.destination == destination }
        switch last?.state {
        case .waiting?, .running?: return last?.message ?? "It is waiting to be sent."
        case .failed?: return last?.message ?? "It failed."
        case .cancelled?: return "It was cancelled."
        case .done? where last?.receipt?.isOfSkipped == true: return "It was skipped: \(last?.receipt?.note ?? "")"
        case .done?: return "What was sent from this path was another file, to another place, or with other words."
        case nil: return "It was not sent: it came after what was."
        }
    }
}
