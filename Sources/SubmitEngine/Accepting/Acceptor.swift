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
        /// Left behind, unless it was sent before as it is now.
        case untaken(InspectedFile, KnownCopies, LeftBehind)
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
    /// Files that are known by their marks are asked about, too, whether somebody writes them.
    var distrustsKnown = false
    var writers = FileWriters()

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
        /// When it was found; `nil` for a file that need not rest.
        let rests: ContinuousClock.Instant?
        var known = KnownCopies()
    }

    /// Offers one after the other, of which many are looked up at once. Whoever asks waits for the answer before he asks again.
    private final class Offers: Sendable {
        private let items: Locked<OfferedItems>
        private let lookUp: @Sendable ([OfferedItems.Offer]) async -> [KnownCopies]
        private let page = Locked<ArraySlice<Offer>>([])
        private let limit = Locked(GroupLimit())
        private let writers: FileWriters

        init(
            _ items: sending OfferedItems, _ writers: FileWriters,
            _ lookUp: @escaping @Sendable ([OfferedItems.Offer]) async -> [KnownCopies]
        ) {
            self.items = Locked(items)
            self.writers = writers
            self.lookUp = lookUp
        }

        func next() async -> Offer? {
            if let offer = page.withLock({ $0.popFirst() }) { return offer }
            let count = limit.withLock { limit in
                defer { limit.grow() }
                return limit.files
            }
            let found = await BlockingThreads.sources.run { [items, writers] in
                items.withLock { items in
                    var found: [Offer] = []
                    while !Task.isCancelled, found.count < count, let next = items.next() {
                        var rests = false
                        if case .file(let path, let identity, _) = next.entry {
                            rests = writers.needsRest(path, identity)
                        }
                        found.append(Offer(offered: next, rests: rests ? .now : nil))
                    }
                    return found
                }
            }
            if found.isEmpty { return nil }
            var offers = found
            for (index, known) in await lookUp(found.map(\.offered)).enumerated() { offers[index].known = known }
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
        let offers = Offers(OfferedItems(request, besides: journal, leavingOut: copies), writers, knownCopies)
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
            if let last = group.compactMap({ isWhole($0.known) ? nil : $0.rests }).max() {
                try? await Task.sleep(until: last + FileWriters.rest)
            }
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
            let item = offer.offered.item
            func left(_ reason: LeftBehind.Reason) -> LeftBehind {
                LeftBehind(path: path, folder: path.removingLastComponent(), reason: reason)
            }
            if isWhole(offer.known) {
                if distrustsKnown, writers.isWriting(path, since: identity) { return .leftBehind(left(.beingWritten)) }
                return .unchanged(path, identity, offer.known)
            }
            do throws(SubmitFailure) {
                // Nobody but this process writes into the spool.
                return .inspected(
                    try inspect(path, item, inspection, since: spool.has(path) ? nil : identity), offer.known)
            } catch {
                switch error.code {
                case Inspection.excludedCode: return .leftBehind(left(.excluded))
                case Inspection.beingWrittenCode where item == nil: return .leftBehind(left(.beingWritten))
                case "empty" where !named && CameraFiles.contains(path): return .leftBehind(left(.camera))
                default: break
                }
                if let item, spool.has(path) { return .refused(FilePath(item.name ?? ""), error) }
                let isSidecar = error.code == Inspection.sidecarCode
                guard isSidecar || error.code == "not-media", !named else { return .refused(path, error) }
                let untaken = left(isSidecar ? .sidecar : CameraFiles.contains(path) ? .camera : .unknownType)
                var any = inspection
                any.takesAnyFile = true
                // It may have been sent when any file was taken.
                guard offer.known.isKnownPath, let file = try? inspect(path, item, any, since: identity) else {
                    return .leftBehind(untaken)
                }
                return .untaken(file, offer.known, untaken)
            }
        }
    }

    private func inspect(
        _ path: FilePath, _ item: SubmitItem?, _ inspection: Inspection, since seen: SourceIdentity?
    ) throws(SubmitFailure) -> InspectedFile {
        var file = try inspection.inspect(
            path, as: item?.name, kinds: item == nil ? request.filter.kinds : nil, known: item?.digests ?? Digests(),
            ofSize: item?.size, unlessWrittenSince: seen.map { ($0, writers) })
        file.item.caption = item?.caption ?? request.caption
        file.item.tags = item?.tags ?? request.tags
        file.idempotencyKey = item?.idempotencyKey
        return file
    }

    /// Finds out what is known of files by their bytes whose marks have changed: touched, or on a card that was put in anew.
    private func recognised(_ findings: [Finding]) async -> [Finding] {
        var queries: [(index: Int, query: SourceQuery)] = []
        for (index, finding) in findings.enumerated() {
            guard let (file, known) = finding.inspected, known.isKnownPath, !isWhole(known),
                let digest = file.item.digests[.sha256]
            else { continue }
            queries.append((index, SourceQuery(path: file.item.source, likeness: .bytes(digest))))
        }
        if queries.isEmpty { return findings }
        guard let known = try? await store.known(sources: queries.map(\.query)) else {
            return findings.map(\.withoutUntaken)
        }
        var findings = findings
        var identities: [ItemID: SourceIdentity] = [:]
        for ((index, _), known) in zip(queries, known) {
            guard let (file, _) = findings[index].inspected else { continue }
            let copies = KnownCopies(known, request, destinations)
            if isWhole(copies) {
                findings[index] = .unchanged(file.item.source, file.identity, copies)
            } else if case .inspected = findings[index] {
                findings[index] = .inspected(file, copies)
            } else {
                continue
            }
            for item in copies.items { identities[item] = file.identity }
        }
        // What is not written down is found out again the next time.
        if !identities.isEmpty, !isPreview { try? await store.reidentify(identities) }
        return findings.map(\.withoutUntaken)
    }

    /// What is waiting of an item.
    ///
    /// - Parameter known: what it need not be sent to again.
    func newItem(_ file: InspectedFile, besides known: KnownCopies = KnownCopies()) -> NewItem {
        var new = NewItem(
            item: file.item, identity: file.identity,
            submissions: destinations.filter { !known.contains($0) }.map { destination in
                var new = NewSubmission(
                    destination: destination.name, options: request.options, place: destination.place,
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

extension Acceptance {
    /// Counts an item of which something is to be sent.
    mutating func add(_ new: NewItem, _ destinations: [Destination]) {
        accepted += 1
        bytes += new.item.size
        guard new.item.captured == nil, new.item.type.kind != .other else { return }
        let dated = destinations.filter { $0.submitter.capabilities.usesCaptureTime }.map(\.name)
        if new.submissions.contains(where: { dated.contains($0.destination) }) { datedByFileTime += 1 }
    }
}

extension Acceptor.Finding {
    fileprivate var inspected: (file: InspectedFile, known: KnownCopies)? {
        switch self {
        case .inspected(let file, let known), .untaken(let file, let known, _): (file, known)
        default: nil
        }
    }

    /// It was not sent before.
    fileprivate var withoutUntaken: Self {
        if case .untaken(_, _, let left) = self { .leftBehind(left) } else { self }
    }
}
