public import Foundation
internal import Submit
internal import SubmitConcurrency

/// A program that was started: with files as its input and outputs, in a process group of its own, killed when it takes
/// too long or nobody holds this value any more, unless it has a session of its own.
public final class ChildProcess: Sendable {
    /// How a process ended.
    public enum End: Sendable, Hashable {
        case exited(CInt)
        case killed(signal: CInt)
        /// It was killed because its time was up.
        case timedOut
    }

    public enum Failure: Error, CustomStringConvertible {
        case cannotStart(String, errno: CInt)
        case ended(String, End, output: String)

        public var description: String {
            switch self {
            case .cannotStart(let program, let error):
                "\(program) cannot be started: \(String(cString: strerror(error)))"
            case .ended(let program, let end, let output): "\(program) ended with \(end): \(output)"
            }
        }
    }

    private struct State {
        var end: End?
        var isTimedOut = false
        var waiters: [CheckedContinuation<End, Never>] = []
    }

    public let pid: pid_t
    private let state = Locked(State())
    private let isIndependent: Bool

    /// - Parameters:
    ///   - arguments: the program, looked up in PATH, and its arguments.
    ///   - folder: where it starts; `nil`: where we are.
    ///   - input: a file's path; nothing by default. Likewise for the outputs.
    ///   - inputDescriptor: given to the child as its input, instead of `input`.
    ///   - hasOwnSession: the terminal's Ctrl-C does not reach it, and it goes on when this value is let go of.
    public init(
        _ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment,
        folder: String? = nil, input: String = "/dev/null", output: String = "/dev/null",
        errors: String = "/dev/null", inputDescriptor: CInt? = nil, hasOwnSession: Bool = false
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let inputDescriptor {
            posix_spawn_file_actions_adddup2(&actions, inputDescriptor, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        }
        let create = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 1, output, create, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, create, 0o600)
        _ = Self.closeFrom?(&actions, 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID, which the Glibc module leaves out.
        var flags = hasOwnSession ? 0x80 : CInt(POSIX_SPAWN_SETPGROUP)
        // Whatever the test process ignores or blocks is not for its children.
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        flags |= CInt(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let command = folder.map { ["env", "-C", $0] + arguments } ?? arguments
        let argv = command.map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var child: pid_t = 0
        let error = posix_spawnp(&child, command[0], &actions, &attributes, argv, envp)
        guard error == 0 else { throw Failure.cannotStart(arguments[0], errno: error) }
        pid = child
        isIndependent = hasOwnSession
        let (pid, state) = (child, state)
        Thread.detachNewThread { Self.reap(pid, state) }
    }

    /// `posix_spawn_file_actions_addclosefrom_np`, which the Glibc module leaves out. A server that inherits a file of
    /// some other test would keep it open, and a full disk full.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast($0, to: CloseFrom.self)
    }
    private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt

    deinit {
        if isIndependent { return }
        // Nobody can wait for it any more, and nothing may outlive its test.
        state.withLock { if $0.end == nil { _ = kill(-pid, SIGKILL) } }
    }

    private static func reap(_ pid: pid_t, _ state: Locked<State>) {
        var information = siginfo_t()
        // Not reaped yet: until the lock is held, the number cannot become another process's.
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let waiters = state.withLock { state -> [CheckedContinuation<End, Never>] in
            var status: CInt = 0
            waitpid(pid, &status, 0)
            let signal = status & 0x7f
            state.end =
                state.isTimedOut ? .timedOut : signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal: signal)
            defer { state.waiters = [] }
            return state.waiters
        }
        if let end = state.withLock({ $0.end }) {
            for waiter in waiters { waiter.resume(returning: end) }
        }
    }

    /// Whether it still runs.
    public var isRunning: Bool { state.withLock { $0.end == nil } }

    /// Sends a signal to it alone.
    public func signal(_ number: CInt) {
        state.withLock { if $0.end == nil { _ = kill(pid, number) } }
    }

    /// Waits for its end, and kills it and what it started when that does not come in time.
    public func end(within seconds: Double = 60) async -> End {
        let pid = pid
        let state = state
        let deadline = DispatchWorkItem {
            state.withLock { state in
                guard state.end == nil else { return }
                state.isTimedOut = true
                _ = kill(-pid, SIGKILL)
            }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: deadline)
        defer { deadline.cancel() }
        return await withCheckedContinuation { waiter in
            let end = state.withLock { state -> End? in
                if state.end == nil { state.waiters.append(waiter) }
                return state.end
            }
            if let end { waiter.resume(returning: end) }
        }
    }

    /// Runs a program to its end and returns its standard output.
    ///
    /// - Throws: what it printed, unless it exits with 0.
    @discardableResult
    public static func output(
        of arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment,
        folder: String? = nil, within seconds: Double = 60
    ) async throws -> String {
        let files = TemporaryFolder()
        let child = try ChildProcess(
            arguments, environment: environment, folder: folder, output: files.path("out"), errors: files.path("err"))
        let end = await child.end(within: seconds)
        let output = try files.text("out")
        guard end == .exited(0) else {
            throw Failure.ended(arguments[0], end, output: output + (try files.text("err")))
        }
        return output
    }
}
