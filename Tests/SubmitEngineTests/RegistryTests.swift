import Submit
import SubmitTesting
import Testing

@testable import SubmitEngine

@Suite struct RegistryTests {
    private func registry() throws -> SubmitterRegistry {
        try SubmitterRegistry([
            InMemorySubmitter.submitterType(name: "webdav", aliases: ["nextcloud"]),
            InMemorySubmitter.submitterType(name: "oauth-http"),
            InMemorySubmitter.submitterType(name: "file", aliases: ["folder"]),
        ])
    }

    @Test(arguments: [
        ("webdav", "webdav"), ("WebDAV", "webdav"), ("WebDAVSubmitter", "webdav"), ("WebDAVPhotoSubmitter", "webdav"),
        ("webdavphotosubmitter", "webdav"), ("web-dav", "webdav"), ("NextCloud", "webdav"),
        ("OAuthHTTP", "oauth-http"), ("OAuthHTTPSubmitter", "oauth-http"), ("FILE", "file"), ("Folder", "file"),
    ])
    func `a type is found by each of its names`(_ name: String, _ type: String) throws {
        #expect(try registry().type(named: name).name == type)
    }

    @Test func `an unknown type fails with the nearest names`() throws {
        let failure = #expect(throws: SubmitFailure.self) { try registry().type(named: "webdaw") }
        #expect(failure?.message.contains("did you mean “webdav”?") == true)
        let stranger = #expect(throws: SubmitFailure.self) { try registry().type(named: "zzzzzzzz") }
        #expect(stranger?.message.contains("did you mean") == false)
    }

    @Test func `unregistering removes the one that was named`() throws {
        for name in ["webdav", "OAuthHTTPSubmitter", "folder"] {
            let registry = try registry()
            let gone = try registry.type(named: name).name
            try registry.unregister(name)
            #expect(registry.types.map(\.name) == ["file", "oauth-http", "webdav"].filter { $0 != gone })
        }
        let registry = try registry()
        registry.unregisterAll()
        #expect(registry.types.isEmpty)
    }

    @Test func `a name that is taken cannot be registered again`() throws {
        let registry = try registry()
        for name in ["WebDAVSubmitter", "Nextcloud", "folder"] {
            #expect(throws: SubmitFailure.self) {
                try registry.register(InMemorySubmitter.submitterType(name: name))
            }
        }
        #expect(registry.types.count == 3)
    }

    @Test(arguments: [
        ("objstor", ["objstore"]), ("ojbstore", ["objstore"]), ("fil", ["file"]), ("arch", ["archive"]), ("x", []),
    ])
    func `near names are near`(_ name: String, _ expected: [String]) {
        #expect(NearestNames.nearest(to: name, among: ["objstore", "file", "archive", "y"]) == expected)
    }
}
