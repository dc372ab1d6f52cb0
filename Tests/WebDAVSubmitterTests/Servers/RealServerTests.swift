import SubmitTesting
import TestServers
import Testing

@Suite struct `The WebDAV submitter on a real server` {
    /// Some are asked with a password that any text may contain.
    private static let untried: [String] =
        Untried.secrets + ["differ from their digest"]

    @Test(arguments: DAVFront.allCases, ContractSuite.cases)
    func `keeps the contract`(_ front: DAVFront, _ promise: ContractCase) async throws {
        let hasNoParts = [.nginx, .nginxOverTLS, .sabreWithoutPatch, .lighttpd, .rclone, .rcloneWithCache, .chezdav, .wsgiDAV]
            .contains(front)
        // They let five or ten connections wait, and reset the others.
        if [.chezdav, .wsgiDAV].contains(front), promise.name.contains("many openers") { return }
        try await promise.runInTurn(
            DAVHarness(front: front),
            leavingOut: Self.untried + (hasNoParts ? Untried.resuming : []))
    }

    @Test(arguments: [DAVFront.apache, .sabre, .lighttpdWithCopies, .lighttpdWithPartialPut], ContractSuite.cases)
    func `keeps the contract with parts`(_ front: DAVFront, _ promise: ContractCase) async throws {
        try await promise.runInTurn(DAVHarness(front: front, inParts: true), leavingOut: Self.untried)
    }
}
