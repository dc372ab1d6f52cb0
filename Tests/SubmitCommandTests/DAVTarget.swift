import Foundation
import TestServers
import Testing

/// A WebDAV server of its own behind a counting proxy, seen on its disk.
struct DAVTarget {
    let proxy: CountingProxy
    /// What leads `submit` there.
    let environment: [String: String]
    /// Where the collection lies.
    let data: String
    /// Where the server keeps uploads, if it does.
    let uploads: String?
    let remove: @Sendable () async -> Void
    /// `nil` where the proxy sees them.
    private let log: (@Sendable () async throws -> [LoggedRequest])?
    /// Writes what the server holds to ``data``, where it does not lie there.
    private let export: (@Sendable (String) async throws -> Void)?

    init(_ server: DAVLoop.Server) async throws {
        switch server {
        case .apache, .apacheHTTPS:
            let apache = try await ApacheServer(isSecure: server == .apacheHTTPS)
            try self.init(
                apache.secureEndpoint ?? apache.endpoint, apache.user, apache.password, apache.data,
                authority: apache.certificateAuthority, log: { try apache.accessLog() }, remove: apache.remove)
        case .nginx:
            let nginx = try await NginxDAVServer()
            try self.init(nginx.endpoint, nginx.user, nginx.password, nginx.data, remove: nginx.remove)
        case .sabre, .sabrePatch:
            // For a proof by size alone, and not all of a big file read for each look at it.
            let isPatched = server == .sabrePatch
            let sabre = try await SabreServer(hasPartialUpdate: isPatched, hasQuickETags: isPatched)
            try self.init(sabre.endpoint, sabre.user, sabre.password, sabre.data, remove: sabre.remove)
        case .lighttpd, .lighttpdCopy, .lighttpdUnsafe:
            let lighttpd = try await LighttpdServer(
                partialPut: server == .lighttpd ? .none : server == .lighttpdCopy ? .copy : .unsafe)
            try self.init(
                lighttpd.endpoint, lighttpd.user, lighttpd.password, lighttpd.data, remove: lighttpd.remove)
        case .rclone, .rcloneCache:
            let rclone = try await RcloneDAVServer(cachesListings: server == .rcloneCache)
            try self.init(rclone.endpoint, rclone.user, rclone.password, rclone.data, remove: rclone.remove)
        case .chezdav:
            let chezdav = try await ChezdavServer()
            try self.init(chezdav.endpoint, chezdav.user, chezdav.password, chezdav.data, remove: chezdav.remove)
        case .wsgidav:
            let wsgidav = try await WsgiDAVServer()
            try self.init(wsgidav.endpoint, wsgidav.user, wsgidav.password, wsgidav.data, remove: wsgidav.remove)
        case .tomcat:
            let tomcat = try await TomcatDAVServer()
            try self.init(tomcat.endpoint, tomcat.user, tomcat.password, tomcat.data, remove: tomcat.remove)
        case .asgi:
            let asgi = try await ASGIDAVServer()
            try self.init(asgi.endpoint, asgi.user, asgi.password, asgi.data, remove: asgi.remove)
        case .copyparty:
            let copyparty = try await CopypartyServer()
            try self.init(
                copyparty.endpoint, copyparty.user, copyparty.password, copyparty.data, remove: copyparty.remove)
        case .subversion:
            let subversion = try await SubversionDAVServer()
            try self.init(
                subversion.endpoint, subversion.user, subversion.password, subversion.repository + "-export",
                export: { path in
                    try? FileManager.default.removeItem(atPath: path)
                    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                    _ = try await subversion.export("photos", to: path + "/photos")
                }, remove: subversion.remove)
        case .nextcloud, .ownCloud, .infiniteScale:
            let kind: CloudServer.Kind =
                server == .nextcloud ? .nextcloud : server == .ownCloud ? .owncloud : .ocis
            let cloud = try await CloudServer(kind)
            try self.init(
                cloud.endpoint, cloud.user, cloud.appPassword, cloud.data, uploads: cloud.uploads, remove: cloud.remove)
        }
    }

    private init(
        _ url: String, _ user: String?, _ password: String?, _ data: String, authority: String? = nil,
        uploads: String? = nil, export: (@Sendable (String) async throws -> Void)? = nil,
        log: (@Sendable () async throws -> [LoggedRequest])? = nil,
        remove: @escaping @Sendable () async -> Void
    ) throws {
        var address = try #require(URLComponents(string: url))
        let isSecure = address.scheme == "https"
        proxy = CountingProxy(to: try #require(address.port), isOpaque: isSecure)
        address.port = proxy.port
        var environment = ["WEBDAV_URL": try #require(address.string)]
        environment["WEBDAV_USER"] = user
        environment["WEBDAV_PASSWORD"] = password
        environment["SUBMIT_WEBDAV_CA_FILE"] = authority
        (self.environment, self.data, self.uploads, self.remove) = (environment, data, uploads, remove)
        self.log = isSecure ? log : nil
        self.export = export
    }

    /// How many requests with bytes it got.
    func requests(_ isPart: (CountingProxy.Put) -> Bool) async throws -> Int {
        guard let log else { return proxy.puts.count(where: isPart) }
        return try await log().count { $0.method == "PUT" && (Int($0["Content-Length"] ?? "") ?? 0) > 64 }
    }

    /// The SHA-256 of every file by its path, and every folder with nothing, but for what mod_dav and SabreDAV keep for
    /// themselves.
    func stored() async throws -> [String: String] {
        try await export?(data)
        var stored = try await FolderDigests.of(data).reduce(into: [String: String]()) { found, file in
            found[file.key.hasPrefix("./") ? String(file.key.dropFirst(2)) : file.key] = file.value
        }
        for path in try FileManager.default.subpathsOfDirectory(atPath: data) where stored[path] == nil {
            stored[path] = ""
        }
        return stored.filter { entry in
            !entry.key.split(separator: "/").contains { [".DAV", ".sabredav"].contains($0) }
        }
    }
}
