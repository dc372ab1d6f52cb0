import Glibc
import Submit
import Testing

@Suite struct `Removing copies from a folder` {
    private let folder = TestFolder()

    private func removal() throws -> any RemovalFacet { try #require(try folder.submitter().facets.removal) }

    @Test(arguments: [
        "", ".", "..", "/", "../outside.jpg", "link/outside.jpg", "in/../../outside.jpg", "in//photo.jpg",
        "./in/photo.jpg",
        "/in/photo.jpg", "in/photo.jpg/", "in/photo.jpg\0.png", "to-photo.jpg",
    ])
    func `leads nowhere else`(_ id: String) async throws {
        folder.write([1], to: folder.path + "/outside.jpg")
        mkdir(folder.root + "/in", 0o755)
        folder.write([2], to: folder.root + "/in/photo.jpg")
        symlink(folder.path, folder.root + "/link")
        symlink("in/photo.jpg", folder.root + "/to-photo.jpg")
        let removal = try removal()
        for id in [id, folder.path + "/outside.jpg"] {
            _ = try? await removal.remove(Receipt(remoteID: id, evidence: .verified))
            _ = try? await removal.removeAlbum(id)
        }
        #expect(access(folder.path + "/outside.jpg", F_OK) == 0)
        #expect(folder.names() == ["in", "link", "to-photo.jpg"] && folder.content("in/photo.jpg") == [2])
    }

    /// To Swift a `/` with an accent on it is one character, and no `/`; to a file system it is one.
    @Test func `is not led elsewhere by an accent on a slash`() async throws {
        folder.write([1], to: folder.path + "/\u{301}outside.jpg")
        _ = try? await removal().remove(Receipt(remoteID: "../\u{301}outside.jpg", evidence: .verified))
        #expect(access(folder.path + "/\u{301}outside.jpg", F_OK) == 0)
        let albums = try #require(try folder.submitter().facets.albums)
        await #expect(throws: SubmitFailure.self) { try await albums.create("../\u{301}x") }
        #expect(access(folder.path + "/\u{301}x", F_OK) != 0)
    }

    @Test func `says where that would lead`() async throws {
        let removal = try removal()
        await #expect(throws: SubmitFailure.self) {
            try await removal.remove(Receipt(remoteID: "../outside.jpg", evidence: .verified))
        }
    }

    @Test func `leaves folders to the removal of albums, and those to what is empty`() async throws {
        mkdir(folder.root + "/Summer", 0o755)
        folder.write([1], to: folder.root + "/Summer/photo.jpg")
        let removal = try removal()
        try await removal.remove(Receipt(remoteID: "Summer", evidence: .verified))
        try await removal.removeAlbum("Summer")
        #expect(folder.content("Summer/photo.jpg") == [1])
        try await removal.remove(Receipt(remoteID: "Summer/photo.jpg", evidence: .verified))
        try await removal.removeAlbum("Summer")
        try await removal.removeAlbum("Winter/Deep")
        #expect(folder.names().isEmpty)
    }
}
