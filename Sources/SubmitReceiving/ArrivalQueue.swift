internal import Submit
internal import SubmitConcurrency
internal import SubmitEngine
internal import SubmitStore
internal import SystemPackage

/// Accepts what is whole: one acceptance at a time for a session, with all that came to be whole meanwhile, as each costs a
/// few writes to the disk however much it holds.
final class ArrivalQueue: Sendable {
    struct Entry: Sendable {
        let file: IncomingFile
        let item: SubmitItem
        /// Where its bytes lie.
        let path: FilePath
        let terms: InviteTerms
    }

    enum Outcome: Sendable {
        case arrived(IncomingFile)
        /// The acceptance looked at it and does not take it.
        case refused(ReceivingRefusal)
        /// Nothing came of it: it may be asked for again.
        case failed(ReceivingRefusal)
    }

    private struct Waiting: Sendable {
        let entry: Entry
        let turn: CheckedContinuation<Outcome, Never>
    }

    private static let atOnce = 256

    private let manager: SubmitManager
    private let waiting = Locked<[SessionID: [Waiting]]>([:])
    /// What became of the first arrivals of a session since this process began.
    private let batches = Locked<[SessionID: BatchID]>([:])

    init(_ manager: SubmitManager) { self.manager = manager }

    func accept(_ entry: Entry) async -> Outcome {
        await withCheckedContinuation { turn in
            let isFirst = waiting.withLock { waiting in
                let isFirst = waiting[entry.file.session] == nil
                waiting[entry.file.session, default: []].append(Waiting(entry: entry, turn: turn))
                return isFirst
            }
            // Whoever breaks off meanwhile changes nothing: all bytes are there.
            if isFirst { Task { await self.work(for: entry.file.session) } }
        }
    }

    private func work(for session: SessionID) async {
        while let group = next(of: session) {
            let outcomes = await accept(group.map(\.entry), session)
            for (waiting, outcome) in zip(group, outcomes) { waiting.turn.resume(returning: outcome) }
        }
    }

    /// Those that go into one album, as a request has one.
    private func next(of session: SessionID) -> [Waiting]? {
        waiting.withLock { waiting in
            guard let all = waiting[session], let first = all.first else {
                waiting[session] = nil
                return nil
            }
            var (group, rest): ([Waiting], [Waiting]) = ([], [])
            for one in all {
                if group.count < Self.atOnce, one.entry.file.folder == first.entry.file.folder {
                    group.append(one)
                } else {
                    rest.append(one)
                }
            }
            waiting[session] = rest
            return group
        }
    }

    private func accept(_ entries: [Entry], _ session: SessionID) async -> [Outcome] {
        do throws(SubmitFailure) {
            let batch = try await batch(of: session, entries[0].file.invite)
            let acceptance = try await manager.accept(request(entries), into: batch)
            let keys = entries.map(\.file.id.rawValue)
            let known = try await manager.store.known(keys: keys)
            var refusals = acceptance.refusals
            var outcomes: [Outcome] = []
            var arrived: [BatchID: [IncomingFile]] = [:]
            let before = Set(acceptance.known.map(\.idempotencyKey))
            for entry in entries {
                if before.contains(entry.file.id.rawValue), try await !isSame(entry.file) {
                    outcomes.append(.failed(.unavailable(Self.other(entry.file.name))))
                    continue
                }
                guard let item = known[entry.file.id.rawValue] else {
                    outcomes.append(Self.outcome(of: entry, &refusals))
                    continue
                }
                var file = entry.file
                (file.state, file.batch) = (.arrived, item.batch)
                arrived[item.batch, default: []].append(file)
                outcomes.append(.arrived(file))
            }
            for (batch, files) in arrived { try await manager.store.arrive(files, in: batch) }
            if let batch = arrived.keys.min() { batches.withLock { $0[session] = $0[session] ?? batch } }
            return outcomes
        } catch {
            let refusal = ReceivingRefusal.unavailable(error)
            return entries.map { _ in .failed(refusal) }
        }
    }

    /// Whether what was accepted under its key before are the bytes that have come.
    private func isSame(_ file: IncomingFile) async throws(SubmitFailure) -> Bool {
        let records = try await manager.submissions(ofKey: file.id.rawValue)
        return records.allSatisfy { $0.item.digests[.sha256] == file.digest && $0.item.size == file.length }
    }

    private static func other(_ name: String) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "other-bytes",
            message: "“\(name)” was accepted before with other bytes: send it again as a new file.")
    }

    private func batch(of session: SessionID, _ invite: InviteID) async throws(SubmitFailure) -> BatchID? {
        if let batch = batches.withLock({ $0[session] }) { return batch }
        return try await manager.store.sessions(of: invite).first { $0.id == session }?.batch
    }

    private func request(_ entries: [Entry]) -> SubmitRequest {
        let terms = entries[0].terms
        var request = SubmitRequest(
            items: entries.map(\.item), destinations: terms.destinations, album: album(entries[0].file.folder, terms),
            caption: terms.caption, tags: terms.tags, onConflict: terms.onConflict, verification: terms.verification,
            takesAnyFile: terms.kinds?.contains(.other) ?? false)
        request.skipsUnchanged = false
        return request
    }

    /// The sender's folders lie within the album, where all destinations have such things.
    private func album(_ folder: String?, _ terms: InviteTerms) -> String? {
        let chosen = manager.destinations.filter { terms.destinations.contains($0.name) }
        guard let folder, chosen.allSatisfy(\.submitter.capabilities.supportsAlbums) else { return terms.album }
        return terms.album.map { "\($0)/\(folder)" } ?? folder
    }

    /// What became of one that was not accepted. Refusals know it by its name alone, or by its path.
    private static func outcome(of entry: Entry, _ refusals: inout [Acceptance.Refusal]) -> Outcome {
        let index = refusals.firstIndex { refusal in
            [entry.path, FilePath(entry.item.name ?? entry.file.name)].contains(refusal.path)
        }
        guard let index else {
            // Its owner cancelled the batch at this moment.
            return .refused(.ended(entry.file.name, IncomingFile.State.cancelled.name))
        }
        let failure = refusals.remove(at: index).failure
        if ["not-media", "sidecar", "empty"].contains(failure.code) {
            return .refused(.unwanted(entry.file.name, entry.terms.takes))
        }
        return .failed(.unavailable(failure))
    }
}
