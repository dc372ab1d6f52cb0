import Foundation
import TestServers
import Testing

/// Servers that take so many requests a second and refuse all others: everything gets through, and few are refused.
@Suite(.fewAtOnce) struct `A server that throttles` {
    /// What was refused by a server that takes 10 or 20 requests a second.
    private func refused(_ server: NginxDAVServer, _ status: Int) async throws -> (refused: Int, taken: Int) {
        try await server.stop()
        let log = try server.accessLog()
        return (log.count { $0.status == status }, log.count { $0.status != status })
    }

    /// Submits the photos, and goes on for as long as something waits: a run ends where the next look is further away than
    /// it is to wait, and how far that is depends on how evenly requests reached the server.
    private func send(_ photos: String, to destinations: String, from submit: Submit) async throws {
        var outcome = try await submit.run("--json", "--wait", "20", "--to", destinations, photos)
        for _ in 0..<10 where outcome.end == .exited(3) {
            outcome = try await submit.run("resume", "--json", "--wait", "20")
        }
        #expect(outcome.end == .exited(0), "\(outcome)")
    }

    @Test(arguments: [(429, 1), (429, nil), (503, nil)] as [(Int, Int?)])
    func `gets everything, with few refusals`(_ status: Int, _ retryAfter: Int?) async throws {
        let server = try await NginxDAVServer(
            isAnonymous: true, limit: .init(rate: 20, status: status, retryAfter: retryAfter))
        let place = WebDAVPlace(server)
        let photos = place.submit.folder.path("photos")
        try Photos.make(12, in: place.submit.folder)
        try await send(photos, to: "webdav", from: place.submit)
        #expect(try await place.digests() == FolderDigests.of(photos))
        let log = try await refused(server, status)
        // Those under way when the first was refused, and some in search of the pace.
        #expect(log.refused <= 30, "\(log)")
        await server.remove()
    }

    @Test func `at one host of two destinations, S3 and WebDAV, gets everything of both at one pace`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let server = try await NginxDAVServer(
            isAnonymous: true, limit: .init(rate: 20, retryAfter: 1), before: bucket.server.port)
        let origin = try #require(URL(string: server.endpoint)?.port)
        let place = WebDAVPlace(
            server, Submit.environment(bucket).merging(["AWS_ENDPOINT_URL": "http://127.0.0.1:\(origin)"]) { $1 })
        let photos = place.submit.folder.path("photos")
        try Photos.make(10, in: place.submit.folder)
        try await send(photos, to: "webdav,objstore", from: place.submit)
        #expect(try await place.digests() == FolderDigests.of(photos))
        #expect(try await bucket.digests() == FolderDigests.of(photos))
        let log = try await refused(server, 429)
        #expect(log.refused <= 50, "\(log)")
        await server.remove()
    }
}
