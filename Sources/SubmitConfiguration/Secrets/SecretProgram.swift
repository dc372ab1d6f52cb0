internal import Foundation
internal import Glibc
internal import Submit
internal import SubmitPrograms
internal import SystemPackage

/// A program of the user's that prints a secret, such as `pass show photos`.
///
/// It runs without a shell, on our terminal so that it can ask for what opens its store, and without the environment
/// variables that hold our own secrets. What it prints on its standard output is shown nowhere.
struct SecretProgram: Sendable {
    /// The program and its arguments.
    private let words: [String]
    private let environment: [String: String]
    private let life: Duration

    /// - Parameter life: how long it may take; a person may have to type something meanwhile.
    /// - Returns: `nil` for text that cannot be split into words, as a shell does it.
    init?(_ text: String, environment: [String: String], life: Duration = .seconds(120)) {
        guard let words = ShellWords.split(text), !words.isEmpty else { return nil }
        self.words = words
        self.environment = environment.filter { !$0.key.hasPrefix("SUBMIT_") }
        self.life = life
    }

    private static let longest = 64 << 10

    /// Runs it, and returns the first line of what it prints.
    ///
    /// - Parameter key: the name of the setting it stands for, such as “password_command of “shop””.
    /// - Throws: when it cannot be run, fails or prints nothing. What it printed is not shown.
    func firstLine(for key: String) throws(SubmitFailure) -> String {
        let name = words[0]
        guard let pipe = try? FileDescriptor.pipe() else { throw failure(key, "cannot be run") }
        let (reading, writing) = pipe
        defer { try? reading.close() }
        for end in [reading, writing] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        let child: pid_t
        do throws(Errno) {
            defer { try? writing.close() }
            child = try spawn(writing.rawValue)
        } catch {
            throw failure(key, "cannot be run: “\(name)” (\(error))")
        }
        let output = output(of: reading)
        if output == nil { kill(child, SIGKILL) }
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard let output else { throw failure(key, "printed too much or took longer than \(life)") }
        guard status == 0 else {
            let signal = status & 0x7f
            throw failure(
                key, signal == 0 ? "ended with \((status >> 8) & 0xff)" : "was ended by the signal \(signal)")
        }
        let line = output.prefix { $0 != 0x0a && $0 != 0x0d }
        guard !line.isEmpty, let text = String(validating: line, as: UTF8.self) else {
            throw failure(key, "printed no secret on its first line")
        }
        return text
    }

    private func failure(_ key: String, _ what: String) -> SubmitFailure {
        SubmitFailure(
            .park(.misconfigured, afterMilliseconds: nil), code: "secret-command",
            "The program of \(key) \(what): try it in a terminal.")
    }

    private func spawn(_ output: CInt) throws(Errno) -> pid_t {
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
        let argv = words.map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var child: pid_t = 0
        let error = posix_spawnp(&child, words[0], &actions, &attributes, argv, envp)
        guard error == 0 else { throw Errno(rawValue: error) }
        return child
    }

    /// What it prints until it closes its output; `nil` when that is too much or takes too long.
    private func output(of file: FileDescriptor) -> [UInt8]? {
        let end = ContinuousClock.now + life
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return nil }
            var state = pollfd(fd: file.rawValue, events: Int16(POLLIN), revents: 0)
            let ready = poll(&state, 1, CInt(clamping: left.components.seconds * 1000 + 1))
            if ready < 0, errno == EINTR { continue }
            guard ready >= 0 else { return nil }
            if ready == 0 { continue }
            let count = read(file.rawValue, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
            if bytes.count > Self.longest { return nil }
        }
    }
}
