import Foundation
import Submit
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import TestServers
import Testing

@testable import WebDAVSubmitter

/// A real WebDAV server, and a way into it.
enum DAVFront: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case apache = "Apache"
    case apacheOverTLS = "Apache with HTTP/2 over TLS"
    case apacheWithDigest = "Apache with digest authentication"
    case apacheWithToken = "Apache behind a bearer token"
    case nginx = "nginx"
    case nginxOverTLS = "nginx with HTTP/2 over TLS"
    case sabre = "SabreDAV"
    case sabreOverTLS = "SabreDAV behind TLS"
    case sabreWithoutPatch = "SabreDAV without partial updates"
    case lighttpd = "lighttpd"
    case lighttpdWithCopies = "lighttpd that adds to copies"
    case lighttpdWithPartialPut = "lighttpd that adds to files"
    case rclone = "rclone"
    case rcloneWithCache = "rclone with its cache of listings"
    case chezdav = "chezdav"
    case wsgiDAV = "WsgiDAV"
    case tomcat = "Apache Tomcat"
    case subversion = "mod_dav_svn"
    case asgiDAV = "ASGIWebDAV"
    case copyparty

    var testDescription: String { rawValue }

    /// What leads into it.
    struct Access: Sendable {
        var url: String
        /// Where the collection lies.
        var data: String
        var values: [String: String]
        var secrets: [String: String]
        var transport: any HTTPTransport
        /// Keeps the server.
        var server: any Sendable

        /// The same with connections of its own: Apache ends an HTTP/2 connection of which a stream was broken off, with
        /// all that others have on it.
        func alone() throws -> Access {
            var access = self
            access.transport = try DAVFront.transport()
            return access
        }

        func submitter(
            _ values: [String: String] = [:], secrets: [String: String]? = nil,
            notes: any DestinationNotes = TransientNotes(), transport: (any HTTPTransport)? = nil
        ) throws(SubmitFailure) -> WebDAVSubmitter {
            try WebDAVSubmitter(
                DestinationSettings(
                    destination: "dav", values: self.values.merging(["url": url]) { $1 }.merging(values) { $1 },
                    secrets: secrets ?? self.secrets, notes: notes),
                transport: transport ?? self.transport)
        }
    }

    private static let opened = Locked<[Self: Task<Access, any Error>]>([:])

    /// Starts it once for all tests.
    func access() async throws -> Access {
        let opening = Self.opened.withLock { opened in
            let opening = opened[self] ?? Task { try await start() }
            opened[self] = opening
            return opening
        }
        return try await opening.value
    }

    /// One of its own.
    func start() async throws -> Access {
        let token = "token-\(UUID().uuidString)"
        switch self {
        case .apache, .apacheOverTLS, .apacheWithDigest, .apacheWithToken:
            let access: ApacheServer.Access =
                self == .apacheWithToken ? .bearer(token) : self == .apacheWithDigest ? .digest : .basic
            let server = try await ApacheServer(access: access, isSecure: self == .apacheOverTLS)
            return try Self.access(
                server, server.secureEndpoint ?? server.endpoint, server.data, server.user, server.password,
                token: self == .apacheWithToken ? token : nil, server.certificateAuthority)
        case .nginx, .nginxOverTLS:
            let server = try await NginxDAVServer(isSecure: self == .nginxOverTLS)
            return try Self.access(
                server, server.secureEndpoint ?? server.endpoint, server.data, server.user, server.password,
                server.certificateAuthority)
        case .sabre, .sabreOverTLS, .sabreWithoutPatch:
            let server = try await SabreServer(
                hasPartialUpdate: self != .sabreWithoutPatch, isSecure: self == .sabreOverTLS)
            return try Self.access(
                server, server.secureEndpoint ?? server.endpoint, server.data, server.user, server.password,
                server.certificateAuthority)
        case .lighttpd, .lighttpdWithCopies, .lighttpdWithPartialPut:
            let server = try await LighttpdServer(
                partialPut: self == .lighttpd ? .none : self == .lighttpdWithCopies ? .copy : .unsafe)
            return try Self.access(server, server.endpoint, server.data, server.user, server.password)
        case .rclone, .rcloneWithCache:
            let server = try await RcloneDAVServer(cachesListings: self == .rcloneWithCache)
            return try Self.access(server, server.endpoint, server.data, server.user, server.password)
        case .chezdav:
            let server = try await ChezdavServer()
            return try Self.access(server, server.endpoint, server.data, server.user, server.password)
        case .wsgiDAV:
            let server = try await WsgiDAVServer()
            return try Self.access(server, server.endpoint, server.data, server.user, server.password, nil)
        case .tomcat:
            let server = try await TomcatDAVServer()
            return try Self.access(server, server.endpoint, server.data, server.user, server.password)
        case .subversion:
            let server = try await SubversionDAVServer()
            return try Self.access(server, server.endpoint, server.repository, server.user, server.password)
        case .asgiDAV:
            let server = try await ASGIDAVServer()
            return try Self.access(server, server.endpoint, server.data, server.user, server.password)
        case .copyparty:
            let server = try await CopypartyServer()
            return try Self.access(server, server.endpoint, server.data, server.user, server.password)
        }
    }

    private static func access(
        _ server: any Sendable, _ url: String, _ data: String, _ user: String?, _ password: String?,
        token: String? = nil, _ authority: String? = nil
    ) throws -> Access {
        var values: [String: String] = [:]
        values["user"] = user
        values["ca_file"] = authority
        var secrets: [String: String] = [:]
        secrets["password"] = password
        secrets["token"] = token
        return Access(
            url: url, data: data, values: values, secrets: secrets,
            transport: try transport(), server: server)
    }

    fileprivate static func transport() throws -> any HTTPTransport {
        ValidatingTransport(try CurlTransport(CurlConfiguration(userAgent: "submit-tests")))
    }
}
