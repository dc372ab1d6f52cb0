internal import CLinux
internal import Dispatch
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SystemPackage

/// Makes copies durable and gives them their names, for all that wait at the same time together, on one thread.
///
/// A round writes to disk what came since the last one, and the names that the last one gave, with one `syncfs` where that
/// promises as much as `fsync` does: 2,000 photos on ext4 took about half the time of one `fsync` each. Where it fails, and
/// for the errors that it does not tell, each file answers for itself. Nobody holds a thread while waiting, and the thread
/// ends with the last who does.
final class Committer: Sendable {
    /// What is to be on disk, and what to do then.
    struct Request: Sendable {
        let folder: Folder
        /// Whose content, size, times and permissions are to be on disk first; `nil` where that is not needed.
        var file: CInt?
        /// For sentences: how large that is.
        var size: Int64 = 0
        /// Changes names in the folder, when the file is on disk; false where that could not be done, and then nothing
        /// more is waited for. It should not take long.
        var name: @Sendable () throws(SubmitFailure) -> Bool = { true }
        /// Told when the names in the folder are on disk, and in those above it, which may be new.
        var named: @Sendable () -> Void = {}
    }

    private struct Waiting: Sendable {
        let request: Request
        let answer: CheckedContinuation<Result<Bool, SubmitFailure>, Never>
    }

    private struct State {
        var waiting: [Waiting] = []
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

    /// Whoever asks meanwhile finds that somebody comes, and waits a little.
    func announcing<Value: Sendable>(
        _ body: () async throws(SubmitFailure) -> Value
    ) async throws(SubmitFailure) -> Value {
        state.withLock { $0.coming += 1 }
        defer { state.withLock { $0.coming -= 1 } }
        return try await body()
    }

    /// Returns when what the request names is on disk; false where its name could not be given.
    func commit(_ request: Request) async throws(SubmitFailure) -> Bool {
        let result = await withCheckedContinuation { answer in
            let begins = state.withLock { state in
                state.waiting.append(Waiting(request: request, answer: answer))
                defer { state.isAtWork = true }
                return !state.isAtWork
            }
            if begins { Task.detached(executorPreference: BlockingThreads.sources) { self.work() } }
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
        let descriptor = (came.first ?? named[0]).request.folder.descriptor
        let isTogether =
            came.count { $0.request.file != nil } + named.count >= Self.fewestForFileSystem
            && submit_can_sync_file_system(descriptor) != 0 && submit_sync_file_system(descriptor) == 0
        var synced: Set<Folder.Identity> = []
        for one in named {
            do throws(Errno) {
                if !isTogether { try one.request.folder.sync(besides: &synced) }
                one.request.named()
                one.answer.resume(returning: .success(true))
            } catch {
                one.answer.resume(returning: .failure(.file(error, one.request.folder.path)))
            }
        }
        if isTogether || came.count < 2 { return came.filter { Self.givesName($0, isOnDisk: isTogether) } }
        // A share answers each only after its way there and back.
        let given = Locked<[Waiting]>([])
        DispatchQueue.concurrentPerform(iterations: came.count) { index in
            guard Self.givesName(came[index], isOnDisk: false) else { return }
            given.withLock { $0.append(came[index]) }
        }
        return given.withLock { $0 }
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
