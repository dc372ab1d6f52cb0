internal import Glibc
internal import Submit
internal import Subprocess
internal import SystemPackage

/// A program's process, from its start until nothing is left of it: started, told to end and reaped by swift-subprocess.
///
/// Whoever reads its output watches it too, and says when it has exited: until then it is not reaped, so that its number
/// and its group's can be no one else's.
final class Child: Sendable {
    struct Identity: Sendable {
        let process: pid_t
        /// Readable when it has exited.
        let descriptor: CInt
    }

    private struct State {
        var steps: [TeardownStep]?
        var hasExited = false
        var isGone = false
        var stepsWaiter: CheckedContinuation<Void, Never>?
        var exitWaiter: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    /// Starts a program in a session of its own.
    ///
    /// - Parameters:
    ///   - isStarted: called once, with the process or with why there is none.
    func start(
        _ program: FilePath, environment: [String: String], ends: ProgramPipes.Ends,
        isStarted: @escaping @Sendable (Result<Identity, Errno>) -> Void
    ) {
        Task(executorPreference: BlockingThreads.prompts) {
            await self.run(program, environment, ends, isStarted)
            self.state.withLock { $0.isGone = true }
        }
    }

    private func run(
        _ program: FilePath, _ environment: [String: String], _ ends: ProgramPipes.Ends,
        _ isStarted: @Sendable (Result<Identity, Errno>) -> Void
    ) async {
        var options = PlatformOptions()
        options.createSession = true
        let variables = environment.compactMap { name, value in
            Environment.Key(rawValue: name).map { ($0, value) }
        }
        do {
            _ = try await Subprocess.run(
                .path(program), environment: .custom(Dictionary(uniqueKeysWithValues: variables)),
                platformOptions: options,
                input: .fileDescriptor(ends.input, closeAfterSpawningProcess: true),
                output: .fileDescriptor(ends.output, closeAfterSpawningProcess: true),
                error: .fileDescriptor(ends.errors, closeAfterSpawningProcess: true)
            ) { execution in
                let process = execution.processIdentifier
                isStarted(.success(Identity(process: process.value, descriptor: process.processDescriptor)))
                if let steps = await self.stepsToEnd() { await execution.teardown(using: steps) }
                await self.exit()
            }
        } catch let error as SubprocessError {
            isStarted(.failure(error.underlyingError ?? .noSuchFileOrDirectory))
        } catch {
            isStarted(.failure(.ioError))
        }
    }

    /// Ends it, with all of its process group, by these steps and `SIGKILL` after them. The first to ask is heard.
    func end(by steps: [TeardownStep]) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.steps == nil else { return nil }
            state.steps = steps
            defer { state.stepsWaiter = nil }
            return state.stepsWaiter
        }
        waiter?.resume()
    }

    /// It has exited, and nobody needs its number any more.
    func sawExit() {
        let waiters = state.withLock { state in
            state.hasExited = true
            defer { (state.stepsWaiter, state.exitWaiter) = (nil, nil) }
            return [state.stepsWaiter, state.exitWaiter]
        }
        for waiter in waiters { waiter?.resume() }
    }

    /// Whether nothing is left of it, not even a zombie.
    var isGone: Bool { state.withLock { $0.isGone } }

    /// Waits until it is to be ended, or has exited by itself: then there is nothing to do.
    private func stepsToEnd() async -> [TeardownStep]? {
        await withCheckedContinuation { waiter in
            let isDue = state.withLock { state in
                if state.steps != nil || state.hasExited { return true }
                state.stepsWaiter = waiter
                return false
            }
            if isDue { waiter.resume() }
        }
        return state.withLock { $0.hasExited ? nil : $0.steps }
    }

    private func exit() async {
        await withCheckedContinuation { waiter in
            let hasExited = state.withLock { state in
                if !state.hasExited { state.exitWaiter = waiter }
                return state.hasExited
            }
            if hasExited { waiter.resume() }
        }
    }
}

extension [TeardownStep] {
    /// `SIGTERM` to the group, and `SIGKILL` when that did not help.
    static func atOnce(_ patience: Patience) -> [TeardownStep] {
        [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: patience.terminating)]
    }

    /// The same, after it had time to end by itself: the signal 0 is none.
    static func afterLeaving(_ patience: Patience) -> [TeardownStep] {
        [.send(signal: Signal(rawValue: 0), allowedDurationToNextStep: patience.leaving)] + atOnce(patience)
    }
}
