internal import CLinux
internal import SubmitConcurrency
internal import SubmitPixels
internal import SubmitPlatform
internal import SystemPackage

/// One process of `submit-media`, which ends with this value.
final class MediaSession: Sendable {
    /// What it works with.
    let engine: String
    /// Whether the kernel keeps it from all but its work.
    let isConfined: Bool
    private let socket: CInt
    private let process: HelperProcess
    private let asked = Locked(0)

    var number: pid_t { process.number }

    /// What was asked of it.
    var jobs: Int { asked.withLock { $0 } }

    /// How long it may take to start: libraries come from a disk that may be busy.
    private static let startingTime = Duration.seconds(20)

    /// Starts it and hears whether it can work.
    init(_ path: FilePath) throws(PixelFailure) {
        guard access(path.string, X_OK) == 0 else {
            throw .unavailable("there is no \(path), which comes with submit: install it beside it")
        }
        var ends: [CInt] = [-1, -1]
        let error = submit_make_message_pair(&ends)
        guard error == 0 else { throw .passing("no socket can be opened (\(Errno(rawValue: error)))") }
        socket = ends[0]
        do throws(Errno) {
            defer { close(ends[1]) }
            process = try HelperProcess(path, input: ends[1])
        } catch {
            close(ends[0])
            throw Self.cannotStart(path, error)
        }
        do throws(PixelFailure) {
            (engine, isConfined) = try Self.firstWord(of: path, process, ends[0])
        } catch {
            close(ends[0])
            throw error
        }
    }

    /// Whatever it is at is nothing that anybody waits for.
    deinit { close(socket) }

    private static func cannotStart(_ path: FilePath, _ error: Errno) -> PixelFailure {
        switch error {
        case .noSuchFileOrDirectory, .permissionDenied, .notDirectory, Errno(rawValue: ENOEXEC):
            .unavailable("\(path) cannot be run (\(error)): install it anew")
        case .canceled: .cancelled
        default: .passing("submit-media cannot be started (\(error))")
        }
    }

    private static func firstWord(
        of path: FilePath, _ process: HelperProcess, _ socket: CInt
    ) throws(PixelFailure) -> (engine: String, isConfined: Bool) {
        let answer: PixelAnswer
        do throws(Silence) {
            answer = try Self.answer(socket, within: startingTime, { false })
        } catch {
            let end = process.end()
            if error == .late || end == .killed(SIGKILL) || end == .exited(PixelJob.statusToTryAgain) {
                throw .passing("submit-media did not start within \(startingTime)")
            }
            throw .unavailable("\(path) ended at once: install it anew")
        }
        switch answer {
        case .ready(let engine, let isConfined): return (engine, isConfined)
        case .missing(let why) where Errno.ofScarcity.contains { why.contains($0.description) }:
            throw .passing("submit-media could not load libvips (\(why))")
        case .missing(let why): throw .unavailable("submit-media cannot use libvips (\(why)): install libvips42")
        case .made, .failed: throw .unavailable("\(path) is another program: install it anew")
        }
    }

    /// - Throws: what became of it; with all but ``PixelFailure/cancelled`` it is of no more use.
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
        guard error == 0 || error == EPIPE || error == ECONNRESET else {
            throw .passing("submit-media could not be told of it (\(Errno(rawValue: error)))")
        }
        do throws(Silence) {
            return try Self.answer(socket, within: patience, isCancelled)
        } catch {
            switch error {
            case .late: throw .late
            case .cancelled: throw .cancelled
            case .ended: throw failure(process.end())
            }
        }
    }

    /// What it means that it has ended while it was at a photo.
    private func failure(_ end: HelperProcess.End?) -> PixelFailure {
        switch end {
        case .killed(SIGXCPU): .late
        case .killed(SIGBUS): .trouble(.unreadable, "it became shorter, or its disk failed, while it was read")
        case .killed(SIGKILL): .passing("submit-media was killed, as the system does where memory is short")
        default: .died
        }
    }

    // MARK: Waiting

    /// Why there is no answer.
    private enum Silence: Error { case ended, late, cancelled }

    private static func answer(
        _ socket: CInt, within patience: Duration, _ isCancelled: () -> Bool
    ) throws(Silence) -> PixelAnswer {
        // Nothing is made while the machine sleeps.
        let deadline = SuspendingClock.now + patience
        while true {
            if isCancelled() { throw .cancelled }
            guard SuspendingClock.now < deadline else { throw .late }
            var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            if poll(&wait, 1, 100) > 0 { break }
        }
        var message = [CChar](repeating: 0, count: PixelJob.longestMessage)
        let count = submit_receive(socket, &message, message.count, nil, 0)
        guard count > 0,
            let answer = PixelAnswer(
                String(decoding: message[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self))
        else { throw .ended }
        return answer
    }
}

extension Errno {
    /// What a machine says that is short of something.
    fileprivate static let ofScarcity: [Errno] = [.noMemory, .tooManyOpenFiles, .tooManyOpenFilesInSystem]
}
