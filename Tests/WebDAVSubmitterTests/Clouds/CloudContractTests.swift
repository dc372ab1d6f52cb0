import SubmitTesting
import TestServers
import Testing

@Suite struct `The WebDAV submitter at a fake cloud` {
    private static let untried: Set<ContractRequirement> = [.digests]

    @Test(arguments: [CloudFront.nextcloud, .ownCloud, .infiniteScale], ContractSuite.cases)
    func `keeps the contract`(_ front: CloudFront, _ promise: ContractCase) async throws {
        try await promise.runInTurn(CloudHarness(front: front), leavingOut: Self.untried.union([.resuming]))
    }

    /// Small items go as they do without.
    private static let inPieces = [CloudFront.nextcloud, .nextcloudOnStorage, .ownCloud].enumerated().flatMap { way in
        ContractSuite.sample(way.offset, and: ContractSuite.aboutParts).map { (way.element, $0) }
    }

    @Test(arguments: inPieces)
    func `keeps the contract in pieces`(_ front: CloudFront, _ promise: ContractCase) async throws {
        try await promise.runInTurn(CloudHarness(front: front, inPieces: true), leavingOut: Self.untried)
    }
}
