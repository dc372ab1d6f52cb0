import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

/// The contract where photos are attached: without them nothing there is a copy.
struct CouchHarness: ContractHarness {
    var kind: CouchPeer.Kind
    var settings: [String: String] = [:]

    func makePlace() async throws -> any ContractPlace {
        CouchPlace(try await CouchPeer.peer(kind), settings)
    }
}

private struct CouchPlace: HTTPContractPlace {
    let peer: CouchPeer
    let settings: [String: String]
    let wire: FaultyTransport

    init(_ peer: CouchPeer, _ settings: [String: String]) {
        self.peer = peer
        self.settings = settings.merging(["attach": "original"]) { $1 }
        wire = FaultyTransport(peer.transport)
    }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try peer.submitter(settings, transport: wire) }

    func contents() async throws -> [String: [UInt8]] { try await peer.attached() }

    /// All that is no picture with its photo, and no album.
    func leftovers() async throws -> [String] {
        let rows = try await peer.object("GET", "/_all_docs")["rows"] as? [[String: Any]] ?? []
        let ids = rows.compactMap { $0["id"] as? String }
        let attached = try await peer.attached()
        return ids.filter { attached[$0] == nil && !$0.hasPrefix("album:") }
    }

    func put(_ bytes: [UInt8], named name: String) async throws {
        throw NotTried(lacking: .otherWriter, "a document is called by what its photo's bytes are")
    }

    var checksDigests: Bool { true }
    var secrets: [String] { [peer.password] }
    var bytesTaken: Int64? { peer.fake?.state.withLock { $0.taken } }
    var widest: Int? { peer.fake?.state.withLock { $0.widest } }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        switch fault {
        case .misconfigured: try peer.submitter(settings, transport: wire, database: "not-there")
        default: try await submitter(byWire: fault)
        }
    }

    func remove() async { await peer.remove() }
}

@Suite struct `The CouchDB submitter keeps the contract` {
    private static let untried: Set<ContractRequirement> = [.otherWriter, .resuming]

    @Test(arguments: ContractSuite.cases)
    func `at a CouchDB in memory`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(CouchHarness(kind: .fake), leavingOut: Self.untried)
    }

    @Test(arguments: ContractSuite.sample(1))
    func `with a cookie`(_ promise: ContractCase) async throws {
        // A cookie's request is one that meets a fault, too.
        try await promise.runInTurn(CouchHarness(kind: .fake, settings: ["login": "cookie"]), leavingOut: Self.untried)
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `as far as it can be told from outside, with photos and without, also a second time`(
        _ kind: CouchPeer.Kind
    ) async throws {
        let peer = try await CouchPeer.peer(kind)
        for attach in ["none", "original", "none"] {
            let wire = FaultyTransport(peer.transport)
            let harness = LiveHarness(secrets: [peer.password], faults: [TransportFaults(wire)]) {
                () throws(SubmitFailure) in
                try peer.submitter(["attach": attach], transport: wire)
            }
            try await harness.begin()
            var untried: Set<ContractRequirement> = []
            for promise in ContractSuite.cases {
                guard case .notTried(let reason) = try await promise.run(harness) else { continue }
                if let requirement = reason.requirement { untried.insert(requirement) }
            }
            #expect(untried.contains(.bytes) == (attach == "none"), "\(untried)")
            #expect(harness.remains.isEmpty, "\(harness.remains)")
            #expect(harness.evidence == [attach == "none" ? .accepted : .verified])
        }
        await peer.remove()
    }

    @Test(.enabled(if: CouchPeer.hasReal), arguments: ContractSuite.cases)
    func `at a real CouchDB`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(CouchHarness(kind: .real), leavingOut: Self.untried)
    }
}
