import Foundation
import Submit
import SubmitTesting
import TestServers
import Testing

@testable import RcloneSubmitter

@Suite struct RcloneContractTests {
    /// What the WebDAV server cannot be tried for, and some of the others.
    private static let local = ContractSuite.sample(
        0, and: ["name-control", "names-apart", "digest-differs", "no-secret"])

    @Test(arguments: local)
    func `the contract holds in a local folder`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(
            LocalHarness(), leavingOut: [.resuming, .singleRequests, .fault(.full), .fault(.throttled)])
    }

    /// WebDAV by nginx tells no digest, and puts control characters into its XML as they are.
    @Test(arguments: ContractSuite.cases.filter { !["name-control", "names-apart"].contains($0.id) })
    func `the contract holds where no digest is told`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(DAVHarness(), leavingOut: [.secrets, .resuming, .digests])
    }

    /// What needs no fault is tried in a folder.
    @Test(arguments: ContractSuite.cases.filter { !$0.needs.isDisjoint(with: Untried.faults) })
    func `the contract holds in a bucket that fails`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(BucketHarness())
    }
}

private struct LocalHarness: ContractHarness {
    func makePlace() throws -> any ContractPlace { try RclonePlace() }
}

private struct DAVHarness: ContractHarness {
    func makePlace() async throws -> any ContractPlace { try await DAVPlace() }
}

private struct BucketHarness: ContractHarness {
    func makePlace() async throws -> any ContractPlace { try await BucketPlace() }
}
