internal import Submit
internal import SubmitConcurrency
public import SubmitTesting

extension ContractCase {
    /// A few cases at a time: a thousand that are ready at once would keep all other tests from their turns.
    private static let permits = AsyncSemaphore(6)

    /// As ``ContractCase/run(_:leavingOut:ids:)`` does.
    public func runInTurn(
        _ harness: some ContractHarness, leavingOut untried: Set<ContractRequirement> = [], ids: Set<String> = []
    ) async throws {
        guard await Self.permits.acquire() else { throw CancellationError() }
        defer { Self.permits.release() }
        try await run(harness, leavingOut: untried, ids: ids)
    }

    /// The same, for who looks at what came of it.
    public func outcomeInTurn(_ harness: some ContractHarness) async throws -> ContractOutcome {
        guard await Self.permits.acquire() else { throw CancellationError() }
        defer { Self.permits.release() }
        return try await run(harness)
    }
}

/// What many places lack.
public enum Untried {
    /// A place can fail, and its single requests can.
    public static let faults = Set(ContractFault.allCases.map { ContractRequirement.fault($0) }).union([.singleRequests]
    )
}
