import Foundation
import TestServers
import Testing

@Suite(.fewAtOnce) struct `What others have at a server that cuts names` {
    /// WsgiDAV moves `ocean?.jpg` to `ocean`, in place of what lies there.
    @Test func `stays, though photos of such names may replace what has theirs`() async throws {
        let server = try await WsgiDAVServer()
        let place = WebDAVPlace(server.endpoint, root: server.data, user: server.user, password: server.password)
        try FileManager.default.createDirectory(atPath: "\(place.data)/B/ocean", withIntermediateDirectories: true)
        let others = ["B/ocean/whale.txt": Data("a whale".utf8), "B/sea": Data("a sea".utf8)]
        for (path, bytes) in others { try bytes.write(to: URL(fileURLWithPath: "\(place.data)/\(path)")) }
        let before = try await place.digests()
        let folder = try place.submit.folder.folder("photos")
        let photos = try ["ocean?.jpg", "sea;1.jpg"].enumerated().map { number, name in
            try place.submit.folder.write(Photos.jpeg(20_000, seed: UInt64(number)), to: "photos/\(name)")
        }
        let digests = try await FolderDigests.of(folder)

        let outcome = try await place.submit.run(
            ["--to", "webdav", "--album", "B", "--on-conflict", "overwrite"] + photos)

        #expect(outcome.end == .exited(0), "\(outcome)")
        let after = try await place.digests()
        #expect(others.keys.allSatisfy { after[$0] == before[$0] } && after.count == 4, "\(after)")
        for submission in try await place.submit.list() {
            let path = try #require(submission.remote_id)
            #expect(after[path] == digests[submission.item.name], "\(submission) \(after)")
        }
        let audit = try await place.submit.run("audit", "--verify", "readback")
        #expect(audit.end == .exited(0), "\(audit)")
        await server.remove()
    }
}
