import Foundation
import Submit
import SubmitCurl
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import ObjectStorageSubmitter

/// OpenStack Swift with its S3 front, and a transport to it.
struct SwiftFront: Sendable {
    let endpoint: String
    let accessKey: String
    let secretKey: String
    let transport: CurlTransport

    private static let running = Task {
        let server = try await SwiftServer.shared()
        return SwiftFront(
            endpoint: server.endpoint, accessKey: server.accessKey, secretKey: server.secretKey,
            transport: try CurlTransport(CurlConfiguration(userAgent: "submit-tests", proxy: "")))
    }

    static func shared() async throws -> SwiftFront { try await running.value }

    func submitter(
        bucket: String, endpoint: String? = nil, secretKey: String? = nil, _ settings: [String: String] = [:]
    ) throws(SubmitFailure) -> any Submitter {
        try ObjectStorageSubmitter.submitterType(transport: transport).make(
            Settings(
                destination: "swift",
                values: ["endpoint": endpoint ?? self.endpoint, "bucket": bucket].merging(settings) { $1 },
                secrets: ["access_key_id": accessKey, "secret_access_key": secretKey ?? self.secretKey]))
    }
}

/// A container seen through Swift's own API.
struct SwiftContainer: ContractPlace {
    let server: SwiftFront
    let name: String
    private let token: String

    init(_ server: SwiftFront) async throws {
        self.server = server
        name = "contract-\(UUID().uuidString.lowercased())"
        let answer = try await server.transport.send(
            HTTPRequest(
                method: "GET", url: server.endpoint + "/auth/v1.0",
                headers: [("X-Auth-User", server.accessKey), ("X-Auth-Key", server.secretKey)]))
        token = try #require(answer["X-Auth-Token"])
        _ = try await send("PUT", "", body: .bytes([]))
    }

    @discardableResult
    func send(
        _ method: String, _ path: String, headers: [(name: String, value: String)] = [], body: HTTPBody = .none
    ) async throws -> HTTPResponse {
        try await server.transport.send(
            HTTPRequest(
                method: method, url: "\(server.endpoint)/v1/AUTH_test/\(name)\(path)",
                headers: [("X-Auth-Token", token)] + headers, body: body, responseLimit: 64 << 20))
    }

    func keys() async throws -> [String] {
        struct Entry: Decodable { var name: String }
        let answer = try await send("GET", "?format=json")
        return try JSONDecoder().decode([Entry].self, from: Data(answer.body)).map(\.name)
    }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try server.submitter(bucket: name) }

    func contents() async throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for key in try await keys() {
            contents[key] = try await send("GET", "/" + PercentEncoding.encodePath(key)).body
        }
        return contents
    }

    func leftovers() async throws -> [String] { [] }

    func put(_ bytes: [UInt8], named name: String) async throws {
        try await send("PUT", "/" + PercentEncoding.encodePath(name), body: .bytes(bytes))
    }

    var checksDigests: Bool { true }
    var secrets: [String] { [server.secretKey] }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        switch fault {
        case .unreachable: try server.submitter(bucket: name, endpoint: "http://127.0.0.1:1")
        case .refusesCredentials: try server.submitter(bucket: name, secretKey: "another-secret")
        // A quota answers as a file that is too large does.
        case .full: nil
        }
    }

    func remove() async {
        for key in (try? await keys()) ?? [] { _ = try? await send("DELETE", "/" + PercentEncoding.encodePath(key)) }
        _ = try? await send("DELETE", "")
    }
}

private struct SwiftHarness: ContractHarness {
    func makePlace() async throws -> any ContractPlace { try await SwiftContainer(.shared()) }
}

@Suite(.serialized)
struct `OpenStack Swift's S3 front` {
    @Test(arguments: ContractSuite.cases)
    func `keeps the contract`(_ promise: ContractCase) async throws {
        try await promise.run(SwiftHarness())
    }

    @Test func `stores what is sent with its type and metadata`() async throws {
        let server = try await SwiftFront.shared()
        let place = try await SwiftContainer(server)
        let receipt = try await server.submitter(bucket: place.name).submit(
            ScriptedBytes.content(count: 1000), named: "写 真.jpg", caption: "Möwe", album: "Am Hafen")
        #expect(receipt.evidence == .verified && receipt.remoteID == "Am Hafen/写 真.jpg")
        let object = try await place.send("HEAD", "/Am%20Hafen/%E5%86%99%20%E7%9C%9F.jpg")
        #expect(object["Content-Type"] == "image/jpeg")
        #expect(object["X-Object-Meta-Sha256"] == ScriptedBytes.content(count: 1000).sha256)
        #expect(object["X-Object-Meta-Caption"] == "=?UTF-8?B?TcO2d2U=?=")
        #expect(object["X-Object-Meta-Mtime"] == "1700000000.123456789")
        await place.remove()
    }

    @Test func `makes a bucket that is not there, and says that there is none`() async throws {
        let server = try await SwiftFront.shared()
        let name = "made-\(UUID().uuidString.lowercased())"
        let missing = try server.submitter(bucket: name)
        let failure = await #expect(throws: SubmitFailure.self) { try await missing.submit([1, 2, 3]) }
        #expect(failure?.code == "no-bucket")
        let making = try server.submitter(bucket: name, ["create_bucket": "true"])
        #expect(try await making.submit([1, 2, 3]).evidence == .verified)
        #expect(try await missing.check().hasSuffix("is there."))
    }
}
