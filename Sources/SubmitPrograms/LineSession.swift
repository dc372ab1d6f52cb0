public import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import Subprocess
internal import SystemPackage

/// A program that runs for long and is spoken to in lines, over its standard input and output.
///
/// It is started, and ended, as ``ProgramCall`` does it, and inherits our environment. Whoever speaks blocks a thread; one may speak at a time. A line
/// longer than 64 KiB ends the talk.
public final class LineSession: Sendable {
    public static let longestLine = 64 << 10

    private struct State {
        var received: [UInt8] = []
        var complaint: [UInt8] = []
        var failure: SubmitFailure?
        var isStarted = false
        var isOver = false
    }

    private let program: String
    private let input: CInt
    private let output: CInt
    private let state = Locked(State())
    private let running = Locked<Task<Void, Never>?>(nil)

    /// Starts a program. Whether that succeeded shows when it is spoken to.
    public init(_ program: String, _ arguments: [String] = []) throws(SubmitFailure) {
        _ = ProgramCall.brokenPipesAreErrors
        var (toChild, fromChild): ([CInt], [CInt]) = ([-1, -1], [-1, -1])
        guard pipe(&toChild) == 0 else { throw Self.noPipe(program) }
        guard pipe(&fromChild) == 0 else {
            for descriptor in toChild { close(descriptor) }
            throw Self.noPipe(program)
        }
        self.program = program
        input = toChild[1]
        output = fromChild[0]
        for descriptor in toChild + fromChild { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        for descriptor in [input, output] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        let ends = (FileDescriptor(rawValue: toChild[0]), FileDescriptor(rawValue: fromChild[1]))
        let state = state
        let call = ProgramCall(program, arguments, environment: [:], inheritsEnvironment: true)
        let trace = ProgramTrace(program, arguments)
        running.withLock { running in
            running = Task.detached {
                let failure = await Self.attend(call, ends.0, ends.1, state, trace)
                state.withLock { state in
                    state.failure = failure
                    state.isOver = true
                }
            }
        }
    }

    /// Runs it on these descriptors, which it takes over, to its end or the task's cancellation.
    ///
    /// - Returns: why it could not be started.
    private static func attend(
        _ call: ProgramCall, _ input: FileDescriptor, _ output: FileDescriptor, _ state: Locked<State>,
        _ trace: ProgramTrace?
    ) async -> SubmitFailure? {
        do throws(ProgramFailure) {
            let (_, status) = try await call.running(
                input: .fileDescriptor(input, closeAfterSpawningProcess: true),
                output: .fileDescriptor(output, closeAfterSpawningProcess: true), error: .sequence
            ) { execution in
                state.withLock { $0.isStarted = true }
                do {
                    for try await buffer in execution.standardError {
                        let piece = buffer.bytes.withUnsafeBytes { Array($0) }
                        state.withLock {
                            $0.complaint = KnownSecrets.end(
                                of: $0.complaint + piece, most: ProgramCall.longestComplaint)
                        }
                    }
                } catch {}
            }
            trace?.ended(status, complaint: state.withLock { $0.complaint })
            return nil
        } catch {
            trace?.failed(error)
            return error == .cancelled ? nil : error.failure(of: call.program)
        }
    }

    private static func noPipe(_ program: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "program-failed",
            message: "The program “\(program)” could not be spoken to (\(Errno(rawValue: errno))); try again.")
    }

    deinit {
        running.withLock { $0 }?.cancel()
        close(input)
        close(output)
    }

    /// The end of what it wrote to its standard error.
    public var complaint: [UInt8] { state.withLock { $0.complaint } }

    /// Ends it at once.
    public func abandon() async {
        guard let running = running.withLock({ $0 }) else { return }
        running.cancel()
        await running.value
    }

    // MARK: - Speaking

    /// Writes a line.
    ///
    /// - Parameter isCancelled: asked ten times a second.
    public func send(_ line: String, within patience: Duration, isCancelled: () -> Bool) throws(SubmitFailure) {
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        let deadline = ContinuousClock.now + patience
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { write(input, $0.baseAddress! + written, $0.count - written) }
            if count > 0 {
                written += count
            } else if errno == EAGAIN {
                try wait(for: input, CInt(POLLOUT), until: deadline, isCancelled)
            } else if errno != EINTR {
                throw over()
            }
        }
    }

    /// Reads a line, without its end.
    ///
    /// - Throws: when there is none in time, the program ended, or the line is too long or not UTF-8.
    public func receive(within patience: Duration, isCancelled: () -> Bool) throws(SubmitFailure) -> String {
        try awaitStart(isCancelled)
        let deadline = ContinuousClock.now + patience
        var searched = 0
        while true {
            let (line, count) = state.withLock { state -> ([UInt8]?, Int) in
                guard let end = state.received[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
                    return (nil, state.received.count)
                }
                let line = Array(state.received[..<end])
                state.received.removeFirst(end + 1)
                return (line, 0)
            }
            if let line { return try text(line) }
            searched = count
            guard count <= Self.longestLine else { throw broken("wrote a line of more than \(Self.longestLine) bytes") }
            var buffer = [UInt8](repeating: 0, count: 16 << 10)
            let length = read(output, &buffer, buffer.count)
            if length > 0 {
                state.withLock { $0.received += buffer.prefix(length) }
            } else if length == 0 {
                throw over()
            } else if errno == EAGAIN {
                if state.withLock({ $0.isOver }) { throw over() }
                try wait(for: output, CInt(POLLIN), until: deadline, isCancelled)
            } else if errno != EINTR {
                throw over()
            }
        }
    }

    /// Returns when the program is started, or cannot be: its time to answer does not run before.
    private func awaitStart(_ isCancelled: () -> Bool) throws(SubmitFailure) {
        while !state.withLock({ $0.isStarted || $0.isOver }) {
            if isCancelled() { throw .cancelled }
            _ = poll(nil, 0, 10)
        }
    }

    private func text(_ line: [UInt8]) throws(SubmitFailure) -> String {
        var line = line[...]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard let text = String(validating: line, as: UTF8.self) else { throw broken("wrote a line that is not UTF-8") }
        return text
    }

    private func wait(
        for descriptor: CInt, _ event: CInt, until deadline: ContinuousClock.Instant, _ isCancelled: () -> Bool
    ) throws(SubmitFailure) {
        if isCancelled() { throw .cancelled }
        guard ContinuousClock.now < deadline else { throw broken("did not answer in time") }
        var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        _ = poll(&request, 1, 100)
    }

    /// A failure that blames the program, after which it is not to be spoken to.
    public func broken(_ what: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "program-broken",
            message: "The program “\(program)” \(what); see whether it works by itself.")
    }

    private func over() -> SubmitFailure {
        // Why it could not be started, or what it complained of, is known a moment after its pipes are closed.
        for round in 0..<600 {
            let isSettled = state.withLock { $0.isOver || $0.isStarted && round >= 20 }
            if isSettled { break }
            _ = poll(nil, 0, 50)
        }
        let (failure, complaint) = state.withLock { ($0.failure, $0.complaint) }
        let said = ForeignText.lastLine(of: complaint).map { ": “\($0)”" } ?? ""
        return failure ?? broken("ended too early\(said)")
    }
}
