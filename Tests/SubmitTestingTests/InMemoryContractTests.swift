import Submit
import SubmitTesting
import Testing

/// The suite is held to its own reference: what it asks for can be kept.
@Suite struct InMemoryContractTests {
    @Test(arguments: ContractSuite.cases)
    func `the contract holds in memory`(_ promise: ContractCase) async throws {
        let outcome = try await promise.run(InMemoryHarness(resumes: true))
        #expect(outcome == .kept)
    }

    @Test(arguments: ContractSuite.cases)
    func `the contract holds in memory for items that are files`(_ promise: ContractCase) async throws {
        try await promise.run(InMemoryHarness(resumes: true, readsFiles: true), leavingOut: [])
    }

    @Test(arguments: ContractSuite.cases)
    func `what cannot be tried is told`(_ promise: ContractCase) async throws {
        let outcome = try await promise.run(InMemoryHarness())
        #expect(
            outcome
                == (promise.needs.contains(.resuming)
                    ? .notTried(NotTried(lacking: .resuming, "it does not resume")) : .kept))
    }
}
