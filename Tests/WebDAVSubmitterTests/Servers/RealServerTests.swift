import SubmitTesting
import TestServers
import Testing

@Suite struct `The WebDAV submitter on a real server` {
    @Test(arguments: DAVFront.allCases, ContractSuite.cases)
    func `keeps the contract`(_ front: DAVFront, _ promise: ContractCase) async throws {
        try await promise.runInTurn(DAVHarness(front: front))
    }

    @Test(arguments: [DAVFront.apache, .sabre], ContractSuite.cases)
    func `keeps the contract with parts`(_ front: DAVFront, _ promise: ContractCase) async throws {
        try await promise.runInTurn(DAVHarness(front: front, inParts: true))
    }
}
