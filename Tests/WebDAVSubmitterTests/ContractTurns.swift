import Submit
import SubmitTesting

extension ContractCase {
    /// A few cases at a time: a thousand that are ready at once would keep all other tests from their turns.
    private static let seats = Seats(3)

    func runInTurn(_ harness: some ContractHarness) async throws {
        try await Self.seats.take()
        defer { Self.seats.leave() }
        try await run(harness)
    }
}
