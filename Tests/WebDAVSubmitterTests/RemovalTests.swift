import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

@Suite struct `Removing files and collections` {
    private func server(_ manners: Set<FakeDAV.Manner> = []) -> FakeDAV {
        let server = FakeDAV(manners)
        for path in ["theirs.jpg", "box/mine.jpg", "box/Summer/photo.jpg"] { server.put([1], path) }
        return server
    }

    private func removal(_ server: FakeDAV, _ settings: [String: String] = [:]) throws -> any RemovalFacet {
        try #require(try server.submitter(["folder": "box"].merging(settings) { $1 }).facets.removal)
    }

    private func remove(_ id: String, _ removal: any RemovalFacet) async -> SubmitFailure? {
        do throws(SubmitFailure) {
            try await removal.remove(Receipt(remoteID: id, evidence: .size))
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "", ".", "..", "/", "../theirs.jpg", "Summer/../../theirs.jpg", "./mine.jpg", "//mine.jpg", "/mine.jpg",
        "mine.jpg/",
        "%2e%2e/theirs.jpg", "Summer",
    ])
    func `leads nowhere else`(_ id: String) async throws {
        let server = server()
        let removal = try removal(server)
        _ = await remove(id, removal)
        #expect(server.files.count == 3, "\(server.log)")
    }

    @Test func `removes a copy, and an album when it is empty`() async throws {
        let server = server()
        let removal = try removal(server)
        try await removal.removeAlbum("Summer")
        #expect(server.files.count == 3)
        #expect(await remove("Summer/photo.jpg", removal) == nil)
        #expect(await remove("Summer/photo.jpg", removal) == nil)
        try await removal.removeAlbum("Summer")
        try await removal.removeAlbum("Summer")
        #expect(server.files.keys.sorted() == ["box/mine.jpg", "theirs.jpg"])
        #expect(try await server.submitter(["folder": "box"]).facets.albums?.list() == [])
    }

    @Test func `keeps what is ours and no photo out of the trash, and leaves it photos`() async throws {
        let skipped = Locked<[String: Bool]>([:])
        let server = FakeDAV { request, _ in
            guard request.method == "DELETE" else { return nil }
            let skips = request.headers.contains { $0.name == "X-NC-Skip-Trashbin" && $0.value == "true" }
            skipped.withLock { $0[request.url] = skips }
            return nil
        }
        let submitter = try server.submitter()
        _ = try await submitter.check()
        let receipt = try await submitter.submit(ScriptedBytes([1, 2, 3]))
        #expect(await remove(receipt.remoteID, try #require(submitter.facets.removal)) == nil)
        let photo = FakeDAV.origin + "/dav/a.jpg"
        let found = skipped.withLock { $0 }
        #expect(found[photo] == false && found.count > 5, "\(found)")
        #expect(found.allSatisfy { $0.key == photo || $0.value && $0.key.contains("submit-") }, "\(found)")
    }

    @Test func `leaves what others have locked, and says so`() async throws {
        let server = server()
        let removal = try removal(server)
        server.change {
            $0.locks.append(
                .init(path: ["dav", "box", "mine.jpg"], token: "urn:uuid:1", owner: "somebody", isDeep: false))
        }
        let failure = try #require(await remove("mine.jpg", removal))
        #expect(failure.message.contains("locked"), "\(failure)")
        #expect(server.files["box/mine.jpg"] != nil)
    }

    @Test func `locks where a server demands it`() async throws {
        let server = server([.demandsLocks])
        let removal = try removal(server)
        #expect(await remove("mine.jpg", removal) == nil)
        #expect(server.files["box/mine.jpg"] == nil && server.locks.isEmpty)
    }

    @Test func `removes what we put beside a copy with its caption`() async throws {
        let server = server()
        let settings = ["captions": "sidecar"]
        let bytes = ScriptedBytes([3])
        let receipt = try await server.submitter(settings.merging(["folder": "box"]) { $1 }).submit(
            bytes, named: "new.jpg", caption: "Am Hafen:\n“Möwe” & <Boot>", tags: ["a", ""])
        #expect(server.files["box/new.jpg.xmp"] != nil)
        #expect(await remove(receipt.remoteID, try removal(server, settings)) == nil)
        #expect(server.files.keys.sorted() == ["box/Summer/photo.jpg", "box/mine.jpg", "theirs.jpg"])
    }

    @Test func `leaves what others put beside a copy`() async throws {
        let server = server()
        for text in ["", "x", "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\" x:xmptk=\"XMP Core 4.4.0\"></x:xmpmeta>"] {
            server.put([1], "box/mine.jpg")
            server.put(Array(text.utf8), "box/mine.jpg.xmp")
            #expect(await remove("mine.jpg", try removal(server, ["captions": "sidecar"])) == nil)
            #expect(server.files["box/mine.jpg"] == nil && server.files["box/mine.jpg.xmp"] == Array(text.utf8))
        }
    }

    @Test func `leaves what stands beside a collection, or beside nothing`() async throws {
        let server = server()
        let submitter = try server.submitter(["folder": "box", "captions": "sidecar"])
        _ = try await submitter.submit(ScriptedBytes([3]), named: "new.jpg", caption: "Möwe")
        let ours = try #require(server.files["box/new.jpg.xmp"])
        for name in ["Summer", "gone.jpg"] {
            server.put(ours, "box/\(name).xmp")
            #expect(await remove(name, try removal(server, ["captions": "sidecar"])) == nil)
            #expect(server.files["box/\(name).xmp"] == ours)
        }
    }

    private static let emptied =
        "<D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status>"
        + "</D:propstat>"

    /// Nothing is what a server may say of a collection that it does not let us look into; chezdav loses addresses.
    @Test(arguments: [
        "", "<D:response><D:href/>\(emptied)</D:response>",
        "<D:response><D:href>/dav/box/Summer/</D:href>\(emptied)</D:response><D:response><D:href/>\(emptied)</D:response>",
    ])
    func `leaves an album of which the server does not say what is in it`(_ responses: String) async throws {
        let server = FakeDAV { request, _ in
            guard request.method == "PROPFIND", request.url.hasSuffix("/Summer/") else { return nil }
            return .success(
                HTTPResponse(
                    status: 207, headers: [("Content-Type", "application/xml")],
                    body: Array(
                        "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">\(responses)</D:multistatus>".utf8)))
        }
        server.put([1], "box/Summer/photo.jpg")
        try await removal(server).removeAlbum("Summer")
        #expect(server.files.keys.sorted() == ["box/Summer/photo.jpg"])
    }
}
