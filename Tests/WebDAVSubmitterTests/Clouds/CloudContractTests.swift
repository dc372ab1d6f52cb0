import SubmitTesting
import TestServers
import Testing

@Suite struct `The WebDAV submitter at a fake cloud` {
    private static let untried = ["differ from their digest"]

    @Test(arguments: [CloudFront.nextcloud, .ownCloud, .infiniteScale], ContractSuite.cases)
    func `keeps the contract`(_ front: CloudFront, _ promise: ContractCase) async throws {
        try await promise.runInTurn(CloudHarness(front: front), leavingOut: Self.untried + Untried.resuming)
    }

    @Test(arguments: [CloudFront.nextcloud, .nextcloudOnStorage, .ownCloud], ContractSuite.cases)
    func `keeps the contract in pieces`(_ front: CloudFront, _ promise: ContractCase) async throws {
        try await promise.runInTurn(CloudHarness(front: front, inPieces: true), leavingOut: Self.untried)
    }
}
