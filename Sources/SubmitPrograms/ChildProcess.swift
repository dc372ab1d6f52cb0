internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import Subprocess
package import SystemPackage

/// The process of a program that whoever started it speaks to, from its start until nothing is left of it.
///
/// Whoever reads its output watches it too, and says when it has exited: until then it is not reaped, so that its number
/// and its group's can be no one else's.
package final class ChildProcess: Sendable {
    package struct Identity: Sendable {
        package let process: CInt
        /// Readable when it has exited.
        package let descriptor: CInt
    }

    private struct State {
        var steps: [TeardownStep]?
        var hasExited = false
        var isGone = false
        var stepsWaiter: CheckedContinuation<Void, Never>?
        var exitWaiter: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    package init() {}

    /// Starts a program in a session of its own.
    ///
    /// - Parameters:
    ///   - environment: all that it gets.
    ///   - input: what it reads; it takes this over, as the others.
    ///   - output: what it writes to.
    ///   - errors: what it writes to for people.
    ///   - isStarted: called once, with the process or with why there is none.
    package func start(
        _ program: FilePath, environment: [String: String], input: FileDescriptor, output: FileDescriptor,
        errors: FileDescriptor, isStarted: @escaping @Sendable (Result<Identity, Errno>) -> Void
    ) {
        let call = ProgramCall(program.string, [], environment: environment)
        Task(executorPreference: BlockingThreads.prompts) {
            await self.run(call, input, output, errors, isStarted)
            self.state.withLock { $0.isGone = true }
        }
    }

    private func run(
        _ call: ProgramCall, _ input: FileDescriptor, _ output: FileDescriptor, _ errors: FileDescriptor,
        _ isStarted: @escaping @Sendable (Result<Identity, Errno>) -> Void
    ) async {
        do throws(ProgramFailure) {
            _ = try await call.running(
                input: .fileDescriptor(input, closeAfterSpawningProcess: true),
                output: .fileDescriptor(output, closeAfterSpawningProcess: true),
                error: .fileDescriptor(errors, closeAfterSpawningProcess: true)
            ) { execution in
                let process = execution.processIdentifier
                isStarted(.success(Identity(process: process.value, descriptor: process.processDescriptor)))
                if let steps = await self.stepsToEnd() { await execution.teardown(using: steps) }
                await self.exit()
            }
        } catch {
            isStarted(.failure(error == .cancelled ? .ioError : error.error ?? .noSuchFileOrDirectory))
        }
    }

    /// Ends it, with all of its process group: `SIGTERM`, and `SIGKILL` when that did not help. The first to ask is heard.
    ///
    /// - Parameters:
    ///   - leaving: how long it may take to end by itself before that.
    ///   - terminating: how long it may take after `SIGTERM`.
    package func end(leaving: Duration? = nil, terminating: Duration) {
        // The signal 0 is none.
        let leave = leaving.map { TeardownStep.send(signal: Signal(rawValue: 0), allowedDurationToNextStep: $0) }
        let steps = (leave.map { [$0] } ?? []) + [TeardownStep].ended(after: terminating)
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.steps == nil else { return nil }
            state.steps = steps
            defer { state.stepsWaiter = nil }
            return state.stepsWaiter
        }
        waiter?.resume()
    }

    /// It has exited, and nobody needs its number any more.
    package func sawExit() {
        let waiters = state.withLock { state in
            state.hasExited = true
            defer { (state.stepsWaiter, state.exitWaiter) = (nil, nil) }
            return [state.stepsWaiter, state.exitWaiter]
        }
        for waiter in waiters { waiter?.resume() }
    }

    /// Whether nothing is left of it, not even a zombie.
    package var isGone: Bool { state.withLock { $0.isGone } }

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
