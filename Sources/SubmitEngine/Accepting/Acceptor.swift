internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitStore
internal import SystemPackage

/// Turns paths into accepted items: several files are read side by side, and written down in the order of the walk.
struct Acceptor: Sendable {
    /// What became of one path.
    enum Finding: Sendable {
        /// To be written down, but for what is known of it.
        case inspected(InspectedFile, KnownCopies)
        /// All that is asked for is known of it.
        case unchanged(FilePath, SourceIdentity, KnownCopies)
        case refused(FilePath, SubmitFailure)
        case leftBehind(LeftBehind)
    }

    var request: SubmitRequest
    let destinations: [Destination]
    let inspection: Inspection
    let spool: Spool
    private let store: any Store
    /// The files of the journal, which are no items.
    let journal: Set<FileWalk.FileNumber>
    /// Sources that are accepted already.
    var accepted: Set<FilePath> = []
    /// Folders that are left out.
    var copies: CopyFolders
    /// Nothing is to be written down.
    var isPreview = false

    /// How much a group holds. A group is one round to the journal: the first ones are small, so that sending begins early.
    private struct GroupLimit {
        /// Files at the most.
        private(set) var files = 128
        /// Bytes after which a group is closed, so that small files need not wait for many large ones.
        private(set) var bytes: Int64 = 1 << 20

        mutating func grow() { (files, bytes) = (min(2 * files, 512), min(2 * bytes, 16 << 20)) }
    }

    /// Files that are read at once. Foundation reads several files of the system for it each time.
    private static let readers = max(2, ProcessInfo.processInfo.activeProcessorCount)

    /// Groups under way at once: as many as there are readers, and some to spare.
    private static let window = 6

    init(_ request: SubmitRequest, _ destinations: [Destination], _ store: any Store, _ spool: Spool) {
        self.spool = spool
        self.store = store
        journal = Set(store.ownFiles.compactMap { FileWalk.FileNumber(of: $0.string) })
        self.request = request
        copies = CopyFolders(of: destinations)
        self.destinations = destinations
        inspection = Inspection(
            destinations: destinations.map(\.submitter.capabilities), takesAnyFile: request.takesAnyFile)
    }

    /// Walks, reads, and hands over the findings group by group, in order.
    ///
    /// Cancelling the task ends it after the groups that are complete. However it ends, nothing is read on.
    ///
    /// - Parameter handOver: false: that is enough.
    func run<Failure: Error>(_ handOver: ([Finding]) async throws(Failure) -> Bool) async throws(Failure) {
        let readings = Readings()
        defer { readings.cancel() }
        let outcome: Result<Void, Failure> = await withTaskCancellationHandler {
            do throws(Failure) {
                return .success(try await readAll(readings, handOver))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            readings.cancel()
        }
        try outcome.get()
    }

    /// What is offered, with what is known of it.
    private struct Offer: Sendable {
        let offered: OfferedItems.Offer
        var known = KnownCopies()
    }

    /// Offers one after the other, of which many are looked up at once. Whoever asks waits for the answer before he asks again.
    private final class Offers: Sendable {
        private let items: Locked<OfferedItems>
        private let lookUp: @Sendable ([OfferedItems.Offer]) async -> [KnownCopies]
        private let page = Locked<ArraySlice<Offer>>([])
        private let limit = Locked(GroupLimit())

        init(_ items: sending OfferedItems, _ lookUp: @escaping @Sendable ([OfferedItems.Offer]) async -> [KnownCopies])
        {
            self.items = Locked(items)
            self.lookUp = lookUp
        }

        func next() async -> Offer? {
            if let offer = page.withLock({ $0.popFirst() }) { return offer }
            let count = limit.withLock { limit in
                defer { limit.grow() }
                return limit.files
            }
            let offered = await BlockingThreads.sources.run { [items] in
                items.withLock { items in
                    var offered: [OfferedItems.Offer] = []
                    while !Task.isCancelled, offered.count < count, let next = items.next() {
                        offered.append(next)
                    }
                    return offered
                }
            }
            if offered.isEmpty { return nil }
            let known = await lookUp(offered)
            let offers = offered.enumerated().map { index, offer in
                Offer(offered: offer, known: index < known.count ? known[index] : KnownCopies())
            }
            return page.withLock { page in
                page = offers[...]
                return page.popFirst()
            }
        }
    }

    /// Groups that are being read, in order.
    private final class Readings: Sendable {
        private let state = Locked((tasks: [Task<[Finding], Never>](), isCancelled: false))

        var count: Int { state.withLock { $0.tasks.count } }
        /// The oldest, which stays until it is removed.
        var first: Task<[Finding], Never>? { state.withLock { $0.tasks.first } }

        func append(_ task: Task<[Finding], Never>) {
            let isCancelled = state.withLock { state in
                state.tasks.append(task)
                return state.isCancelled
            }
            if isCancelled { task.cancel() }
        }

        func removeFirst() { state.withLock { _ = $0.tasks.removeFirst() } }

        func cancel() {
            let tasks = state.withLock { state in
                state.isCancelled = true
                return state.tasks
            }
            for task in tasks { task.cancel() }
        }
    }

    private func readAll<Failure: Error>(
        _ readings: Readings, _ handOver: ([Finding]) async throws(Failure) -> Bool
    ) async throws(Failure) {
        // As many at once as there are processors.
        let permits = AsyncSemaphore(Self.readers)
        let offers = Offers(OfferedItems(request, besides: journal, leavingOut: copies), knownCopies)
        var limit = GroupLimit()
        while readings.count < Self.window, case let group = await group(of: offers, limit), !group.isEmpty {
            readings.append(read(group, permits))
            limit.grow()
        }
        let steady = limit
        while let reading = readings.first {
            let findings = await reading.value
            readings.removeFirst()
            if Task.isCancelled { return }
            // The walk goes on while the journal writes.
            async let next = group(of: offers, steady)
            let goesOn = try await handOver(findings)
            let group = await next
            if !goesOn { return }
            if !group.isEmpty { readings.append(read(group, permits)) }
        }
    }

    /// The next files; none at the end, or when the task is cancelled.
    private func group(of offers: Offers, _ limit: GroupLimit) async -> [Offer] {
        var group: [Offer] = []
        var bytes: Int64 = 0
        while !Task.isCancelled, group.count < limit.files, bytes < limit.bytes, let offer = await offers.next() {
            if case .file(let path, let identity, _) = offer.offered.entry {
                if accepted.contains(path) { continue }
                // Those are not read.
                if !isWhole(offer.known) { bytes += identity.size }
            }
            group.append(offer)
        }
        return group
    }

    private var skipsKnown: Bool { request.skipsUnchanged && request.removal == nil }

    private func isWhole(_ known: KnownCopies) -> Bool { destinations.allSatisfy(known.contains) }

    /// What is known of files by their marks.
    ///
    /// Whoever removes sources looks at all copies of an item at that moment: it is to have them all.
    private func knownCopies(of page: [OfferedItems.Offer]) async -> [KnownCopies] {
        guard skipsKnown else { return [] }
        let queries = page.map { offer -> SourceQuery? in
            guard offer.item == nil, case .file(let path, let identity, _) = offer.entry else { return nil }
            return SourceQuery(path: path, likeness: .marks(identity))
        }
        // What cannot be looked up now is, by its bytes, before it is written down.
        guard var known = try? await store.known(sources: queries.compactMap(\.self))[...] else {
            return queries.map { query in
                var unknown = KnownCopies()
                (unknown.isSought, unknown.isKnownPath) = (query != nil, query != nil)
                return unknown
            }
        }
        return queries.map { query in
            guard query != nil, var next = known.popFirst() else { return KnownCopies() }
            // It is found out by its bytes.
            if !request.trustsMarks { next.submissions = [] }
            return KnownCopies(next, request, destinations)
        }
    }

    private func read(_ group: [Offer], _ permits: AsyncSemaphore) -> Task<[Finding], Never> {
        Task {
            guard await permits.acquire() else { return [] }
            defer { permits.release() }
            let findings = await BlockingThreads.sources.run {
                group.prefix(while: { _ in !Task.isCancelled }).map(find)
            }
            return await recognised(findings)
        }
    }

    private func find(_ offer: Offer) -> Finding {
        switch offer.offered.entry {
        case .refused(let path, let failure):
            return .refused(path, failure)
        case .leftBehind(let left):
            return .leftBehind(left)
        case .file(let path, let identity, let named):
            if isWhole(offer.known) { return .unchanged(path, identity, offer.known) }
            let item = offer.offered.item
            do throws(SubmitFailure) {
                var file = try inspection.inspect(
                    path, as: item?.name, kinds: item == nil ? request.filter.kinds : nil,
                    known: item?.digests ?? Digests(), ofSize: item?.size)
                file.item.caption = item?.caption ?? request.caption
                file.item.tags = item?.tags ?? request.tags
                file.idempotencyKey = item?.idempotencyKey
                return .inspected(file, offer.known)
            } catch {
                if error.code == Inspection.excludedCode {
                    return .leftBehind(
                        LeftBehind(path: path, folder: path.removingLastComponent(), reason: .excluded))
                }
                if let item, spool.has(path) { return .refused(FilePath(item.name ?? ""), error) }
                let isSidecar = error.code == Inspection.sidecarCode
                guard isSidecar || error.code == "not-media", !named else { return .refused(path, error) }
                let reason: LeftBehind.Reason =
                    isSidecar ? .sidecar : CameraFiles.contains(path) ? .camera : .unknownType
                return .leftBehind(LeftBehind(path: path, folder: path.removingLastComponent(), reason: reason))
            }
        }
    }

    /// Finds out what is known of files by their bytes whose marks have changed: touched, or on a card that was put in anew.
    private func recognised(_ findings: [Finding]) async -> [Finding] {
        var queries: [(index: Int, query: SourceQuery)] = []
        for (index, finding) in findings.enumerated() {
            guard case .inspected(let file, let known) = finding, known.isKnownPath, !isWhole(known),
                let digest = file.item.digests[.sha256]
            else { continue }
            queries.append((index, SourceQuery(path: file.item.source, likeness: .bytes(digest))))
        }
        if queries.isEmpty { return findings }
        guard let known = try? await store.known(sources: queries.map(\.query)) else { return findings }
        var findings = findings
        var identities: [ItemID: SourceIdentity] = [:]
        for ((index, _), known) in zip(queries, known) {
            guard case .inspected(let file, _) = findings[index] else { continue }
            let copies = KnownCopies(known, request, destinations)
            for item in copies.items { identities[item] = file.identity }
            findings[index] =
                isWhole(copies) ? .unchanged(file.item.source, file.identity, copies) : .inspected(file, copies)
        }
        // What is not written down is found out again the next time.
        if !identities.isEmpty, !isPreview { try? await store.reidentify(identities) }
        return findings
    }

    /// What is waiting of an item.
    ///
    /// - Parameter known: what it need not be sent to again.
    func newItem(_ file: InspectedFile, besides known: KnownCopies = KnownCopies()) -> NewItem {
        var new = NewItem(
            item: file.item, identity: file.identity,
            submissions: destinations.filter { !known.contains($0) }.map { destination in
                var new = NewSubmission(
                    destination: destination.name, album: request.album, onConflict: request.onConflict,
                    verification: request.verification, place: destination.place,
                    recipe: destination.recipe(asked: request.rendition),
                    refusal: destination.refusal(of: file.item, request))
                new.isRecipeUsual = request.rendition == nil
                return new
            },
            // What is ours goes by itself.
            removal: spool.has(file.item.source) ? nil : request.removal, idempotencyKey: file.idempotencyKey)
        new.isUnlessKnown = known.isSought
        return new
    }
}
