import SubmitTesting
import TestServers
import Testing

@Suite struct `The WebDAV submitter on a real server` {
    /// Some are asked with a password that any text may contain.
    private static let untried: [String] =
        Untried.secrets + ["differ from their digest", "that is full", "slow down", "not what is configured", "last reply"]

    @Test(arguments: DAVFront.allCases, ContractSuite.cases)
    func `keeps the contract`(_ front: DAVFront, _ promise: ContractCase) async throws {
        let hasNoParts = [.nginx, .nginxOverTLS, .sabreWithoutPatch].contains(front)
        try await promise.runInTurn(
            DAVHarness(front: front), leavingOut: Self.untried + (hasNoParts ? Untried.resuming : []))
    }

    @Test(arguments: [DAVFront.apache, .sabre], ContractSuite.cases)
    func `keeps the contract with parts`(_ front: DAVFront, _ promise: ContractCase) async throws {
        try await promise.runInTurn(DAVHarness(front: front, inParts: true), leavingOut: Self.untried)
    }
}
