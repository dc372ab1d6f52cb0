import Submit
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
        "", ".", "..", "/", "../theirs.jpg", "Summer/../../theirs.jpg", "./mine.jpg", "//mine.jpg", "/mine.jpg", "mine.jpg/",
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

    @Test func `leaves what others have locked, and says so`() async throws {
        let server = server()
        let removal = try removal(server)
        server.change {
            $0.locks.append(.init(path: ["dav", "box", "mine.jpg"], token: "urn:uuid:1", owner: "somebody", isDeep: false))
        }
        let failure = try #require(await remove("mine.jpg", removal))
        #expect(failure.sentence.contains("locked"), "\(failure)")
        #expect(server.files["box/mine.jpg"] != nil)
    }

    @Test func `locks where a server demands it`() async throws {
        let server = server([.demandsLocks])
        let removal = try removal(server)
        #expect(await remove("mine.jpg", removal) == nil)
        #expect(server.files["box/mine.jpg"] == nil && server.locks.isEmpty)
    }

    @Test func `removes what stands beside a copy with its caption`() async throws {
        let server = server()
        server.put([2], "box/mine.jpg.xmp")
        let removal = try removal(server, ["captions": "sidecar"])
        #expect(await remove("mine.jpg", removal) == nil)
        #expect(server.files.keys.sorted() == ["box/Summer/photo.jpg", "theirs.jpg"])
    }
}
