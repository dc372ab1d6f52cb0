internal import Dispatch
internal import Submit
internal import SubmitConcurrency
public import SubmitPixels
internal import SubmitPlatform
public import SystemPackage

/// `submit-media`, started where it is needed and ended when nothing was asked of it for a while. It gets photos as open
/// descriptors, no environment and no path.
///
/// A process that has seen one photo is asked for others, as its start takes as long as a small one. A hostile photo that has made
/// it its own gains little by that: it opens no file and no connection, nobody hears what it keeps, which is gone when it ends, a
/// few seconds after the last photo, and its descriptors of earlier photos are closed. What is left to it is to lie: to put something
/// of one photo into what is made of the next. Where photos of one must never meet those of another, each has a `MediaProgram`.
public final class MediaProgram: PixelRenderer {
    private let path: FilePath
    private let patience: Duration
    private let grudge: Duration
    private let idle = Locked<[Idle]>([])
    private let examined = Locked<LastLook?>(nil)
    /// One at a time finds out whether it is there.
    private let examining = DispatchSemaphore(value: 1)
    private let numbers = Locked<UInt64>(0)
    /// Photos that are decoded at once: large ones take gigabytes.
    private let turns = DispatchSemaphore(value: mostAtOnce)

    /// A process that has nothing to do.
    private struct Idle {
        let session: MediaSession
        let number: UInt64
    }

    private struct LastLook {
        var missing: String?
        var isConfined = false
        let time: SuspendingClock.Instant
    }

    /// Processes that are kept for more work.
    private static let mostIdle = 2
    /// How long they are.
    private static let idleTime = Duration.seconds(5)
    /// Photos after which a process has done its work: what libraries lose of memory is lost with it.
    private static let mostJobs = 200

    private static let mostAtOnce: Int = {
        let memory = Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE)))
        return max(1, min(sysconf(Int32(_SC_NPROCESSORS_ONLN)), Int(memory >> 30)))
    }()

    /// - Parameters:
    ///   - path: where the program is; `nil`: beside the running one.
    ///   - patience: how long it may be at one photo.
    ///   - grudge: how long it counts that it could not be used: it may be installed meanwhile.
    public init(path: FilePath? = nil, patience: Duration = .seconds(300), grudge: Duration = .seconds(5)) {
        self.path = path ?? Self.own
        self.patience = patience
        self.grudge = grudge
    }

    private static var own: FilePath {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = FilePath(String(decoding: buffer[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self))
        return own.removingLastComponent().appending("submit-media")
    }

    public var unavailable: String? { examination?.missing }

    /// Whether the kernel keeps it from all but its work; `nil` where it does not run here.
    public var isConfined: Bool? { examination.flatMap { $0.missing == nil ? $0.isConfined : nil } }

    /// `nil` where nothing can be told now: that is no reason to refuse anything.
    private var examination: LastLook? {
        examining.wait()
        defer { examining.signal() }
        if let known = examined.withLock({ $0 }), known.missing == nil || .now < known.time + grudge { return known }
        let found: LastLook?
        do throws(PixelFailure) {
            let session = try MediaSession(path)
            put(session)
            found = LastLook(isConfined: session.isConfined, time: .now)
        } catch {
            found = if case .unavailable(let why) = error { LastLook(missing: why, time: .now) } else { nil }
        }
        examined.withLock { $0 = found }
        return found
    }

    // MARK: Asking

    public func render(
        _ job: PixelJob, from input: CInt, to output: CInt, isCancelled: () -> Bool
    ) throws(PixelFailure) -> (result: PixelResult, engine: String) {
        while turns.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            if isCancelled() { throw .cancelled }
        }
        defer { turns.signal() }
        let used = take()
        do throws(PixelFailure) {
            let session = if let used { used } else { try MediaSession(path) }
            return try ask(session, job, input, output, isCancelled)
        } catch {
            guard error.deservesAnother(isFirst: used == nil), ftruncate(output, 0) == 0 else { throw error }
        }
        lseek(output, 0, SEEK_SET)
        return try ask(MediaSession(path), job, input, output, isCancelled)
    }

    private func ask(
        _ session: MediaSession, _ job: PixelJob, _ input: CInt, _ output: CInt, _ isCancelled: () -> Bool
    ) throws(PixelFailure) -> (result: PixelResult, engine: String) {
        lseek(input, 0, SEEK_SET)
        let answer = try session.ask(job, [input, output], within: patience, isCancelled)
        switch answer {
        case .made(let result):
            keep(session)
            return (result, session.engine)
        case .failed(let trouble, let why):
            keep(session)
            throw .trouble(trouble, why)
        case .ready, .missing: throw .died
        }
    }

    // MARK: Processes

    /// The processes that wait for work.
    package var processes: [CInt] { idle.withLock { $0.map(\.session.number) } }

    private func take() -> MediaSession? { idle.withLock { $0.popLast()?.session } }

    private func keep(_ session: MediaSession) {
        if session.jobs < Self.mostJobs { put(session) }
    }

    private func put(_ session: MediaSession) {
        let number = numbers.withLock { number in
            number += 1
            return number
        }
        // What is no longer kept ends outside, as that takes a moment.
        let ended = idle.withLock { idle in
            idle.append(Idle(session: session, number: number))
            return idle.count > Self.mostIdle ? idle.removeFirst() : nil
        }
        withExtendedLifetime(ended) {}
        Task.detached(executorPreference: BlockingThreads.prompts) { [weak self] in
            try? await Task.sleep(for: Self.idleTime)
            let ended = self?.idle.withLock { idle in
                idle.firstIndex { $0.number == number }.map { idle.remove(at: $0) }
            }
            withExtendedLifetime(ended) {}
        }
    }
}

extension PixelFailure {
    /// Whether a photo is tried once more, in a process that has seen no other: what an earlier photo has broken is not held
    /// against this one, and a process may end by itself.
    ///
    /// - Parameter isFirst: it was the first photo of its process.
    fileprivate func deservesAnother(isFirst: Bool) -> Bool {
        switch self {
        case .died, .passing: true
        case .late, .trouble(.damaged, _), .trouble(.memory, _), .trouble(.unreadable, _): !isFirst
        case .trouble, .unavailable, .cancelled: false
        }
    }
}
