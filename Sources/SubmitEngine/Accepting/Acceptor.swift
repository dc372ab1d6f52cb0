internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitStore
internal import SystemPackage

/// Turns paths into accepted items: several files are read side by side, and written down in the order of the walk.
struct Acceptor: Sendable {
    /// What became of one path.
    enum Finding: Sendable {
        case inspected(InspectedFile)
        case refused(FilePath, SubmitFailure)
        case ignored(FilePath)
    }

    var request: SubmitRequest
    let destinations: [Destination]
    let inspection: Inspection
    let spool: Spool
    /// The files of the journal, which are no items.
    let journal: Set<FileWalk.FileNumber>
    /// Sources that are accepted already.
    var accepted: Set<FilePath> = []

    /// Files a group holds at the most. A group is one round to the journal.
    private static let groupSize = 2048
    /// Bytes after which a group is closed, so that small files need not wait for many large ones.
    private static let groupBytes: Int64 = 16 << 20
    /// Groups under way at once: as many as there are readers, and some to spare.
    private static let window = 6

    init(_ request: SubmitRequest, _ destinations: [Destination], besides journal: [FilePath], _ spool: Spool) {
        self.spool = spool
        self.journal = Set(journal.compactMap { FileWalk.FileNumber(of: $0.string) })
        self.request = request
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
        let permits = AsyncSemaphore(max(2, ProcessInfo.processInfo.activeProcessorCount))
        let walk = Locked(OfferedItems(request, besides: journal))
        while readings.count < Self.window, case let group = await group(from: walk), !group.isEmpty {
            readings.append(read(group, permits))
        }
        while let reading = readings.first {
            let findings = await reading.value
            readings.removeFirst()
            if Task.isCancelled { return }
            // The walk goes on while the journal writes.
            async let next = group(from: walk)
            let goesOn = try await handOver(findings)
            let group = await next
            if !goesOn { return }
            if !group.isEmpty { readings.append(read(group, permits)) }
        }
    }

    /// The next files of the walk; none at its end, or when the task is cancelled.
    private func group(from walk: Locked<OfferedItems>) async -> [OfferedItems.Offer] {
        await BlockingThreads.sources.run { next(of: walk) }
    }

    private func next(of walk: Locked<OfferedItems>) -> [OfferedItems.Offer] {
        walk.withLock { walk in
            var group: [OfferedItems.Offer] = []
            var bytes: Int64 = 0
            while !Task.isCancelled, group.count < Self.groupSize, bytes < Self.groupBytes, let offer = walk.next() {
                if case .file(let path, let size, _) = offer.entry {
                    if accepted.contains(path) { continue }
                    bytes += size
                }
                group.append(offer)
            }
            return group
        }
    }

    private func read(_ group: [OfferedItems.Offer], _ permits: AsyncSemaphore) -> Task<[Finding], Never> {
        Task {
            guard await permits.acquire() else { return [] }
            defer { permits.release() }
            return await BlockingThreads.sources.run { group.prefix(while: { _ in !Task.isCancelled }).map(find) }
        }
    }

    private func find(_ offer: OfferedItems.Offer) -> Finding {
        switch offer.entry {
        case .refused(let path, let failure):
            return .refused(path, failure)
        case .file(let path, _, let named):
            do throws(SubmitFailure) {
                var file = try inspection.inspect(path, as: offer.item?.name)
                file.item.caption = offer.item?.caption ?? request.caption
                file.item.tags = offer.item?.tags ?? request.tags
                file.idempotencyKey = offer.item?.idempotencyKey
                return .inspected(file)
            } catch {
                if let item = offer.item, spool.has(path) { return .refused(FilePath(item.name ?? ""), error) }
                return error.code == "not-media" && !named ? .ignored(path) : .refused(path, error)
            }
        }
    }

    /// What is waiting of an item.
    func newItem(_ file: InspectedFile) -> NewItem {
        NewItem(
            item: file.item, identity: file.identity,
            submissions: destinations.map { destination in
                NewSubmission(
                    destination: destination.name, album: request.album, onConflict: request.onConflict,
                    verification: request.verification,
                    refusal: destination.submitter.capabilities.refusal(
                        of: file.item, album: request.album, request.verification, at: destination.name))
            },
            // What is ours goes by itself.
            removal: spool.has(file.item.source) ? nil : request.removal, idempotencyKey: file.idempotencyKey)
    }
}
