import Foundation
import SubmitTesting
import TestServers
import Testing

@Suite struct `The WebDAV submitter on a real server` {
    /// Some are asked with a password that any text may contain.
    private static let untried: Set<ContractRequirement> = [.secrets, .digests]

    /// Other ways to the same programs, and programs that are kept to a part of the contract here.
    private static let ways: [DAVFront] = [
        .apacheOverTLS, .apacheWithDigest, .apacheWithToken, .nginxOverTLS, .sabreOverTLS, .sabreWithoutPatch,
        .lighttpdWithCopies, .lighttpdWithPartialPut, .rcloneWithCache, .tomcat, .subversion, .asgiDAV, .copyparty,
    ]

    /// `SUBMIT_WHOLE_CONTRACT=1` has those keep all of it that otherwise keep a part.
    private static func share(_ number: Int) -> [ContractCase] {
        ProcessInfo.processInfo.environment["SUBMIT_WHOLE_CONTRACT"] == "1"
            ? ContractSuite.cases : ContractSuite.sample(number)
    }

    @Test(arguments: DAVFront.allCases.filter { !ways.contains($0) }, ContractSuite.cases)
    func `keeps the contract`(_ front: DAVFront, _ promise: ContractCase) async throws {
        try await keep(promise, front)
    }

    /// Subversion answers 409 where one file is moved over another.
    private static let waysAndCases = ways.enumerated().flatMap { way in
        share(way.offset).filter { way.element != .subversion || $0.id != "conflict-repair" }.map { (way.element, $0) }
    }

    @Test(arguments: waysAndCases)
    func `keeps the contract in another way`(_ front: DAVFront, _ promise: ContractCase) async throws {
        try await keep(promise, front)
    }

    private func keep(_ promise: ContractCase, _ front: DAVFront) async throws {
        let hasNoParts = [
            .nginx, .nginxOverTLS, .sabreWithoutPatch, .lighttpd, .rclone, .rcloneWithCache, .chezdav, .wsgiDAV,
            .tomcat, .subversion, .asgiDAV, .copyparty,
        ]
        .contains(front)
        try await promise.runInTurn(
            DAVHarness(front: front),
            leavingOut: Self.untried.union(hasNoParts ? [.resuming] : []))
    }

    /// Small items go as they do without.
    private static let inParts: [(DAVFront, ContractCase)] =
        [DAVFront.apache, .sabre, .lighttpdWithCopies, .lighttpdWithPartialPut].enumerated().flatMap { way in
            ContractSuite.sample(way.offset, and: ContractSuite.aboutParts).map { (way.element, $0) }
        }

    @Test(arguments: inParts)
    func `keeps the contract with parts`(_ front: DAVFront, _ promise: ContractCase) async throws {
        try await promise.runInTurn(DAVHarness(front: front, inParts: true), leavingOut: Self.untried)
    }
}
