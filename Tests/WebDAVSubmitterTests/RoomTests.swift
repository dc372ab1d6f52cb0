import Foundation
import Submit
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import WebDAVSubmitter

@Suite struct `A WebDAV server that has no room` {
    private let large = ScriptedBytes(ScriptedBytes.content(count: 3 << 20))

    @Test func `holds the destination with what is needed and what is left`() async throws {
        let server = FakeDAV([.hasQuota])
        server.change { $0.quota = 1000 }
        let submitter = try server.submitter()
        let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(large) }
        #expect(found.remedy == .hold(.full, after: nil) && found.code == "full")
        #expect(
            found.message.contains("“a.jpg” needs 3145728 bytes") && found.message.contains("has 1000 left"),
            "\(found)")
        #expect(server.files.isEmpty)
    }

    @Test func `gets nothing of a large item that does not fit`() async throws {
        let server = FakeDAV([.hasQuota])
        let submitter = try server.submitter(["parts_above": "1MiB"])
        _ = try await submitter.submit(ScriptedBytes([1]))
        server.change { $0.quota = 1000 }
        let before = server.log.count
        let found = try await failure { () async throws(SubmitFailure) in
            try await submitter.submit(large, named: "b.jpg", as: "test-2")
        }
        #expect(found.remedy == .hold(.full, after: nil))
        #expect(!server.log.dropFirst(before).contains { $0.hasPrefix("PUT") }, "\(server.log)")
        server.change { $0.quota = 4 << 20 }
        let receipt = try await submitter.submit(large, named: "b.jpg", as: "test-2", attempt: 2)
        #expect(receipt.remoteID == "b.jpg")
    }

    @Test func `holds the destination where it said yes and stored a part`() async throws {
        let server = FakeDAV([.storesHalf, .hasQuota])
        let submitter = try server.submitter()
        let again = try await failure { () async throws(SubmitFailure) in try await submitter.submit(large) }
        #expect(again.code == "not-stored" && again.remedy == .retry(after: nil))
        let full = FakeDAV([.storesHalf, .hasQuota]) { request, state in
            if request.method == "PUT", request.body.length ?? 0 > 100 { state.quota = 1 << 40 }
            if request.method == "DELETE" { state.quota = 2 << 20 }
            return nil
        }
        let other = try full.submitter()
        let found = try await failure { () async throws(SubmitFailure) in try await other.submit(large) }
        #expect(found.remedy == .hold(.full, after: nil), "\(found)")
        #expect(found.message.contains("2097152 left"), "\(found)")
    }

    @Test func `gives up what is larger than it takes`() async throws {
        let server = FakeDAV()
        server.change { $0.limit = 1000 }
        let submitter = try server.submitter()
        let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(large) }
        #expect(
            found.remedy == .giveUp && found.code == "too-large" && found.message.contains("3145728 bytes"), "\(found)"
        )
    }

    @Test func `is Apache with a limit`() async throws {
        let server = try await ApacheServer()
        let access = try await DAVFront.apache.start()
        let submitter = try WebDAVSubmitter(
            DestinationSettings(
                destination: "dav", values: ["url": server.smallEndpoint, "user": server.user ?? ""],
                secrets: ["password": server.password ?? ""]),
            transport: access.transport)
        for count in [65_537, 20 << 20] {
            let bytes = ScriptedBytes(ScriptedBytes.content(count: count))
            let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(bytes) }
            #expect(
                found.remedy == .giveUp && found.code == "too-large" && found.message.contains("\(count) bytes"),
                "\(found)")
        }
        let receipt = try await submitter.submit(ScriptedBytes(ScriptedBytes.content(count: 65_536)))
        #expect(receipt.remoteID == "a.jpg")
    }

    @Test(.enabled("it takes the right to mount") { await SmallDisk.isAllowed() })
    func `is Apache on a full disk`() async throws {
        let disk = try await SmallDisk.mount("2m")
        let server = try await ApacheServer(disk: disk)
        let access = try await DAVFront.apache.start()
        let submitter = try WebDAVSubmitter(
            DestinationSettings(
                destination: "dav", values: ["url": try #require(server.fullEndpoint), "user": server.user ?? ""],
                secrets: ["password": server.password ?? ""]),
            transport: access.transport)
        let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(large) }
        #expect(
            found.remedy == .hold(.full, after: nil) && found.message.contains("3145728 bytes"), "\(found)"
        )
        let files = try FileManager.default.contentsOfDirectory(atPath: disk.path).filter { !$0.hasPrefix(".DAV") }
        #expect(files == [], "\(files)")
    }

    @Test(.enabled("it takes the right to mount") { await SmallDisk.isAllowed() }, arguments: [false, true])
    func `is SabreDAV on a full disk`(_ isAskedBefore: Bool) async throws {
        let disk = try await SmallDisk.mount("2m")
        let server = try await SabreServer(disk: disk)
        let access = try await DAVFront.sabre.start()
        let submitter = try WebDAVSubmitter(
            DestinationSettings(
                destination: "dav",
                values: ["url": server.endpoint, "user": server.user, "parts_above": isAskedBefore ? "1MiB" : "1GiB"],
                secrets: ["password": server.password]),
            transport: access.transport)
        let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(large) }
        #expect(found.remedy == .hold(.full, after: nil), "\(found)")
        #expect(found.message.contains("3145728 bytes") && found.message.contains(" left"), "\(found)")
        let files = try FileManager.default.contentsOfDirectory(atPath: disk.path).filter { $0 != ".sabredav" }
        #expect(files == [], "\(files)")
    }
}
