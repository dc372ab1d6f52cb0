import Submit
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `A token of a real Swift` {
    /// Once by its own clock, which renews it in time, and once by a clock that stands still, so that Swift refuses it.
    @Test(.timeLimit(.minutes(10)), arguments: [false, true])
    func `ends in the middle of an upload, which goes on with another`(stands: Bool) async throws {
        let server = try await SwiftServer(tokenLife: 12)
        let bucket = try await server.makeBucket()
        let proxy = CountingProxy(to: server.port)
        let path = server.storageURL.dropFirst(server.endpoint.count)
        let part: Int64 = 96 << 10
        let wire = try Wire()
        let start = Timestamp.now
        let submitter = try ObjectStorageSubmitter(
            DestinationSettings(
                destination: "swift",
                values: [
                    "api": "swift", "auth_url": server.authURL, "auth_type": "v1password", "username": server.accessKey,
                    "storage_url": proxy.endpoint + path, "bucket": bucket.name, "parts_above": "64KiB",
                    "part_size": "96KiB", "jobs": "2",
                ], secrets: ["password": server.secretKey]), transport: wire,
            clock: { stands ? start : Timestamp.now }, environment: [:])
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 8 * Int(part)))

        proxy.stop(at: 2 * part + part / 2)
        async let receipt = submitter.submit(
            bytes.item(named: "a.jpg"), bytes: bytes, context: SubmissionContext(submission: "test-1"))
        while proxy.bytes < 2 * part + part / 2 { try await Task.sleep(for: .milliseconds(5)) }
        // The one that the upload has, past the proxy that holds it up.
        let token = try #require(wire.sent.last { $0.method == "PUT" }?.headers.last?.value)
        let sent = wire.sent.count
        let outside = try Wire()
        let asking = HTTPRequest(method: "HEAD", url: server.storageURL, headers: [("x-auth-token", token)])
        while try await outside.send(asking).status != 401 { try await Task.sleep(for: .milliseconds(50)) }
        proxy.goOn()

        #expect(try await receipt.evidence == .verified)
        #expect(wire.sent.dropFirst(sent).contains { $0.url == server.authURL })
        // The tests' own token is handed out again as long as it lives, and may end before it was shown.
        var digest = ""
        for _ in 1...20 where digest != bytes.content.sha256 { digest = try await bucket.digest(of: "a.jpg") }
        #expect(digest == bytes.content.sha256)
        #expect(try await bucket.segments.objects().count == 8)
        await server.remove()
    }
}
