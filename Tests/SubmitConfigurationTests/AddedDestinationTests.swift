import Foundation
import Submit
import SubmitConfiguration
import SubmitEngine
import SubmitJournal
import TestServers
import Testing

/// The example of ``DestinationCatalog``. That it compiles is the test.
private func example(password: String) throws {
    var catalog = try DestinationCatalog(program: ProgramIdentity("albums", version: "1.0"))
    let journal = try Journal(path: catalog.places.journal)
    let manager = SubmitManager(store: journal.store, registry: catalog.types.registry)
    manager.add(try catalog.destination("file"))
    let server = ["url": "https://nas.example/photos/", "user": "alice"]
    manager.add(try catalog.addDestination("nas", type: "webdav", settings: server, secrets: ["password": password]))
}

/// What a program gets that embeds this package: public API only.
private struct Embedding {
    let folder = TemporaryFolder()
    var environment: [String: String] = [:]
    var secrets: (any SecretBackend)?

    func catalog(_ types: [SubmitterType] = []) throws(SubmitFailure) -> DestinationCatalog {
        let home = ["HOME": folder.path("home")].merging(environment) { $1 }
        return try DestinationCatalog(
            program: ProgramIdentity("album", version: "1.0"), places: AppPaths(environment: home), types: types,
            secrets: secrets)
    }

    /// Settings of a WebDAV server that nobody asks anything.
    static let server = ["url": "http://127.0.0.1:9/", "user": "alice"]

    static let canary = "c4n4ry-0f-th3-4dd3d"
}

@Suite struct `A destination that a program adds` {
    @Test func `is made, known by its name from then on, and leaves no file behind`() throws {
        let album = Embedding()
        var catalog = try album.catalog()
        let made = try catalog.addDestination("disk", type: "file", settings: ["path": album.folder.path("disk")])
        #expect(made.name == "disk" && made.type.name == "file")
        #expect(catalog.names.contains("disk") && catalog.isConfigured("disk"))
        #expect(try catalog.destination("disk").type.name == "file")
        #expect(try catalog.settings(of: "disk")["path"] == album.folder.path("disk"))
        #expect(!FileManager.default.fileExists(atPath: album.folder.path("home")))
    }

    @Test func `is refused with the nearest key where it has a setting that its type does not know`() throws {
        var catalog = try Embedding().catalog()
        let failure = try #require(
            #expect(throws: SubmitFailure.self) {
                try catalog.addDestination("disk", type: "file", settings: ["templat": "{name}"])
            })
        #expect(failure.message.contains("“templat” is not a setting of file (did you mean “template”?)"), "\(failure)")
        #expect(failure.code == "configuration" && failure.remedy == .giveUp)
        #expect(!catalog.isConfigured("disk"))
    }

    @Test func `is refused where a secret stands among its settings, without showing it`() throws {
        var catalog = try Embedding().catalog()
        let settings = Embedding.server.merging(["password": Embedding.canary]) { $1 }
        let failure = try #require(
            #expect(throws: SubmitFailure.self) {
                try catalog.addDestination("nas", type: "webdav", settings: settings)
            })
        #expect(failure.message.contains("“password” is a secret: give it among the secrets of “nas”"), "\(failure)")
        #expect(!failure.message.contains(Embedding.canary))
    }

    @Test(
        arguments: [
            ("disk", "file", ["path": "relative"], [:], "must begin with “/” or “~/”"),
            ("a disk", "file", [:], [:], "“a disk” is no name for a destination"),
            ("disk", "fill", [:], [:], "There is no type “fill” (did you mean “file”?)"),
            (
                "nas", "webdav", Embedding.server, ["pasword": "x"],
                "“pasword” is not a secret of webdav (did you mean “password”?)"
            ),
            ("nas", "webdav", ["user": "alice"], ["password": "x"], "url"),
        ] as [(String, String, [String: String], [String: String], String)])
    func `is refused with what is wrong`(
        name: String, type: String, settings: [String: String], secrets: [String: String], words: String
    ) throws {
        var catalog = try Embedding().catalog()
        let failure = try #require(
            #expect(throws: SubmitFailure.self) {
                try catalog.addDestination(name, type: type, settings: settings, secrets: secrets)
            })
        #expect(failure.message.contains(words), "\(failure)")
        #expect(!catalog.isConfigured(name))
    }

    @Test func `takes no name that another one has, nor one whose environment variables are another's`() throws {
        var catalog = try Embedding().catalog()
        _ = try catalog.addDestination("my-nas", type: "webdav", settings: Embedding.server)
        for (name, words) in [("my-nas", "There is a destination “my-nas” already"), ("my_nas", "would share")] {
            let failure = #expect(throws: SubmitFailure.self) {
                try catalog.addDestination(name, type: "webdav", settings: Embedding.server)
            }
            #expect(failure?.message.contains(words) == true, "\(String(describing: failure))")
        }
    }

    @Test func `has the secrets it is given, which end with the process`() async throws {
        let album = Embedding()
        var catalog = try album.catalog()
        _ = try catalog.addDestination(
            "nas", type: "webdav", settings: Embedding.server, secrets: ["password": Embedding.canary])
        let settings = try catalog.settings(of: "nas")
        #expect(settings.secret("password") == Embedding.canary && !settings.description.contains(Embedding.canary))
        try await settings.secretStore.exclusively { secrets throws(SubmitFailure) in secrets["password"] = "new" }
        #expect(!FileManager.default.fileExists(atPath: album.folder.path("home")))
    }

    @Test func `has those that are kept for its name where it is given none, and keeps what they become`() async throws
    {
        var album = Embedding()
        let memory = MemorySecrets(["nas": ["password": Embedding.canary]])
        album.secrets = memory
        var catalog = try album.catalog()
        _ = try catalog.addDestination("nas", type: "webdav", settings: Embedding.server)
        let settings = try catalog.settings(of: "nas")
        #expect(settings.secret("password") == Embedding.canary)
        try await settings.secretStore.exclusively { secrets throws(SubmitFailure) in secrets["password"] = "new" }
        #expect(memory.secrets(of: "nas") == ["password": "new"])
        #expect(!"\(memory)".contains("new") && !String(reflecting: memory).contains("new"))
    }

    @Test func `takes settings and secrets from the environment before what it is given`() throws {
        var album = Embedding()
        album.environment = ["SUBMIT_NAS_USER": "bob", "SUBMIT_NAS_PASSWORD": Embedding.canary]
        var catalog = try album.catalog()
        _ = try catalog.addDestination(
            "nas", type: "webdav", settings: Embedding.server, secrets: ["password": "given"])
        let settings = try catalog.settings(of: "nas")
        #expect(settings["user"] == "bob" && settings.secret("password") == Embedding.canary)
    }

    @Test func `may be of a type that the program brings itself`() throws {
        let type = try #require(Embedding().catalog().types.builtIn.first { $0.name == "file" })
        let mine = SubmitterType(
            name: "shelf", summary: "A shelf.", capabilities: type.capabilities, settings: type.settings,
            make: { settings throws(SubmitFailure) in try type.make(settings) })
        let album = Embedding()
        var catalog = try album.catalog([mine])
        let made = try catalog.addDestination("top", type: "shelf", settings: ["path": album.folder.path("top")])
        #expect(made.type.name == "shelf")
        #expect(throws: SubmitFailure.self) { try album.catalog([type]) }
    }
}
