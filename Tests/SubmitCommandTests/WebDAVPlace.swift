import Foundation
import TestServers
import Testing

/// A folder of its own at a WebDAV server, and a `submit` whose destination `webdav` is there.
struct WebDAVPlace: Sendable {
    let submit: Submit
    /// Where the server keeps the folder.
    let data: String
    /// Its name there.
    let folder: String
    /// What the environment of ``submit`` says of the destination.
    let environment: [String: String]

    /// - Parameters:
    ///   - url: of the collection in which the folder lies, or will lie.
    ///   - root: where the server keeps that collection.
    init(
        _ url: String, root: String, user: String?, password: String?, token: String? = nil, folder: String? = nil,
        _ more: [String: String] = [:]
    ) {
        self.folder = folder ?? "place-\(UUID().uuidString.lowercased().prefix(8))"
        var environment = ["WEBDAV_URL": url, "SUBMIT_WEBDAV_FOLDER": self.folder]
        environment["WEBDAV_USER"] = user
        environment["WEBDAV_PASSWORD"] = password
        environment["WEBDAV_TOKEN"] = token
        environment.merge(more) { $1 }
        self.environment = environment
        data = "\(root)/\(self.folder)"
        submit = Submit(environment)
    }

    init(_ server: NginxDAVServer, _ more: [String: String] = [:]) {
        self.init(server.endpoint, root: server.data, user: server.user, password: server.password, more)
    }

    /// - Parameter proxy: goes there by way of it.
    init(_ server: ApacheServer, by proxy: CountingProxy? = nil, token: String? = nil, _ more: [String: String] = [:]) {
        self.init(
            proxy.map { "\($0.endpoint)/dav/" } ?? server.endpoint, root: server.data, user: server.user,
            password: server.password, token: token, more)
    }

    /// At a cloud's base address, of which nobody says where its WebDAV is.
    init(_ server: CloudServer, by proxy: CountingProxy? = nil, _ more: [String: String] = [:]) {
        self.init(
            proxy?.endpoint ?? server.endpoint, root: server.data, user: server.user, password: server.appPassword, more
        )
    }

    /// Another computer with the same destination.
    func another() -> Submit { Submit(environment) }

    /// What lies in the folder and below, remnants too, by its path.
    func digests() async throws -> [String: String] { try await FolderDigests.of(data) }

    /// The paths of what submit writes before it is whole.
    func remnants() async throws -> [String] {
        try await digests().keys.filter { $0.split(separator: "/").contains { $0.contains("submit-") } }.sorted()
    }

    /// Finds out what the server is, which takes bytes of its own, so that they are counted no more.
    func settle(_ proxy: CountingProxy, location: SourceLocation = #_sourceLocation) async throws -> Int64 {
        let check = try await submit.run("destinations", "check", "webdav")
        #expect(check.end == .exited(0), "\(check)", sourceLocation: location)
        return proxy.bytes
    }

    private static let nginxServer = Task { try await NginxDAVServer() }
    private static let apacheServer = Task { try await ApacheServer() }

    /// Those that tests share, each with a folder of its own. Nobody stops them.
    static func nginx() async throws -> NginxDAVServer { try await nginxServer.value }
    static func apache() async throws -> ApacheServer { try await apacheServer.value }
}

extension Outcome {
    /// The one line on what waits at `webdav`, and for what.
    func expectWaiting(_ code: String, _ words: String..., location: SourceLocation = #_sourceLocation) throws {
        #expect(end == .exited(3), "\(self)", sourceLocation: location)
        let event = try #require(try events("on-hold").first, "\(self)", sourceLocation: location)
        #expect(event.code == code && event.destination == "webdav", "\(self)", sourceLocation: location)
        let message = try #require(event.message, sourceLocation: location)
        for word in words { #expect(message.contains(word), "\(message)", sourceLocation: location) }
    }
}
