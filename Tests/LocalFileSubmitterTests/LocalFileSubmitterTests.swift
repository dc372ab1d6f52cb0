import Glibc
import LocalFileSubmitter
import Submit
import Testing

@Suite struct LocalFileSubmitterTests {
    let folder = TestFolder()

    @Test func `the type says what it is and what can be set`() throws {
        let type = LocalFileSubmitter.submitterType()
        #expect(type.name == "file")
        #expect(type.aliases == ["folder", "directory", "local", "local-file"])
        #expect(type.settings.map(\.name) == ["path", "template", "create", "jobs"])
        let submitter = try folder.submitter(["jobs": "7"])
        #expect(submitter.capabilities.ordering == .concurrent(112))
        #expect(!submitter.capabilities.requiresNetwork)
        #expect(!submitter.capabilities.usesCaptureTime)
        #expect(submitter.capabilities.supportsAlbums == (submitter.facets.albums != nil))
    }

    @Test(arguments: [
        ["path": ""], ["path": "relative"], ["template": "{nme}"], ["create": "perhaps"], ["jobs": "0"],
        ["jobs": "65"], ["jobs": "many"],
    ])
    func `a wrong setting is named`(values: [String: String]) throws {
        let failure = try #require(throws: SubmitFailure.self) { try folder.submitter(values) }
        #expect(failure.remedy == .hold(.misconfigured, after: nil))
        #expect(failure.message.contains("“\(values.keys.first!)”"))
    }

    @Test func `checking tells the free space and leaves nothing`() async throws {
        #expect(try await folder.submitter().check().contains("free"))
        #expect(folder.names().isEmpty)
        #expect(try await folder.submitter(["path": folder.root + "/a/b"]).check().contains("can be made"))
        #expect(folder.names().isEmpty)
        let refusing = try folder.submitter(["path": folder.root + "/a/b", "create": "no"])
        await #expect(throws: SubmitFailure.self) { try await refusing.check() }
        folder.write([], to: folder.root + "/file")
        let file = try folder.submitter(["path": folder.root + "/file"])
        await #expect(throws: SubmitFailure.self) { try await file.check() }
    }

    @Test func `albums are made once, listed sorted, and hidden folders are none`() async throws {
        let albums = try #require(try folder.submitter().facets.albums)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await albums.create("Trips/Rome") } }
            try await group.waitForAll()
        }
        try await albums.create("Birds")
        mkdir(folder.root + "/.thumbnails", 0o755)
        symlink("/", folder.root + "/link")
        folder.write([], to: folder.root + "/file.jpg")
        #expect(try await albums.list() == ["Birds", "Trips", "Trips/Rome"])
        for wrong in ["", "/a", "a/../b", "..", "a//b"] {
            await #expect(throws: SubmitFailure.self) { try await albums.create(wrong) }
        }
    }

    @Test func `presence tells the same bytes, other bytes, nothing and no answer apart`() async throws {
        let submitter = try folder.submitter()
        let presence = try #require(submitter.facets.presence)
        let (item, bytes) = try folder.original([1, 2, 3])
        let receipt = try await submitter.submit(item, bytes: bytes, context: context(album: "a"))
        #expect(await presence.presence(of: item, receipt: receipt) == .present(.verified))
        folder.write([1, 2, 4], to: folder.root + "/a/IMG_1.jpg")
        #expect(await presence.presence(of: item, receipt: receipt) == .changed(.digest))
        folder.write([1, 2], to: folder.root + "/a/IMG_1.jpg")
        #expect(await presence.presence(of: item, receipt: receipt) == .changed(.size))
        unlink(folder.root + "/a/IMG_1.jpg")
        #expect(await presence.presence(of: item, receipt: receipt) == .absent)
        rmdir(folder.root + "/a")
        #expect(await presence.presence(of: item, receipt: receipt) == .absent)
        unlink("\(folder.root)/\(TestFolder.mark)")
        rmdir(folder.root)
        guard case .unknown = await presence.presence(of: item, receipt: receipt) else {
            Issue.record("A root that is not there says nothing about the copy.")
            return
        }
        let escaping = Receipt(remoteID: "../x", evidence: .verified)
        guard case .unknown = await presence.presence(of: item, receipt: escaping) else {
            Issue.record("A path out of the root must not be looked at.")
            return
        }
    }
}
