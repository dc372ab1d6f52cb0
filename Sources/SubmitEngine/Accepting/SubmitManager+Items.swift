public import Submit
internal import SubmitConcurrency
public import SubmitStore
public import SystemPackage

extension SubmitManager {
    /// What became of a file: the submissions of all items that were accepted from this path, the newest first.
    ///
    /// - Parameters:
    ///   - source: the path as it was accepted: absolute, and not necessarily UTF-8. Nothing is looked for at it.
    ///   - limit: so many at the most.
    /// - Returns: none where nothing was ever accepted from there.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func submissions(
        ofSource source: FilePath, limit: Int = 100
    ) async throws(SubmitFailure) -> [SubmissionRecord] {
        try await store.submissions(ofSource: source, limit: limit)
    }

    /// What became of an item that came with a key: what was waiting of it, in the order of acceptance.
    ///
    /// - Returns: none where nothing was accepted under the key, or it was waiting for nobody.
    /// - Throws: when the journal cannot be read (`journal…`, to be tried again).
    public func submissions(ofKey idempotencyKey: String) async throws(SubmitFailure) -> [SubmissionRecord] {
        let known = try await store.known(keys: [idempotencyKey])[idempotencyKey]
        var records: [SubmissionRecord] = []
        for id in known?.submissions ?? [] {
            records += try await store.submissions(SubmissionSelection(submission: id))
        }
        return records
    }

    /// Lets go of the copies of bytes that are kept as something of them failed, so that nobody can try that again.
    ///
    /// Copies that something is waiting of stay.
    ///
    /// - Parameter selection: the failed submissions they are kept for.
    /// - Returns: how many copies are gone.
    /// - Throws: when the journal fails (`journal…`, to be tried again). Cancelling the task ends it between two of
    ///   them.
    @discardableResult
    public func discardCopies(of selection: SubmissionSelection) async throws(SubmitFailure) -> Int {
        var count = 0
        var last: SubmissionID?
        while !Task.isCancelled, case let page = try await store.submissions(selection, in: .failed, after: last),
            let end = page.last
        {
            for record in page where await spool.tidy(record.item.source, toRetry: false) { count += 1 }
            last = end.id
        }
        return count
    }

    // MARK: For whoever writes files of the spool himself

    /// The folder, which need not be there yet. What lies in it and is not needed goes: see `SubmissionLedger/needs(_:toRetry:)`.
    package var spoolFolder: FilePath { spool.folder }

    /// Removes a file of the spool that nobody needs. A file that is not of the spool stays.
    ///
    /// - Parameter toRetry: false: neither to try again what failed, nor as nobody has proven the copies.
    /// - Returns: whether it is gone by this.
    @discardableResult
    package func tidySpool(_ file: FilePath, toRetry: Bool = true) async -> Bool {
        await spool.tidy(file, toRetry: toRetry)
    }

    /// Removes all files of the spool that nobody needs.
    package func tidySpool() async { await spool.tidy() }

    /// Where destinations put things now; `nil` where one of them is not there, or nobody knows its place.
    package func places(of names: [String]) -> [String: Int64]? {
        var places: [String: Int64] = [:]
        for destination in destinations where names.contains(destination.name) {
            places[destination.name] = destination.place
        }
        return places.count == Set(names).count ? places : nil
    }

    /// The digests that any of these destinations wants of an item of so many bytes; all they may want where that is not known.
    package func digests(ofSize size: Int64?, at names: [String]) -> Set<DigestAlgorithm> {
        let all = destinations.filter { names.contains($0.name) }.map(\.submitter.capabilities)
        return all.reduce(into: [.sha256]) { $0.formUnion(size.map($1.digests(ofSize:)) ?? $1.digests) }
    }

    /// So many copies are written before the journal hears of them.
    private static let copiesAtOnce = 32

    /// Makes files of the items that are none, and leaves out what is known by its key.
    ///
    /// The journal hears of each copy as soon as it is there: from then on whoever completes the acceptance has it.
    func gather(
        _ acceptor: inout Acceptor, for open: OpenAcceptance, _ acceptance: inout Acceptance
    ) async throws(SubmitFailure) {
        var rest = acceptor.request.items
        if rest.isEmpty { return }
        rest.removeAll { [accepted = acceptor.accepted] item in item.file.map(accepted.contains) ?? false }
        let known = try await store.known(keys: rest.compactMap(\.idempotencyKey))
        rest.removeAll { item in
            guard let key = item.idempotencyKey, let known = known[key] else { return false }
            acceptance.known.append(known)
            return true
        }
        acceptor.request.items = rest.filter { $0.file != nil }
        var bytes = rest.filter { $0.file == nil }[...]
        while !bytes.isEmpty, !Task.isCancelled {
            var copies: [SpooledFile] = []
            for item in bytes.prefix(Self.copiesAtOnce) {
                switch await copy(item) {
                case .success(let copy):
                    copies.append(copy)
                    var kept = item
                    kept.source = .file(copy.path)
                    acceptor.request.items.append(kept)
                case .failure(let failure):
                    if Task.isCancelled { return }
                    acceptance.refusals.append(Acceptance.Refusal(path: item.label, failure: failure))
                    hub.send(.refused(item.label, batch: open.batch, failure))
                }
            }
            bytes = bytes.dropFirst(Self.copiesAtOnce)
            let isWanted = try await store.amend(open, to: acceptor.request.text)
            withExtendedLifetime(copies) {}
            if !isWanted { return }
        }
    }

    private func copy(_ item: SubmitItem) async -> Result<SpooledFile, SubmitFailure> {
        if let refusal = item.nameRefusal { return .failure(refusal) }
        guard case .bytes(let bytes) = item.source else { return .failure(.cancelled) }
        return await BlockingThreads.sources.run { [spool] in
            do throws(SubmitFailure) {
                return .success(try spool.copy(bytes, of: item.name ?? ""))
            } catch {
                return .failure(error)
            }
        }
    }
}
