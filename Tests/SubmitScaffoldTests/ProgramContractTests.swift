import Foundation
import Submit
import SubmitPluginHost
import SubmitScaffold
import SubmitTesting
import SystemPackage
import TestServers
import Testing

/// The programs that the templates make, held to the contract through the pipe.
@Suite struct ProgramContractTests {
    /// The templates' folder reads nothing back, and has no requests.
    private static let untried: Set<ContractRequirement> = [.readback, .singleRequests]

    @Test(arguments: ContractSuite.cases)
    func `the contract holds in Python`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(ProgramHarness(language: .python), leavingOut: Self.untried)
    }

    /// Nothing shows in the service before it shows whole: there is nothing to resume.
    @Test(arguments: ContractSuite.cases)
    func `the contract holds in Python for a service with one POST`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(
            ProgramHarness(language: .pythonPost), leavingOut: Self.untried.union([.resuming]))
    }

    /// The rest is tried by the project's own test, `Tests/Scaffold/run.sh sh`.
    @Test(arguments: ContractSuite.sample(1))
    func `the contract holds in sh`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(ProgramHarness(language: .sh), leavingOut: Self.untried.union([.resuming]))
    }

    /// What hangs on telling one copy from another.
    private static let aboutCopies = ContractSuite.cases.filter { promise in
        ["conflict-", "presence-other-bytes", "same-bytes", "again"].contains(where: promise.id.hasPrefix)
            || promise.id == "presence"
    }

    @Test(arguments: aboutCopies, [StandAloneProject.Language.python, .pythonPost, .sh])
    func `it holds where the service tells no digests`(
        _ promise: ContractCase, language: StandAloneProject.Language
    ) async throws {
        try await promise.runInTurn(ProgramHarness(language: language, tellsDigests: false), leavingOut: Self.untried)
    }
}
