import Foundation
import Submit
import SubmitCurl
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import ObjectStorageSubmitter

private struct CephHarness: ContractHarness {
    var settings: [String: String] = [:]

    func makePlace() async throws -> any ContractPlace { try await CephPlace(settings) }
}

/// A bucket of its own at a Ceph gateway that is said to be any S3 storage.
private struct CephPlace: HTTPContractPlace {
    let server: CephServer
    let name = "contract-\(UUID().uuidString.lowercased())"
    let settings: [String: String]
    let wire: FaultyTransport
    private let curl: CurlTransport

    init(_ settings: [String: String] = [:]) async throws {
        server = try await CephServer.shared()
        self.settings = settings
        curl = try CurlTransport(CurlConfiguration(userAgent: "submit-tests", proxy: ""))
        wire = FaultyTransport(curl)
        try await server.send("PUT", name)
    }

    func submitter(
        _ values: [String: String] = [:], secrets: [String: String] = [:],
        notes: any DestinationNotes = TransientNotes()
    ) throws(SubmitFailure) -> any Submitter {
        try ObjectStorageSubmitter.submitterType(transport: wire).make(
            DestinationSettings(
                destination: "ceph",
                values: ["endpoint": server.endpoint, "bucket": name].merging(settings) { $1 }.merging(values) { $1 },
                secrets: ["access_key_id": server.accessKey, "secret_access_key": server.secretKey]
                    .merging(secrets) { $1 }, notes: notes))
    }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try submitter() }

    func contents() async throws -> [String: [UInt8]] {
        let list = try await server.send("GET", "\(name)?encoding-type=url&list-type=2")
        let links = try #require(try submitter().facets.links)
        var contents: [String: [UInt8]] = [:]
        for object in ListedObjects(Array(list.utf8))?.objects ?? [] {
            let receipt = Receipt(remoteID: object.key, evidence: .verified)
            let link = try await links.link(to: receipt, validFor: .seconds(60))
            let answer = try await curl.send(HTTPRequest(method: "GET", url: link, responseLimit: 64 << 20))
            try #require(answer.status == 200)
            contents[object.key] = answer.body
        }
        return contents
    }

    func leftovers() async throws -> [String] {
        let list = try await server.send("GET", "\(name)?uploads=")
        return list.matches(of: /<UploadId>([^<]+)</).map { "upload \($0.1)" }
    }

    func put(_ bytes: [UInt8], named name: String) async throws {
        try await server.send("PUT", "\(self.name)/\(PercentEncoding.encodePath(name))", body: bytes)
    }

    var checksDigests: Bool { true }
    var secrets: [String] { [server.secretKey] }
    var partSize: Int64? { settings["part_size"] == nil ? nil : 5 << 20 }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        switch fault {
        case .unreachable: try submitter(["endpoint": "http://127.0.0.1:1"])
        case .refusesCredentials: try submitter(secrets: ["secret_access_key": "another-secret"])
        case .misconfigured: try submitter(["bucket": "no-such-\(name)"])
        case .full, .throttled, .losesReply: try await submitter(byWire: fault)
        }
    }

    func remove() async {}
}

@Suite struct `Ceph as any S3 storage` {
    @Test(arguments: ContractSuite.cases)
    func `keeps the contract`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(CephHarness(), leavingOut: [])
    }

    @Test func `holds every name at the address of its receipt`() async throws {
        let place = try await CephPlace()
        try await expectAddresses(
            of: place.makeSubmitter(), CurlTransport(CurlConfiguration(userAgent: "submit-tests", proxy: "")))
        #expect(try await place.contents().keys.sorted() == oddNames.sorted())
    }

    @Test func `is tried out, and keeps nothing of that`() async throws {
        let place = try await CephPlace()
        let said = try await place.makeSubmitter().check()
        #expect(said.contains("takes parts") && said.contains("honours If-None-Match"), "\(said)")
        #expect(try await place.contents() == [:])
        #expect(try await place.leftovers() == [])
    }

    @Test func `a photo is replaced, with its bytes sent twice at first and then once`() async throws {
        let place = try await CephPlace()
        let submitter = try place.makeSubmitter()
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 3000))
        for name in ["a.jpg", "b.jpg"] {
            try await place.put([1, 2, 3], named: name)
            let receipt = try await submitter.submit(
                bytes.item(named: name), bytes: bytes,
                context: SubmissionContext(submission: "test-1", onConflict: .overwrite))
            #expect(receipt.remoteID == name && receipt.evidence == .verified)
        }
        #expect(try await place.contents() == ["a.jpg": bytes.content, "b.jpg": bytes.content])
    }

    @Test func `uploads of all names are listed and removed`() async throws {
        let place = try await CephPlace(["prefix": "my photos"])
        let names = ["a b.jpg", "a+b%.jpg", "ü.jpg", "plain.jpg"]
        for name in names {
            try await place.server.send(
                "POST", "\(place.name)/\(PercentEncoding.encodePath("my photos/\(name)"))?uploads=")
        }
        let leftovers = try #require(try place.makeSubmitter().facets.leftovers)
        let listed = try await leftovers.list(sparing: [])
        #expect(listed.map(\.name).sorted() == names.map { "my photos/\($0)" }.sorted())
        for leftover in listed { try await leftovers.remove(leftover) }
        #expect(try await place.leftovers() == [])
    }
}
