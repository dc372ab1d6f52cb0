internal import CLinux
internal import Dispatch
internal import Submit
internal import SubmitConcurrency
public import SubmitPixels
internal import SubmitPlatform
internal import Subprocess
public import SystemPackage

/// `submit-media`, started where it is needed and ended when nothing was asked of it for a while. It gets photos as open
/// descriptors, no environment and no path.
public final class MediaProgram: PixelRenderer {
    private let path: FilePath
    private let patience: Duration
    private let idle = Locked<[Idle]>([])
    private let examined = Locked<String??>(nil)

    /// A process that has nothing to do.
    private struct Idle {
        let session: MediaSession
        let number: UInt64
    }

    private let numbers = Locked<UInt64>(0)
    /// Photos that are decoded at once: each may take a gigabyte.
    private let turns = DispatchSemaphore(value: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// Processes that are kept for more work.
    private static let mostIdle = 2
    /// How long they are.
    private static let idleTime = Duration.seconds(5)
    /// Photos after which a process has done its work: what libraries lose of memory is lost with it.
    private static let mostJobs = 200

    /// - Parameters:
    ///   - path: where the program is; `nil`: beside the running one.
    ///   - patience: how long it may be at one photo.
    public init(path: FilePath? = nil, patience: Duration = .seconds(120)) {
        self.path = path ?? Self.own
        self.patience = patience
    }

    private static var own: FilePath {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = FilePath(String(decoding: buffer[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self))
        return own.removingLastComponent().appending("submit-media")
    }

    public var unavailable: String? {
        examined.withLock { examined in
            if let known = examined { return known }
            do throws(PixelFailure) {
                let session = try MediaSession(path)
                put(session)
                examined = .some(nil)
                return nil
            } catch {
                let why = if case .unavailable(let why) = error { why } else { "\(path) does not answer" }
                examined = .some(why)
                return why
            }
        }
    }

    public func render(
        _ job: PixelJob, from input: CInt, to output: CInt, isCancelled: () -> Bool
    ) throws(PixelFailure) -> (result: PixelResult, engine: String) {
        while turns.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            if isCancelled() { throw .cancelled }
        }
        defer { turns.signal() }
        // What an earlier photo has broken is not held against this one: it has a second try, in a process of its own.
        if let session = take() {
            do throws(PixelFailure) {
                return try ask(session, job, input, output, isCancelled)
            } catch {
                guard error == .died, ftruncate(output, 0) == 0 else { throw error }
            }
            lseek(output, 0, SEEK_SET)
        }
        return try ask(MediaSession(path), job, input, output, isCancelled)
    }

    private func ask(
        _ session: MediaSession, _ job: PixelJob, _ input: CInt, _ output: CInt, _ isCancelled: () -> Bool
    ) throws(PixelFailure) -> (result: PixelResult, engine: String) {
        let answer = try session.ask(job, [input, output], within: patience, isCancelled)
        if session.jobs < Self.mostJobs { put(session) }
        switch answer {
        case .made(let result): return (result, session.engine)
        case .failed(let trouble, let why): throw .trouble(trouble, why)
        case .ready, .missing: throw .died
        }
    }

    /// The processes that wait for work.
    package var processes: [CInt] { idle.withLock { $0.compactMap(\.session.process) } }

    private func take() -> MediaSession? { idle.withLock { $0.popLast()?.session } }

    private func put(_ session: MediaSession) {
        let number = numbers.withLock { number in
            number += 1
            return number
        }
        idle.withLock { $0 = ($0 + [Idle(session: session, number: number)]).suffix(Self.mostIdle) }
        Task.detached { [weak self] in
            try? await Task.sleep(for: Self.idleTime)
            self?.idle.withLock { $0.removeAll { $0.number == number } }
        }
    }
}

/// One process of `submit-media`, which ends with this value.
private final class MediaSession: Sendable {
    /// What it works with.
    let engine: String
    private let socket: CInt
    private let running: Task<Void, Never>
    private let asked = Locked(0)
    private let identity: Locked<CInt?>

    var process: CInt? { identity.withLock { $0 } }

    /// What was asked of it.
    var jobs: Int { asked.withLock { $0 } }

    /// Starts it and hears whether it can work.
    init(_ path: FilePath) throws(PixelFailure) {
        guard access(path.string, X_OK) == 0 else {
            throw .unavailable("there is no \(path), which comes with submit: install it beside it")
        }
        var ends: [CInt] = [-1, -1]
        let error = submit_make_message_pair(&ends)
        guard error == 0 else { throw .unavailable("no socket can be opened (\(Errno(rawValue: error)))") }
        let call = ProgramCall(path.string, [], environment: [:])
        let theirs = FileDescriptor(rawValue: ends[1])
        socket = ends[0]
        let identity = Locked<CInt?>(nil)
        self.identity = identity
        // Whoever waits for its first word may hold the threads that tasks share.
        running = Task.detached(executorPreference: BlockingThreads.prompts) {
            _ = try? await call.running(
                input: .fileDescriptor(theirs, closeAfterSpawningProcess: true), output: .discarded, error: .discarded
            ) { execution in
                identity.withLock { $0 = execution.processIdentifier.value }
            }
        }
        do throws(PixelFailure) {
            switch try Self.answer(socket, within: .seconds(20), { false }) {
            case .ready(let engine): self.engine = engine
            case .missing(let why):
                throw .unavailable("submit-media cannot use libvips (\(why)): install libvips42")
            case .made, .failed: throw .died
            }
        } catch {
            close(socket)
            running.cancel()
            throw error == .died ? .unavailable("\(path) ended at once: install it anew") : error
        }
    }

    /// Closed, its socket tells it to end; a process that does not listen is killed.
    deinit {
        close(socket)
        running.cancel()
    }

    func ask(
        _ job: PixelJob, _ descriptors: [CInt], within patience: Duration, _ isCancelled: () -> Bool
    ) throws(PixelFailure) -> PixelAnswer {
        asked.withLock { $0 += 1 }
        var text = String(describing: job)
        let error = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                submit_send(socket, $0.baseAddress, $0.count, descriptors, CInt(descriptors.count))
            }
        }
        guard error == 0 else { throw .died }
        return try Self.answer(socket, within: patience, isCancelled)
    }

    private static func answer(
        _ socket: CInt, within patience: Duration, _ isCancelled: () -> Bool
    ) throws(PixelFailure) -> PixelAnswer {
        let deadline = ContinuousClock.now + patience
        while true {
            if isCancelled() { throw .cancelled }
            guard ContinuousClock.now < deadline else { throw .late }
            var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            if poll(&wait, 1, 100) > 0 { break }
        }
        var message = [CChar](repeating: 0, count: PixelJob.longestMessage)
        let count = submit_receive(socket, &message, message.count, nil, 0)
        guard count > 0,
            let answer = PixelAnswer(
                String(decoding: message[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self))
        else { throw .died }
        return answer
    }
}
