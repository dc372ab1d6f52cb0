internal import CLinux
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SystemPackage

/// Makes copies durable and gives them their names, for all that wait at the same time together, on one thread.
///
/// A round writes to disk the files that came since the last one, and the names that the last one gave, with one `syncfs`
/// where that promises as much as `fsync` does: 2,000 photos on ext4 took about half the time of one `fsync` each. A name is
/// told so one round after it was given. Where `syncfs` fails, and for the errors that it does not tell, files and folders
/// answer for themselves. Who waits holds no thread, and that of the committer ends when nobody waits any more.
final class Committer: Sendable {
    /// What is to be on disk, and what to do then.
    struct Request: Sendable {
        let folder: Folder
        /// Whose content, size, times and permissions are to be on disk first; `nil` where that is not needed.
        var file: CInt?
        /// For sentences: how large that is.
        var size: Int64 = 0
        /// Changes names in the folder, when the file is on disk; false where that could not be done, and then nothing
        /// more is waited for. All others wait meanwhile.
        var name: @Sendable () throws(SubmitFailure) -> Bool = { true }
        /// Nothing was changed for it yet.
        var isCancellable = true
        /// Told when the names in the folder are on disk, and in those above it, which may be new.
        var named: @Sendable () -> Void = {}
    }

    private struct Waiting: Sendable {
        let number: Int
        let request: Request
        let answer: CheckedContinuation<Result<Bool, SubmitFailure>, Never>
    }

    private struct State {
        var waiting: [Waiting] = []
        var lastNumber = 0
        var isAtWork = false
        /// How many are likely to ask soon.
        var coming = 0
    }

    /// Fewer are quicker one by one, and then nobody else's data is waited for.
    private static let fewestForFileSystem = 4
    /// How often those who come are waited for, each time so many microseconds.
    private static let waits = 4
    private static let wait: UInt32 = 500
    private static let enough = 24

    private let state = Locked(State())

    /// A round that would begin meanwhile waits a little for who comes.
    func announcing<Value: Sendable>(
        _ body: () async throws(SubmitFailure) -> Value
    ) async throws(SubmitFailure) -> Value {
        state.withLock { $0.coming += 1 }
        defer { state.withLock { $0.coming -= 1 } }
        return try await body()
    }

    /// Returns when what the request names is on disk; false where its name could not be given.
    ///
    /// When the task is cancelled before its round begins, it throws at once, where that is possible.
    func commit(_ request: Request) async throws(SubmitFailure) -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { answer in
                let begins: Bool? = state.withLock { state in
                    if request.isCancellable, Task.isCancelled { return nil }
                    state.waiting.append(Waiting(number: number, request: request, answer: answer))
                    defer { state.isAtWork = true }
                    return !state.isAtWork
                }
                guard let begins else { return answer.resume(returning: .failure(.cancelled)) }
                if begins { Task.detached(executorPreference: BlockingThreads.sources) { self.work() } }
            }
        } onCancel: {
            guard request.isCancellable else { return }
            let cancelled = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
            }
            cancelled?.answer.resume(returning: .failure(.cancelled))
        }
        return try result.get()
    }

    private func work() {
        var named: [Waiting] = []
        while let came = next(isLast: named.isEmpty) { named = commit(came, and: named) }
    }

    /// Those who came since; `nil` where there is nothing more to do.
    private func next(isLast: Bool) -> [Waiting]? {
        for _ in 0..<Self.waits {
            let isWorthIt = state.withLock { $0.coming > 0 && $0.waiting.count < Self.enough }
            guard isWorthIt else { break }
            usleep(Self.wait)
        }
        return state.withLock { state in
            if state.waiting.isEmpty, isLast {
                state.isAtWork = false
                return nil
            }
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// - Parameter named: those of the last round, whose names are to be on disk.
    /// - Returns: those whose names were given.
    private func commit(_ came: [Waiting], and named: [Waiting]) -> [Waiting] {
        let devices = Dictionary(grouping: came, by: \.request.folder.device)
        let namedOnDevices = Dictionary(grouping: named, by: \.request.folder.device)
        return Set(devices.keys).union(namedOnDevices.keys).flatMap { device in
            commitOnDevice(devices[device] ?? [], and: namedOnDevices[device] ?? [])
        }
    }

    private func commitOnDevice(_ came: [Waiting], and named: [Waiting]) -> [Waiting] {
        let isTogether = came.count + named.count >= Self.fewestForFileSystem && Self.syncTogether(came, named)
        var synced: Set<Folder.Identity> = []
        for one in named {
            do throws(Errno) {
                if !isTogether { try one.request.folder.sync(besides: &synced) }
                one.request.named()
                one.answer.resume(returning: .success(true))
            } catch {
                let failure = SubmitFailure.file(error, one.request.folder.path, needed: one.request.size)
                one.answer.resume(returning: .failure(failure))
            }
        }
        return came.filter { Self.givesName($0, isOnDisk: isTogether) }
    }

    /// Whether all is on disk by one call.
    private static func syncTogether(_ came: [Waiting], _ named: [Waiting]) -> Bool {
        // It tells of what went wrong since that was opened: names were given later.
        let folder = (named.first ?? came[0]).request.folder
        guard folder.syncsTogether, submit_sync_file_system(folder.descriptor) == 0 else { return false }
        // Of a file system that became read-only it tells nothing, as there is nothing to write any more.
        return named.isEmpty || fsync(folder.descriptor) == 0
    }

    /// - Returns: false where no name was given, which is answered.
    private static func givesName(_ one: Waiting, isOnDisk: Bool) -> Bool {
        let request = one.request
        do throws(SubmitFailure) {
            if let file = request.file {
                try SubmitFailure.at(request.folder.path, needed: request.size) { () throws(Errno) in
                    if isOnDisk { try Durability.verify(file: file) } else { try Durability.sync(file: file) }
                }
            }
            if try request.name() { return true }
            one.answer.resume(returning: .success(false))
        } catch {
            one.answer.resume(returning: .failure(error))
        }
        return false
    }
}
