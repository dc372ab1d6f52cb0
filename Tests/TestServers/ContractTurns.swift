internal import Submit
internal import SubmitConcurrency
public import SubmitTesting

extension ContractCase {
    /// A few cases at a time: a thousand that are ready at once would keep all other tests from their turns.
    private static let seats = Seats(6)

    /// - Parameter untried: what the sentences of those promises have in them that cannot be tried there.
    public func runInTurn(_ harness: some ContractHarness, leavingOut untried: [String] = []) async throws {
        guard await Self.seats.take() else { throw CancellationError() }
        defer { Self.seats.leave() }
        try await run(harness, leavingOut: untried)
    }

    /// The same, for who looks at what came of it.
    public func outcomeInTurn(_ harness: some ContractHarness) async throws -> ContractOutcome {
        guard await Self.seats.take() else { throw CancellationError() }
        defer { Self.seats.leave() }
        return try await run(harness)
    }
}

/// Promises that many places leave out, by what their sentences have in them.
public enum Untried {
    /// Those that only a submitter with secrets can break.
    public static let secrets = ["no secret"]

    /// Those of a submitter that goes on in the middle of an item.
    public static let resuming = ["from every checkpoint", "by its last checkpoint", "a checkpoint whose remains are gone"]

    /// Those for which a place has to fail, each by the fault that it needs.
    public static let faults = [
        "that cannot be reached", "what cannot be reached", "refuses the credentials", "that is full", "slow down",
        "not what is configured", "last reply is lost",
    ] + requests

    /// Those for which single requests have to fail, which are told apart only where they go by HTTP.
    public static let requests = ["fails in the midst", "whichever reply"]

    /// Those about albums.
    public static let albums = ["album"]
}
