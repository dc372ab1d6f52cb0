import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

/// The contract on a server in memory, of each manner.
struct FakeDAVHarness: ContractHarness {
    var manners: Set<FakeDAV.Manner>
    var settings: [String: String] = [:]

    func makePlace() async throws -> any ContractPlace { FakeDAVPlace(server: FakeDAV(manners), settings: settings) }
}

private struct FakeDAVPlace: ContractPlace {
    let server: FakeDAV
    let settings: [String: String]

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try server.submitter(settings) }

    private func isTemporary(_ path: String) -> Bool { TemporaryName.isOne(String(path.split(separator: "/").last ?? "")) }

    func contents() async throws -> [String: [UInt8]] {
        server.files.filter { !isTemporary($0.key) && !$0.key.hasSuffix(".xmp") }
    }

    func leftovers() async throws -> [String] {
        server.files.keys.filter(isTemporary).sorted() + server.locks.map(\.token)
    }

    func put(_ bytes: [UInt8], named name: String) async throws { server.put(bytes, name) }

    var checksDigests: Bool { false }
    var secrets: [String] { [FakeDAV.secret] }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        let failing = FakeDAV(server.manners) { request, _ in
            switch fault {
            case .unreachable: .failure(.cannotConnect("Connection refused"))
            case .refusesCredentials: .success(HTTPResponse(status: 403 - 2))
            case .full:
                // What is tried to learn of the server still fits.
                request.method == "PUT" && request.body.length ?? 0 > 100 ? .success(HTTPResponse(status: 507)) : nil
            }
        }
        return try failing.submitter(settings)
    }

    func remove() async {}
}

@Suite struct `The WebDAV submitter keeps the contract` {
    static let manners: [Set<FakeDAV.Manner>] = [
        [], [.foldsCase], [.normalises], [.foldsCase, .normalises], [.ignoresOverwrite], [.ignoresConditions, .ignoresOverwrite],
        [.hasNoMove], [.hasNoPropfind], [.makesAgain], [.weakETags], [.noETags], [.md5ETags], [.emptiesExpected],
        [.keepsFragment], [.takesContentRange], [.hidesDotfiles], [.overEncodes], [.hasQuota], [.ocMtime],
    ]

    @Test(arguments: manners, ContractSuite.cases)
    func `on a server of any manner`(_ manners: Set<FakeDAV.Manner>, _ promise: ContractCase) async throws {
        try await promise.run(FakeDAVHarness(manners: manners))
    }

    @Test(
        arguments: [[FakeDAV.Manner.takesContentRange], [.keepsFragment], [.takesContentRange, .weakETags]].map { Set($0) },
        ContractSuite.cases)
    func `in parts`(_ manners: Set<FakeDAV.Manner>, _ promise: ContractCase) async throws {
        try await promise.run(
            FakeDAVHarness(manners: manners, settings: ["parts_above": "64KiB", "part_size": "96KiB"]))
    }

    @Test(arguments: ContractSuite.cases)
    func `with a file for captions beside each`(_ promise: ContractCase) async throws {
        try await promise.run(FakeDAVHarness(manners: [], settings: ["captions": "sidecar"]))
    }

    @Test(arguments: [FakeDAV.Manner.demandsLocks, .demandsLocks428], ContractSuite.cases)
    func `on a server that demands locks`(_ manner: FakeDAV.Manner, _ promise: ContractCase) async throws {
        try await promise.run(FakeDAVHarness(manners: [manner]))
    }
}
