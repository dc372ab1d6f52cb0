internal import Submit
internal import SubmitConcurrency
internal import SubmitPrograms

/// The rclone program, as it is run for one destination.
///
/// Each call is a process of its own. It tries once: waiting and trying again are the engine's. No secret is among its
/// arguments; it has those of its configuration from there, and that one's password from the environment.
struct Rclone: Sendable {
    let program: String
    let configuration: String?
    let environment: [String: String]
    let destination: String

    /// Each takes about 40 MB, and starts 50 ms long.
    static let mostAtOnce = 16

    private static let permits = AsyncSemaphore(mostAtOnce)

    private static let manner = [
        "--retries", "1", "--low-level-retries", "1", "--contimeout", "30s", "--ask-password=false", "--log-format=",
        // Later ones say why `backend` failed as a notice.
        "--log-level", "NOTICE", "--use-json-log=false", "--stats", "0",
    ]

    /// Runs a command of rclone's to its end.
    ///
    /// - Parameter life: for commands that move no item.
    func run(
        _ arguments: [String], feeding bytes: (any MediaBytes)? = nil,
        sent: @escaping @Sendable (Int64) -> Void = { _ in }, longestOutput: Int = 1 << 20,
        life: Duration? = .seconds(240), output: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil
    ) async throws(SubmitFailure) -> ProgramResult {
        guard await Self.permits.acquire() else { throw .cancelled }
        defer { Self.permits.release() }
        let configured = configuration.map { ["--config", $0] } ?? []
        let end = try await ProgramCall(
            program, Self.manner + configured + arguments, environment: environment, inheritsEnvironment: true,
            longestOutput: longestOutput, life: life
        ).run(feeding: bytes, sent: sent, output: output)
        return end
    }

    /// The same, for commands that must succeed.
    ///
    /// - Throws: what rclone's complaint means for `what`.
    @discardableResult
    func succeed(
        _ what: String, _ arguments: [String], feeding bytes: (any MediaBytes)? = nil,
        sent: @escaping @Sendable (Int64) -> Void = { _ in }, longestOutput: Int = 1 << 20,
        life: Duration? = .seconds(240), output: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil
    ) async throws(SubmitFailure) -> ProgramResult {
        let end = try await run(
            arguments, feeding: bytes, sent: sent, longestOutput: longestOutput, life: life, output: output)
        guard end.status == .exited(0) else {
            throw failure(what, end, about: Array(arguments.drop { $0 != "--" }.dropFirst()))
        }
        return end
    }

    /// - Parameter places: what rclone was told of paths.
    func failure(_ what: String, _ end: ProgramResult, about places: [String]) -> SubmitFailure {
        .rclone(what, end, at: destination, about: places)
    }
}

extension Rclone: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the program and the destination; never a secret.
    var description: String { "\(program) for \(destination)" }

    var debugDescription: String { description }

    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
