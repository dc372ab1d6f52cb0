import Submit
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `Removing objects` {
    @Test(arguments: [
        "theirs.jpg", "mine", "mine/", "mine-too/b.jpg", "mine/../theirs.jpg", "mine//a.jpg", "mine/./a.jpg", "", "..",
        "../photos/theirs.jpg", "/mine/a.jpg",
    ])
    func `leads to no other key`(_ id: String) async throws {
        let storage = FakeStorage()
        for key in ["theirs.jpg", "mine/a.jpg", "mine-too/b.jpg"] { storage.put([1], at: key) }
        let removal = try #require(try storage.submitter(["prefix": "mine"]).facets.removal)
        await #expect(throws: SubmitFailure.self) {
            try await removal.remove(Receipt(remoteID: id, evidence: .verified))
        }
        #expect(storage.objects.count == 3 && !storage.sent.contains { $0.method == "DELETE" })
        try await removal.remove(Receipt(remoteID: "mine/a.jpg", evidence: .verified))
        #expect(storage.objects.keys.sorted() == ["mine-too/b.jpg", "theirs.jpg"])
    }

    @Test func `removes no bucket for an album that is a prefix`() async throws {
        let storage = FakeStorage()
        let removal = try #require(try storage.submitter().facets.removal)
        for album in ["Summer", "photos"] { try await removal.removeAlbum(album) }
        #expect(storage.sent.isEmpty)
    }

    @Test func `leaves the destination's own bucket where albums are buckets`() async throws {
        let storage = FakeStorage()
        let removal = try #require(try storage.submitter(["album_as": "bucket"]).facets.removal)
        try await removal.removeAlbum("photos")
        #expect(storage.sent.isEmpty)
    }

    @Test func `says what the server says`() async throws {
        let storage = FakeStorage { $0.method == "DELETE" ? .success(.error(403, "AccessDenied")) : nil }
        storage.put([1], at: "a.jpg")
        let removal = try #require(try storage.submitter().facets.removal)
        do throws(SubmitFailure) {
            try await removal.remove(Receipt(remoteID: "a.jpg", evidence: .verified))
            Issue.record("It was refused.")
        } catch {
            #expect(error.code == "access-denied")
        }
    }
}
