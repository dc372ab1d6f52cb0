internal import Foundation
internal import Submit
internal import SubmitJournal
internal import SystemPackage

/// Turns paths into accepted items: several files are read side by side, and written down in the order of the walk.
struct Acceptor: Sendable {
    /// What became of one path.
    enum Finding: Sendable {
        case inspected(InspectedFile)
        case refused(FilePath, SubmitFailure)
        case passedOver(FilePath)
    }

    let request: SubmitRequest
    let destinations: [Destination]
    let inspection: Inspection
    /// Sources that are accepted already.
    let accepted: Set<FilePath>

    /// Files a group holds at the most. A group is one round to the journal.
    private static let groupSize = 2048
    /// Bytes after which a group is closed, so that small files need not wait for many large ones.
    private static let groupBytes: Int64 = 16 << 20
    /// Groups under way at once: as many as there are readers, and some to spare.
    private static let window = 6

    init(_ request: SubmitRequest, _ destinations: [Destination], except accepted: Set<FilePath> = []) {
        self.accepted = accepted
        self.request = request
        self.destinations = destinations
        inspection = Inspection(
            destinations: destinations.map(\.submitter.capabilities), takesAnyFile: request.takesAnyFile)
    }

    /// Walks, reads, and hands over the findings group by group, in order.
    ///
    /// Cancelling the task ends it after the groups that are complete.
    func run<Failure: Error>(_ handOver: ([Finding]) async throws(Failure) -> Void) async throws(Failure) {
        let readers = DispatchQueue(label: "acceptance", attributes: .concurrent)
        // Reading blocks: as many threads as there are processors, apart from those that tasks share.
        let seats = DispatchSemaphore(value: max(2, ProcessInfo.processInfo.activeProcessorCount))
        let walk = Locked(FileWalk(request.paths))
        var underWay: [Task<[Finding], Never>] = []
        while underWay.count < Self.window, case let group = group(from: walk), !group.isEmpty {
            underWay.append(read(group, on: readers, seats))
        }
        while !underWay.isEmpty {
            let findings = await underWay.removeFirst().value
            if Task.isCancelled {
                for task in underWay { task.cancel() }
                return
            }
            // The walk goes on while the journal writes.
            async let next = group(from: walk)
            try await handOver(findings)
            let group = await next
            if !group.isEmpty { underWay.append(read(group, on: readers, seats)) }
        }
    }

    /// The next files of the walk; none at its end, or when the task is cancelled.
    private func group(from walk: Locked<FileWalk>) -> [FileWalk.Entry] {
        walk.withLock { walk in
            var group: [FileWalk.Entry] = []
            var bytes: Int64 = 0
            while !Task.isCancelled, group.count < Self.groupSize, bytes < Self.groupBytes, let entry = walk.next() {
                if case .file(let path, let size, _) = entry {
                    if accepted.contains(path) { continue }
                    bytes += size
                }
                group.append(entry)
            }
            return group
        }
    }

    private func read(
        _ group: [FileWalk.Entry], on readers: DispatchQueue, _ seats: DispatchSemaphore
    ) -> Task<[Finding], Never> {
        Task {
            let isCancelled = Locked(false)
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    readers.async {
                        seats.wait()
                        defer { seats.signal() }
                        continuation.resume(
                            returning: group.map { find($0, isCancelled: { isCancelled.withLock { $0 } }) })
                    }
                }
            } onCancel: {
                isCancelled.withLock { $0 = true }
            }
        }
    }

    private func find(_ entry: FileWalk.Entry, isCancelled: () -> Bool) -> Finding {
        switch entry {
        case .refused(let path, let failure):
            return .refused(path, failure)
        case .file(let path, _, let named):
            do throws(SubmitFailure) {
                var file = try inspection.inspect(path, isCancelled: isCancelled)
                file.item.caption = request.caption
                file.item.tags = request.tags
                return .inspected(file)
            } catch {
                return error.code == "not-media" && !named ? .passedOver(path) : .refused(path, error)
            }
        }
    }

    /// What is owed of an item.
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
            removal: request.removal)
    }
}
