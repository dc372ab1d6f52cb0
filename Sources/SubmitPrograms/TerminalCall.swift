internal import SubmitPlatform
internal import SystemPackage

/// A program that runs on our terminal, so that it can ask a person, and that the calling thread waits for.
///
/// It runs without a shell, in our session, with our standard input and error. When its time is up, or it prints more than
/// it may, it is killed; what it started is not. Nothing of this runs on the threads that tasks share: all of them may
/// wait here.
public struct TerminalCall: Sendable {
    /// A name to be looked for on `PATH`, or a path.
    public let program: String
    /// What it is told, without its own name.
    public let arguments: [String]
    /// All that it gets.
    public let environment: [String: String]
    /// Bytes that it may print.
    public let longestOutput: Int
    /// How long it may take.
    public let life: Duration

    /// - Parameter environment: all that it gets of it.
    public init(
        _ program: String, _ arguments: [String], environment: [String: String], longestOutput: Int, life: Duration
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.longestOutput = longestOutput
        self.life = life
    }

    /// Runs it to its end.
    ///
    /// - Throws: that it cannot be run.
    public func end() throws(ProgramFailure) -> ProgramResult {
        let trace = ProgramTrace(program, arguments)
        do throws(ProgramFailure) {
            let end = try untracedEnd()
            trace?.ended(end.status)
            return end
        } catch {
            trace?.failed(error)
            throw error
        }
    }

    private func untracedEnd() throws(ProgramFailure) -> ProgramResult {
        let (reading, writing): (FileDescriptor, FileDescriptor)
        do throws(Errno) {
            (reading, writing) = try FileDescriptor.pipe(options: .closeOnExec)
        } catch {
            throw .notStarted(error)
        }
        defer { try? reading.close() }
        let child: pid_t
        do throws(Errno) {
            defer { try? writing.close() }
            child = try start(writing.rawValue)
        } catch {
            throw .notStarted(error)
        }
        let output = output(of: reading)
        if output.isCut || output.isLate { kill(child, SIGKILL) }
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let signal = Int(status & 0x7f)
        let end =
            output.isLate ? ProgramResult.Ending.late : signal == 0 ? .exited(Int(status >> 8) & 0xff) : .killed(signal)
        return ProgramResult(status: end, output: output.bytes, isCut: output.isCut, complaint: [], readAll: true)
    }

    private func start(_ output: CInt) throws(Errno) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // We ignore it; it should not.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let argv = ([program] + arguments).map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var child: pid_t = 0
        let error = posix_spawnp(&child, program, &actions, &attributes, argv, envp)
        guard error == 0 else { throw Errno(rawValue: error) }
        return child
    }

    /// What it prints until it closes its output, it is too much or takes too long.
    private func output(of file: FileDescriptor) -> (bytes: [UInt8], isCut: Bool, isLate: Bool) {
        let end = ContinuousClock.now + life
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return (bytes, false, true) }
            var state = pollfd(fd: file.rawValue, events: Int16(POLLIN), revents: 0)
            let ready = poll(&state, 1, CInt(clamping: left.components.seconds * 1000 + 1))
            if ready < 0, errno == EINTR { continue }
            guard ready >= 0 else { return (bytes, false, true) }
            if ready == 0 { continue }
            let count = read(file.rawValue, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return (bytes, false, false) }
            bytes += buffer.prefix(count)
            if bytes.count > longestOutput { return (Array(bytes.prefix(longestOutput)), true, false) }
        }
    }
}
