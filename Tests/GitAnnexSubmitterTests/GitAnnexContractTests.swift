import Submit
import SubmitTesting
import TestServers
import Testing

@testable import GitAnnexSubmitter

@Suite struct GitAnnexContractTests {
    /// Where copies have no names, no name can be taken.
    private static let aboutNames = [
        "conflict-rename",
        "conflict-skip",
        "conflict-overwrite",
        "conflict-fail",
        "conflict-repair",
    ]

    /// Without `readback`: a receipt says what a remote says, yes and no more, which is no evidence.
    private static let aboutEvidence = ContractSuite.cases.map(\.id).filter {
        $0.hasPrefix("size-") || $0.hasPrefix("part-")
    }

    /// Remotes are out of reach here, and that is all that is wrong with them.
    private static let untried = Untried.faults.subtracting([.fault(.unreachable)]).union([.resuming, .albums])

    @Test func `what is left out of the contract is in it`() {
        let ids = ContractSuite.cases.map(\.id)
        #expect(Self.aboutNames.allSatisfy(ids.contains))
        #expect(Self.aboutEvidence.count > 5)
    }

    /// Another setting of the remote that the next test tries whole.
    private static let unread = ContractSuite.sample(
        0, and: ["conflict-", "presence-other-bytes", "same-bytes", "again"]
    )
    .filter { !aboutEvidence.contains($0.id) }

    @Test(arguments: unread)
    func `the contract holds without reading back`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(
            Harness { try await AnnexPlace.exporting(readback: "no") }, leavingOut: Self.untried)
    }

    @Test(arguments: ContractSuite.cases)
    func `the contract holds for an exporting remote`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(Harness { try await AnnexPlace.exporting() }, leavingOut: Self.untried)
    }

    @Test(arguments: ContractSuite.cases.filter { !aboutNames.contains($0.id) })
    func `the contract holds for a remote of keys`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(Harness { try await AnnexPlace.keyed() }, leavingOut: Self.untried)
    }
}

private struct Harness: ContractHarness {
    let make: @Sendable () async throws -> AnnexPlace

    func makePlace() async throws -> any ContractPlace { try await make() }
}
