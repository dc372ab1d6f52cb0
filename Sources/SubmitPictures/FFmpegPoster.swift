internal import Dispatch
internal import Submit
internal import SubmitConcurrency
public import SubmitPixels
internal import SubmitPlatform
internal import SubmitPrograms
internal import SystemPackage

/// Pictures of films by `ffmpeg`, which gets the film as an open descriptor, no environment, bounded memory and time, and no
/// leave to open anything else.
public struct FFmpegPoster: PosterMaker {
    private let program: String
    private let patience: Duration

    /// - Parameters:
    ///   - program: a name to be looked for where programs of the system are, or a path.
    ///   - patience: how long it may be at one film.
    public init(program: String = "ffmpeg", patience: Duration = .seconds(60)) {
        self.program = program
        self.patience = patience
    }

    private static let places = ["/usr/local/bin", "/usr/bin", "/bin"]

    private var path: String? {
        let paths = program.contains("/") ? [program] : Self.places.map { "\($0)/\(program)" }
        return paths.first { access($0, X_OK) == 0 }
    }

    public var unavailable: String? {
        path == nil ? "there is no ffmpeg here: install ffmpeg" : nil
    }

    /// How ffmpeg calls what each is: it reads no other, whatever the file says that it is.
    private static let demuxers = [
        "video/quicktime": "mov", "video/mp4": "mov", "video/x-m4v": "mov", "video/3gpp": "mov", "video/3gpp2": "mov",
        "video/x-matroska": "matroska", "video/webm": "matroska", "video/x-msvideo": "avi", "video/mp2t": "mpegts",
        "video/mpeg": "mpeg", "video/x-ms-wmv": "asf", "video/x-ms-asf": "asf",
    ]

    public var mimes: Set<String> { Set(Self.demuxers.keys) }

    public func poster(
        of mime: String, from input: CInt, to output: CInt, isCancelled: () -> Bool
    ) throws(PixelFailure) -> String {
        guard let path, let demuxer = Self.demuxers[mime] else {
            throw .unavailable(unavailable ?? "ffmpeg reads no \(mime)")
        }
        var call = ProgramCall(
            "/usr/bin/prlimit",
            ["--as=4294967296", "--cpu=120", "--core=0", path]
                + ["-nostdin", "-v", "error", "-threads", "2", "-protocol_whitelist", "file,pipe", "-f", demuxer]
                // It opens its standard input anew, so that it can go back and forth in it, and from its beginning.
                + ["-i", "/dev/stdin", "-map", "0:v:0", "-an", "-sn", "-dn", "-frames:v", "1"]
                // Of the first frames the one that is most like the others: films begin in the dark.
                + ["-vf", "thumbnail=24", "-pix_fmt", "rgb24", "-c:v", "png", "-f", "image2pipe", "-"],
            environment: ["PATH": Self.places.joined(separator: ":")])
        call.patience = .zero
        let ended = Locked<Result<ProgramResult.Ending, ProgramFailure>?>(nil)
        let version = Locked("ffmpeg")
        let signal = DispatchSemaphore(value: 0)
        let running = Task.detached(executorPreference: BlockingThreads.prompts) { [call] in
            let named = await Self.version(of: path)
            version.withLock { $0 = named }
            do throws(ProgramFailure) {
                let status = try await call.end(
                    input: FileDescriptor(rawValue: input), output: FileDescriptor(rawValue: output))
                ended.withLock { $0 = .success(status) }
            } catch {
                ended.withLock { $0 = .failure(error) }
            }
            signal.signal()
        }
        let deadline = SuspendingClock.now + patience
        var isLate = false
        while signal.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            isLate = isLate || SuspendingClock.now > deadline
            if isLate || isCancelled() { running.cancel() }
        }
        if isCancelled() { throw .cancelled }
        if isLate { throw .late }
        switch ended.withLock({ $0 }) {
        case .success(.exited(0)) where lseek(output, 0, SEEK_END) > 0: break
        case .success(.killed(Int(SIGXCPU))): throw .late
        case .success(.killed): throw .died
        case .success where Self.isFull(output): throw .trouble(.unwritable, "its disk is full")
        case .success: throw .trouble(.damaged, "ffmpeg finds no picture in it")
        case .failure, nil: throw .passing("ffmpeg cannot be started")
        }
        return version.withLock { $0 }
    }

    /// Whether a picture of the largest films would not fit there: ffmpeg does not say of what it died.
    private static func isFull(_ output: CInt) -> Bool {
        var space = statvfs()
        // A file in memory has no disk.
        return fstatvfs(output, &space) == 0 && space.f_blocks > 0
            && UInt64(space.f_bavail) * UInt64(space.f_frsize) < 64 << 20
    }

    private static let versions = Locked<[String: String]>([:])

    /// `ffmpeg 5.1.9-0+deb12u1`
    private static func version(of path: String) async -> String {
        if let known = versions.withLock({ $0[path] }) { return known }
        let call = ProgramCall(path, ["-version"], environment: [:], longestOutput: 200, life: .seconds(10))
        let output = (try? await call.end())?.output ?? []
        let words = String(decoding: output, as: UTF8.self).split(separator: " ")
        let version = words.count > 2 && words[1] == "version" ? "ffmpeg \(words[2])" : "ffmpeg"
        versions.withLock { $0[path] = version }
        return version
    }
}
