public import Submit
internal import SubmitPlatform
internal import Subprocess
package import SystemPackage

/// A program that is run, and waited for.
///
/// It runs without a shell, in a session of its own: no terminal to ask at, and one process group to end. When its time is
/// up or the task is cancelled, it and all that it started are told to end, and killed a while later. Whatever it prints,
/// memory stays bounded. ``TerminalCall`` is for one that may ask a person.
public struct ProgramCall: Sendable {
    /// A name to be looked for on `PATH`, or a path.
    public var program: String
    public var arguments: [String]
    /// All that it gets, unless it inherits our own environment besides.
    public var environment: [String: String]
    /// Whether it gets our own environment: for a program that was itself given only what it needs, as bridges are.
    public var inheritsEnvironment: Bool
    /// Bytes of its standard output that are kept.
    public var longestOutput: Int
    /// Whether it may print more, which is passed over. Else it is ended.
    public var mayPrintMore = true
    /// How long it may take; `nil` for as long as it likes.
    public var life: Duration?
    /// How long it may take to end when it is told to.
    public var patience = Duration.seconds(2)

    /// Bytes of its standard error that are kept: the last ones.
    public static let longestComplaint = 8 << 10

    public init(
        _ program: String, _ arguments: [String], environment: [String: String], inheritsEnvironment: Bool = false,
        longestOutput: Int = 64 << 10, life: Duration? = nil
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.inheritsEnvironment = inheritsEnvironment
        self.longestOutput = longestOutput
        self.life = life
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - bytes: what it finds on its standard input. Where their source fails, the program is ended before it can take
    ///     what came for all there is.
    ///   - sent: is told how many of them were handed over.
    ///   - take: gets its standard output instead of ``ProgramResult/output``.
    /// - Throws: that the program cannot be run, the failure of `bytes`, or ``SubmitFailure/cancelled``.
    public func run(
        feeding bytes: (any MediaBytes)? = nil, sent: @escaping @Sendable (Int64) -> Void = { _ in },
        output take: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil
    ) async throws(SubmitFailure) -> ProgramResult {
        do throws(ProgramFailure) {
            return try await end(feeding: bytes, sent: sent, output: take)
        } catch {
            throw error.failure(of: program)
        }
    }

    /// The same for whoever has words of its own for what goes wrong.
    public func end(
        feeding bytes: (any MediaBytes)? = nil, sent: @escaping @Sendable (Int64) -> Void = { _ in },
        output take: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil
    ) async throws(ProgramFailure) -> ProgramResult {
        if Task.isCancelled { throw .cancelled }
        let trace = ProgramTrace(program, arguments)
        do throws(ProgramFailure) {
            let end = try await untracedEnd(feeding: bytes, sent: sent, output: take)
            trace?.ended(end.status, complaint: end.complaint)
            return end
        } catch {
            trace?.failed(error)
            throw error
        }
    }

    private func untracedEnd(
        feeding bytes: (any MediaBytes)?, sent: @escaping @Sendable (Int64) -> Void,
        output take: (@Sendable (UnsafeRawBufferPointer) -> Void)?
    ) async throws(ProgramFailure) -> ProgramResult {
        let end = await withTaskGroup(of: Outcome.self) { group in
            group.addTask {
                let end = await start(feeding: bytes, sent, take)
                // Seen of programs that are there, where many were started at once.
                guard case .failed(.notFound) = end, isThere else { return end }
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
        case .failed(let trouble): throw trouble
        case .late: return ProgramResult(status: .late, output: [], isCut: false, complaint: [], readAll: false)
        }
    }

    /// Runs it to its end with nothing to read, and what it writes goes nowhere: for one that starts another, which stays.
    ///
    /// - Throws: that the program cannot be run, or ``ProgramFailure/cancelled``.
    public func leave() async throws(ProgramFailure) {
        _ = try await running(input: .none, output: .discarded, error: .discarded) { _ in }
    }

    private var isThere: Bool {
        let own = inheritsEnvironment ? getenv("PATH").map { String(cString: $0) } : nil
        let path = environment["PATH"] ?? own ?? ""
        let places = program.contains("/") ? [program] : path.split(separator: ":").map { "\($0)/\(program)" }
        return places.contains { access($0, X_OK) == 0 }
    }

    private enum Outcome: Sendable {
        case ended(ProgramResult)
        case failed(ProgramFailure)
        case late
    }

    /// Whether a failure of ``run(feeding:sent:output:)`` says that not a step of the program was done.
    public static func neverRan(_ failure: SubmitFailure) -> Bool {
        failure.code == "program-missing" || failure.code == "program-failed"
    }

    private func start(
        feeding bytes: (any MediaBytes)?, _ sent: @escaping @Sendable (Int64) -> Void,
        _ take: (@Sendable (UnsafeRawBufferPointer) -> Void)?
    ) async -> Outcome {
        if bytes != nil { _ = Self.brokenPipesAreErrors }
        do throws(ProgramFailure) {
            let ((fed, output, complaint), status) = try await running(
                input: .inputWriter, output: .sequence, error: .sequence
            ) { execution in
                async let output = {
                    let output = await Self.beginning(of: execution.standardOutput, longestOutput, mayPrintMore, take)
                    if output.isCut, !mayPrintMore {
                        await execution.teardown(using: [TeardownStep].ended(after: patience))
                    }
                    return output
                }()
                async let complaint = Self.ending(of: execution.standardError, Self.longestComplaint)
                let fed = await feed(bytes, to: execution.standardInputWriter, sent)
                if case .failure = fed {
                    await execution.teardown(
                        using: [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)])
                }
                try? await execution.standardInputWriter.finish()
                return await (fed, output, complaint)
            }
            switch fed {
            case .failure(let failure): return .failed(.source(failure))
            case .success(let readAll):
                return .ended(
                    ProgramResult(
                        status: status, output: output.bytes, isCut: output.isCut, complaint: complaint,
                        readAll: readAll))
            }
        } catch {
            return error == .cancelled ? .late : .failed(error)
        }
    }

    /// Runs it with open files as its input and output, which stay open, and discards its standard error.
    package func end(
        input: FileDescriptor, output: FileDescriptor
    ) async throws(ProgramFailure) -> ProgramResult.Ending {
        try await running(
            input: .fileDescriptor(input, closeAfterSpawningProcess: false),
            output: .fileDescriptor(output, closeAfterSpawningProcess: false), error: .discarded
        ) { _ in }.1
    }

    /// Starts it, lets `body` deal with it, and returns when it has ended. Every program is started here, but those on our
    /// terminal.
    func running<Input: InputProtocol, Output: OutputProtocol, Complaint: ErrorOutputProtocol, Value: Sendable>(
        input: Input, output: Output, error: Complaint, _ body: (Execution<Input, Output, Complaint>) async -> Value
    ) async throws(ProgramFailure) -> (Value, ProgramResult.Ending) {
        do {
            let result = try await Subprocess.run(
                executable, arguments: Arguments(arguments), environment: given,
                platformOptions: .ended(after: patience),
                input: input, output: output, error: error
            ) { execution in await body(execution) }
            switch result.terminationStatus {
            case .exited(let code): return (result.closureResult, .exited(Int(code)))
            case .signaled(let signal): return (result.closureResult, .killed(Int(signal)))
            }
        } catch let error as SubprocessError {
            throw ProgramFailure(error)
        } catch {
            throw .cancelled
        }
    }

    private var executable: Executable { program.contains("/") ? .path(FilePath(program)) : .name(program) }

    private var given: Environment {
        let pairs = environment.compactMap { name, value in Environment.Key(rawValue: name).map { ($0, value) } }
        let variables = Dictionary(uniqueKeysWithValues: pairs)
        return inheritsEnvironment ? .inherit.updating(variables.mapValues(Optional.some)) : .custom(variables)
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
                        .retry(after: nil), code: "source-short",
                        message: "The source ended at \(offset) of \(bytes.size) bytes; try again.")
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
        of output: SubprocessOutputSequence, _ limit: Int, _ mayPrintMore: Bool,
        _ take: (@Sendable (UnsafeRawBufferPointer) -> Void)?
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
                if isCut, !mayPrintMore { break }
            }
        } catch {}
        return (bytes, isCut)
    }

    private static func ending(of output: SubprocessOutputSequence, _ limit: Int) async -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            for try await buffer in output {
                // One more than is kept, by which a cut shows.
                buffer.bytes.withUnsafeBytes { bytes += $0.suffix(limit + 1) }
                if bytes.count > 2 * limit { bytes.removeFirst(bytes.count - limit - 1) }
            }
        } catch {}
        return KnownSecrets.end(of: bytes, most: limit)
    }
}

extension PlatformOptions {
    /// A session of its own, told to end when the task is cancelled, and killed a while later.
    static func ended(after patience: Duration) -> PlatformOptions {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = .ended(after: patience)
        return options
    }
}

extension [TeardownStep] {
    /// Of a program in a session of its own.
    static func ended(after patience: Duration) -> [TeardownStep] {
        [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: patience)]
    }
}
