import Foundation
import Submit
import SubmitCurl
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import ObjectStorageSubmitter

private struct RcloneS3Harness: ContractHarness {
    var settings: [String: String] = [:]

    func makePlace() async throws -> any ContractPlace { try await RcloneS3Place(settings) }
}

/// A bucket of its own at rclone's `serve s3`, whose folder is looked at.
struct RcloneS3Place: HTTPContractPlace {
    let server: RcloneS3Server
    let name = "contract-\(UUID().uuidString.lowercased())"
    let settings: [String: String]
    let wire: FaultyTransport

    init(_ settings: [String: String] = [:]) async throws {
        server = try await RcloneS3Server.shared()
        self.settings = settings
        wire = FaultyTransport(try CurlTransport(CurlConfiguration(userAgent: "submit-tests", proxy: "")))
        try await server.send("PUT", name)
    }

    private var root: URL { URL(fileURLWithPath: "\(server.data)/\(name)") }

    func submitter(
        _ values: [String: String] = [:], secrets: [String: String] = [:],
        notes: any DestinationNotes = TransientNotes()
    ) throws(SubmitFailure) -> any Submitter {
        try ObjectStorageSubmitter.submitterType(transport: wire).make(
            DestinationSettings(
                destination: "rclone",
                values: ["endpoint": server.endpoint, "bucket": name].merging(settings) { $1 }.merging(values) { $1 },
                secrets: ["access_key_id": server.accessKey, "secret_access_key": server.secretKey]
                    .merging(secrets) { $1 }, notes: notes))
    }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try submitter() }

    private func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(
                atPath: root.appendingPathComponent(path).path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }

    func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for path in try files() where !path.contains(".rclone_temp_") {
            contents[path] = Array(try Data(contentsOf: root.appendingPathComponent(path)))
        }
        return contents
    }

    func leftovers() async throws -> [String] {
        // With 404 where there is none.
        let list = try await server.send("GET", "\(name)?uploads=", isChecked: false)
        let uploads = list.matches(of: /<UploadId>([^<]+)</)
        // rclone removes its own file by itself when a connection broke, some time after the client has gone.
        var temporary = try files().filter { $0.contains(".rclone_temp_") }
        for _ in 0..<200 where !temporary.isEmpty {
            try await Task.sleep(for: .milliseconds(50))
            temporary = try files().filter { $0.contains(".rclone_temp_") }
        }
        return temporary + uploads.map { "upload \($0.1)" }
    }

    func put(_ bytes: [UInt8], named name: String) async throws {
        try await server.send("PUT", "\(self.name)/\(PercentEncoding.encodePath(name))", body: bytes)
    }

    var checksDigests: Bool { true }
    var secrets: [String] { [server.secretKey] }
    var partSize: Int64? { nil }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        switch fault {
        case .unreachable: try submitter(["endpoint": "http://127.0.0.1:1"])
        case .refusesCredentials: try submitter(secrets: ["secret_access_key": "another-secret"])
        case .misconfigured: try submitter(["bucket": "no-such-\(name)"])
        case .full, .throttled, .losesReply: try await submitter(byWire: fault)
        }
    }

    func remove() async { try? FileManager.default.removeItem(at: root) }
}

@Suite struct `rclone as an S3 server` {
    private static let untried: Set<ContractRequirement> = []

    @Test(arguments: ContractSuite.cases)
    func `keeps the contract`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(RcloneS3Harness(), leavingOut: Self.untried)
    }

    @Test func `holds every name at the address of its receipt`() async throws {
        let place = try await RcloneS3Place()
        try await expectAddresses(
            of: place.makeSubmitter(), CurlTransport(CurlConfiguration(userAgent: "submit-tests", proxy: "")))
        #expect(try place.contents().keys.sorted() == oddNames.sorted())
        await place.remove()
    }

    @Test func `is tried out, and keeps nothing of that`() async throws {
        let place = try await RcloneS3Place()
        let said = try await place.makeSubmitter().check()
        #expect(said.contains("takes parts") && said.contains("ignores If-None-Match"), "\(said)")
        #expect(try place.contents() == [:])
        #expect(try await place.leftovers() == [])
        await place.remove()
    }
}
