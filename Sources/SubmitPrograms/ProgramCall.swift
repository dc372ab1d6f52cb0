internal import Glibc
public import Submit
internal import Subprocess
internal import SystemPackage

/// A program that a submitter runs, and waits for.
///
/// It runs without a shell, in a session of its own: no terminal to ask at, and one process group to end. When its time is
/// up or the task is cancelled, it and all that it started are told to end, and killed two seconds later. Whatever it
/// prints, memory stays bounded.
public struct ProgramCall: Sendable {
    /// A name to be looked for on `PATH`, or a path.
    public var program: String
    public var arguments: [String]
    /// What it gets besides our own environment.
    public var environment: [String: String]
    /// Bytes of its standard output that are kept; it may print more.
    public var longestOutput: Int
    /// How long it may take; `nil` for as long as it likes.
    public var life: Duration?

    /// Bytes of its standard error that are kept: the last ones.
    public static let longestComplaint = 8 << 10

    public init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], longestOutput: Int = 64 << 10,
        life: Duration? = nil
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.longestOutput = longestOutput
        self.life = life
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - bytes: what it finds on its standard input. Where their source fails, the program is ended before it can take
    ///     what came for all there is.
    ///   - sent: is told how many of them were handed over.
    ///   - take: gets its standard output instead of ``ProgramEnd/output``.
    /// - Throws: that the program cannot be run, the failure of `bytes`, or ``SubmitFailure/cancelled``.
    public func run(
        feeding bytes: (any MediaBytes)? = nil, sent: @escaping @Sendable (Int64) -> Void = { _ in },
        output take: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil
    ) async throws(SubmitFailure) -> ProgramEnd {
        if Task.isCancelled { throw .cancelled }
        let end = await withTaskGroup(of: Outcome.self) { group in
            group.addTask {
                let end = await start(feeding: bytes, sent, take)
                // Seen of programs that are there, where many were started at once.
                guard case .failed(.executableNotFound, _) = end, isThere else { return end }
                return await start(feeding: bytes, sent, take)
            }
            if let life {
                group.addTask {
                    try? await Task.sleep(for: life)
                    return .late
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .late
        }
        if Task.isCancelled { throw .cancelled }
        switch end {
        case .ended(let end): return end
        case .sourceFailed(let failure): throw failure
        case .late: return ProgramEnd(status: .late, output: [], isCut: false, complaint: [], readAll: false)
        case .failed(let code, let error): throw cannotRun(code, error)
        }
    }

    private var isThere: Bool {
        let path = environment["PATH"] ?? getenv("PATH").map { String(cString: $0) } ?? ""
        let places = program.contains("/") ? [program] : path.split(separator: ":").map { "\($0)/\(program)" }
        return places.contains { access($0, X_OK) == 0 }
    }

    private enum Outcome: Sendable {
        case ended(ProgramEnd)
        case sourceFailed(SubmitFailure)
        case failed(SubprocessError.Code, Errno?)
        case late
    }

    /// Whether a failure of ``run(feeding:sent:output:)`` says that not a step of the program was done.
    public static func neverRan(_ failure: SubmitFailure) -> Bool {
        failure.code == "program-missing" || failure.code == "program-failed"
    }

    private func cannotRun(_ code: SubprocessError.Code, _ error: Errno?) -> SubmitFailure {
        if code == .executableNotFound {
            return SubmitFailure(
                .park(.misconfigured, afterMilliseconds: nil), code: "program-missing",
                "The program “\(program)” cannot be found or run; install it, or give its full path.")
        }
        if error == .permissionDenied || error == .noSuchFileOrDirectory || error?.rawValue == ENOEXEC {
            return SubmitFailure(
                .park(.misconfigured, afterMilliseconds: nil), code: "program-missing",
                "The program “\(program)” cannot be run (\(error!)); see that it is there and may be executed.")
        }
        guard [.spawnFailed, .failedToChangeWorkingDirectory].contains(code) else {
            return SubmitFailure(
                .retry(afterMilliseconds: nil), code: "program-lost",
                "The program “\(program)” could not be run, or not be watched to its end"
                    + "\(error.map { " (\($0))" } ?? ""); try again.")
        }
        return SubmitFailure(
            .retry(afterMilliseconds: nil), code: "program-failed",
            "The program “\(program)” could not be run\(error.map { " (\($0))" } ?? ""); try again.")
    }

    private func start(
        feeding bytes: (any MediaBytes)?, _ sent: @escaping @Sendable (Int64) -> Void,
        _ take: (@Sendable (UnsafeRawBufferPointer) -> Void)?
    ) async -> Outcome {
        _ = Self.brokenPipesAreErrors
        let environment = Dictionary(
            uniqueKeysWithValues: environment.compactMap { name, value in
                Environment.Key(rawValue: name).map { ($0, Optional(value)) }
            })
        do {
            let result = try await Subprocess.run(
                program.contains("/") ? .path(FilePath(program)) : .name(program), arguments: Arguments(arguments),
                environment: .inherit.updating(environment), platformOptions: .ended(after: .seconds(2)),
                input: .inputWriter, output: .sequence, error: .sequence
            ) { execution in
                async let output = Self.beginning(of: execution.standardOutput, longestOutput, take)
                async let complaint = Self.ending(of: execution.standardError, Self.longestComplaint)
                let fed = await feed(bytes, to: execution.standardInputWriter, sent)
                if case .failure = fed {
                    await execution.teardown(
                        using: [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)])
                }
                try? await execution.standardInputWriter.finish()
                return await (fed, output, complaint)
            }
            let (fed, output, complaint) = result.closureResult
            switch fed {
            case .failure(let failure): return .sourceFailed(failure)
            case .success(let readAll):
                let status: ProgramEnd.Status =
                    switch result.terminationStatus {
                    case .exited(let code): .exited(Int(code))
                    case .signaled(let signal): .killed(Int(signal))
                    }
                return .ended(
                    ProgramEnd(
                        status: status, output: output.bytes, isCut: output.isCut, complaint: complaint,
                        readAll: readAll))
            }
        } catch let error as SubprocessError {
            return .failed(error.code, error.underlyingError)
        } catch {
            return .late
        }
    }

    /// Runs it on these descriptors, which it takes over, to its end or the task's cancellation.
    ///
    /// - Returns: why it could not be started.
    func serve(
        input: FileDescriptor, output: FileDescriptor, started: @escaping @Sendable () -> Void,
        complaint take: @escaping @Sendable ([UInt8]) -> Void
    ) async -> SubmitFailure? {
        let environment = Dictionary(
            uniqueKeysWithValues: environment.compactMap { name, value in
                Environment.Key(rawValue: name).map { ($0, Optional(value)) }
            })
        do {
            _ = try await Subprocess.run(
                program.contains("/") ? .path(FilePath(program)) : .name(program), arguments: Arguments(arguments),
                environment: .inherit.updating(environment), platformOptions: .ended(after: .seconds(2)),
                input: .fileDescriptor(input, closeAfterSpawningProcess: true),
                output: .fileDescriptor(output, closeAfterSpawningProcess: true), error: .sequence
            ) { execution in
                started()
                do {
                    for try await buffer in execution.standardError { buffer.bytes.withUnsafeBytes { take(Array($0)) } }
                } catch {}
            }
            return nil
        } catch let error as SubprocessError {
            return cannotRun(error.code, error.underlyingError)
        } catch {
            return nil
        }
    }

    /// Writing to a program that is gone must be an error, and not our end. A handler and not SIG_IGN, which it would
    /// inherit.
    static let brokenPipesAreErrors: Void = { _ = signal(SIGPIPE) { _ in } }()

    private static let piece = 256 << 10

    /// - Returns: whether the program took all of them.
    private func feed(
        _ bytes: (any MediaBytes)?, to writer: StandardInputWriter, _ sent: @Sendable (Int64) -> Void
    ) async -> Result<Bool, SubmitFailure> {
        guard let bytes else { return .success(true) }
        var offset: Int64 = 0
        do throws(SubmitFailure) {
            while offset < bytes.size {
                if Task.isCancelled { throw .cancelled }
                let piece = try bytes.bytes(at: offset, count: Int(min(Int64(Self.piece), bytes.size - offset)))
                guard !piece.isEmpty else {
                    try bytes.verifyUnchanged()
                    throw SubmitFailure(
                        .retry(afterMilliseconds: nil), code: "source-short",
                        "The source ended at \(offset) of \(bytes.size) bytes; try again.")
                }
                guard let written = try? await writer.write(piece), written == piece.count else {
                    return .success(false)
                }
                offset += Int64(written)
                sent(offset)
            }
            return .success(true)
        } catch {
            return .failure(error)
        }
    }

    private static func beginning(
        of output: SubprocessOutputSequence, _ limit: Int, _ take: (@Sendable (UnsafeRawBufferPointer) -> Void)?
    ) async -> (bytes: [UInt8], isCut: Bool) {
        var bytes: [UInt8] = []
        var isCut = false
        do {
            for try await buffer in output {
                buffer.bytes.withUnsafeBytes { piece in
                    if let take { return take(piece) }
                    isCut = isCut || bytes.count + piece.count > limit
                    bytes += piece.prefix(limit - bytes.count)
                }
            }
        } catch {}
        return (bytes, isCut)
    }

    private static func ending(of output: SubprocessOutputSequence, _ limit: Int) async -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            for try await buffer in output {
                buffer.bytes.withUnsafeBytes { bytes += $0.suffix(limit) }
                if bytes.count > 2 * limit { bytes.removeFirst(bytes.count - limit) }
            }
        } catch {}
        return Array(bytes.suffix(limit))
    }
}

extension PlatformOptions {
    /// A session of its own, told to end when the task is cancelled, and killed a while later.
    static func ended(after patience: Duration) -> PlatformOptions {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: patience)]
        return options
    }
}
