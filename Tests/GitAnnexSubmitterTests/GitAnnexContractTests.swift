import Submit
import SubmitTesting
import TestServers
import Testing

@testable import GitAnnexSubmitter

@Suite struct GitAnnexContractTests {
    /// Where copies have no names, no name can be taken.
    private static let aboutNames = [
        "other bytes with the name stay, and the item takes the next name",
        "other bytes with the name are left alone by `skip`",
        "other bytes with the name are replaced by `overwrite`",
        "other bytes with the name fail the submission by `fail`",
    ]

    /// Without `readback`: a receipt says what a remote says, yes and no more, which is no evidence.
    private static let aboutEvidence = ContractSuite.cases.map(\.name).filter { $0.hasSuffix("arrives whole") }

    /// Remotes are out of reach here, and that is all that is wrong with them.
    private static let untried: [String] = Untried.resuming + Untried.albums + Untried.faults.filter { !$0.contains("reached") }

    @Test func `what is left out of the contract is in it`() {
        let names = ContractSuite.cases.map(\.name)
        #expect(Self.aboutNames.allSatisfy(names.contains))
        #expect(Self.aboutEvidence.count > 5)
    }

    /// Another setting of the remote that the next test tries whole.
    private static let unread = ContractSuite.sample(0, and: ["other bytes", "same bytes", "made again"])
        .filter { !aboutEvidence.contains($0.name) }

    @Test(arguments: unread)
    func `the contract holds without reading back`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(Harness { try await AnnexPlace.exporting(readback: "no") }, leavingOut: Self.untried)
    }

    @Test(arguments: ContractSuite.cases)
    func `the contract holds for an exporting remote`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(Harness { try await AnnexPlace.exporting() }, leavingOut: Self.untried)
    }

    @Test(arguments: ContractSuite.cases.filter { !aboutNames.contains($0.name) })
    func `the contract holds for a remote of keys`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(Harness { try await AnnexPlace.keyed() }, leavingOut: Self.untried)
    }
}

private struct Harness: ContractHarness {
    let make: @Sendable () async throws -> AnnexPlace

    func makePlace() async throws -> any ContractPlace { try await make() }
}
