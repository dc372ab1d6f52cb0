import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import WebDAVSubmitter

/// The contract on a server in memory, of each manner.
struct FakeDAVHarness: ContractHarness {
    var manners: Set<FakeDAV.Manner>
    var settings: [String: String] = [:]
    var partSize: Int64?

    /// Small ones, so that all manners together do not take minutes.
    static let small: Int64 = 96 << 10

    func makePlace() async throws -> any ContractPlace {
        FakeDAVPlace(self)
    }
}

private struct FakeDAVPlace: HTTPContractPlace {
    let server: FakeDAV
    let settings: [String: String]
    let partSize: Int64?
    let notes: NotesOfNeighbours
    let wire: FaultyTransport

    init(_ harness: FakeDAVHarness) {
        server = FakeDAV(harness.manners)
        wire = FaultyTransport(ValidatingTransport(server))
        settings = harness.settings
        partSize = harness.partSize
        notes = NotesOfNeighbours(kind: "\(harness.manners.map { "\($0)" }.sorted()) \(settings.sorted { $0 < $1 })")
    }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter {
        try server.submitter(settings, transport: wire, notes: notes)
    }

    private func isTemporary(_ path: String) -> Bool {
        TemporaryName.isOne(String(path.split(separator: "/").last ?? ""))
    }

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
        switch fault {
        case .losesReply: return try server.submitter(settings, transport: LosingTransport(server), notes: notes)
        case .misconfigured: return try FakeDAV(server.manners.union([.loginPage])).submitter(settings)
        default: break
        }
        let failing = FakeDAV(server.manners) { request, _ in
            switch fault {
            case .throttled: .success(HTTPResponse(status: 429))
            case .misconfigured, .losesReply: nil
            case .unreachable: .failure(.cannotConnect("Connection refused"))
            case .refusesCredentials: .success(HTTPResponse(status: 401))
            case .full: request.method == "PUT" ? .success(HTTPResponse(status: 507)) : nil
            }
        }
        return try failing.submitter(settings)
    }

    func remove() async {}
}

/// Loses the first answer that says that the item has its place.
private final class LosingTransport: HTTPTransport {
    private let server: FakeDAV
    private let hasLost = Locked(false)

    init(_ server: FakeDAV) {
        self.server = server
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let answer = try await server.send(request)
        let target = request.headers.first { $0.name == "Destination" }?.value ?? request.url
        guard answer.isSuccess, ["PUT", "MOVE"].contains(request.method), target.hasSuffix("/photo.jpg"),
            hasLost.withLock({ lost in
                defer { lost = true }
                return !lost
            })
        else { return answer }
        throw .broken("Connection reset by peer", afterBody: true)
    }
}

@Suite struct `The WebDAV submitter keeps the contract` {
    /// Those in which not so many bytes are moved that all manners together take minutes.
    static let light = ContractSuite.cases.filter { promise in
        ![
            "part-", "size-1048577", "size-6553", "cancel-", "discard-by-", "resume-midway", "name-", "album-many",
            "as-many",
        ].contains(where: promise.id.hasPrefix)
    }

    static let someManners: [Set<FakeDAV.Manner>] = [[], [.hasNoMove]]

    static let manners: [Set<FakeDAV.Manner>] = [
        [.foldsCase], [.normalises], [.foldsCase, .normalises], [.ignoresOverwrite],
        [.ignoresConditions, .ignoresOverwrite],
        [.hasNoPropfind], [.makesAgain], [.weakETags], [.noETags], [.md5ETags], [.emptiesExpected], [.keepsFragment],
        [.hidesDotfiles], [.overEncodes], [.hasQuota], [.ocMtime],
    ]

    private static let untried: Set<ContractRequirement> = [.digests]

    @Test(arguments: someManners, ContractSuite.cases)
    func `on a server as it should be, and on one that moves nothing`(
        _ manners: Set<FakeDAV.Manner>, _ promise: ContractCase
    ) async throws {
        try await promise.runInTurn(FakeDAVHarness(manners: manners), leavingOut: Self.untried.union([.resuming]))
    }

    /// Of each a third, and all that is about names: the drawn worlds have these manners, too.
    private static let someOfEach = manners.enumerated().flatMap { manners in
        ContractSuite.sample(manners.offset, and: ["names-apart", "conflict-", "presence-other-bytes", "same-bytes"])
            .filter { promise in light.contains { $0.id == promise.id } }
            .map { (manners.element, $0) }
    }

    @Test(arguments: someOfEach)
    func `on a server of any manner`(_ manners: Set<FakeDAV.Manner>, _ promise: ContractCase) async throws {
        // What cannot be: a name that the server refuses, and a list of albums where it lists nothing.
        if manners.contains(.hidesDotfiles), ["name-hidden", "names-apart"].contains(promise.id) {
            return
        }
        if manners.contains(.hasNoPropfind), promise.needs.contains(.albums) { return }
        try await promise.runInTurn(
            FakeDAVHarness(manners: manners, partSize: FakeDAVHarness.small),
            leavingOut: Self.untried.union([.resuming]))
    }

    @Test(arguments: [FakeDAV.Manner.takesContentRange, .keepsFragment], ContractSuite.cases)
    func `in parts`(_ manner: FakeDAV.Manner, _ promise: ContractCase) async throws {
        try await promise.runInTurn(
            FakeDAVHarness(
                manners: [manner], settings: ["parts_above": "64KiB", "part_size": "96KiB"],
                partSize: FakeDAVHarness.small),
            // Who keeps only the fragment is sent none.
            leavingOut: Self.untried.union(manner == .keepsFragment ? [.resuming] : []))
    }

    @Test(arguments: light)
    func `with a file for captions beside each`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(
            FakeDAVHarness(manners: [], settings: ["captions": "sidecar"], partSize: FakeDAVHarness.small),
            leavingOut: Self.untried.union([.resuming]))
    }

    @Test(arguments: [FakeDAV.Manner.demandsLocks, .demandsLocks428], light)
    func `on a server that demands locks`(_ manner: FakeDAV.Manner, _ promise: ContractCase) async throws {
        // Two processes wait for each other's locks there, and the suite tries nothing again.
        if ["album-many-openers", "two-writers"].contains(promise.id) { return }
        try await promise.runInTurn(
            FakeDAVHarness(manners: [manner], partSize: FakeDAVHarness.small),
            leavingOut: Self.untried.union([.resuming]))
    }
}
