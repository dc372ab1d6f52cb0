internal import Submit
public import SubmitTesting

extension ContractCase {
    /// A few cases at a time: a thousand that are ready at once would keep all other tests from their turns.
    private static let seats = Seats(3)

    public func runInTurn(_ harness: some ContractHarness) async throws {
        try await Self.seats.take()
        defer { Self.seats.leave() }
        try await run(harness)
    }
}
