import Foundation
import Submit
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import TestServers
import Testing

@testable import WebDAVSubmitter

/// A fake cloud in one of its manners.
enum CloudFront: String, Sendable, CaseIterable, CustomTestStringConvertible {
    /// It refuses what Nextcloud's manual forbids.
    case nextcloud = "Nextcloud"
    /// It keeps pieces as parts of an upload to an object storage.
    case nextcloudOnStorage = "Nextcloud on an object storage"
    case ownCloud = "ownCloud"
    /// 504, and 423 twice, while pieces are put together.
    case slowNextcloud = "a Nextcloud that takes its time"
    case slowOwnCloud = "an ownCloud that takes its time"
    case infiniteScale = "ownCloud Infinite Scale"

    var testDescription: String { rawValue }

    private var kind: CloudServer.Kind {
        switch self {
        case .nextcloud, .nextcloudOnStorage, .slowNextcloud: .nextcloud
        case .ownCloud, .slowOwnCloud: .owncloud
        case .infiniteScale: .ocis
        }
    }

    private var options: [String] {
        switch self {
        case .nextcloud: ["--chunk-min", "16000"]
        case .nextcloudOnStorage: ["--chunk-min", "16000", "--chunking", "v2"]
        case .slowNextcloud: ["--chunk-min", "16000", "--assembly-requests", "2"]
        case .slowOwnCloud: ["--assembly-requests", "2"]
        case .ownCloud, .infiniteScale: []
        }
    }

    private static let opened = Locked<[Self: Task<CloudServer, any Error>]>([:])

    /// Starts it once for all tests that do not change it.
    func shared() async throws -> CloudServer {
        let opening = Self.opened.withLock { opened in
            let opening = opened[self] ?? Task { try await start() }
            opened[self] = opening
            return opening
        }
        return try await opening.value
    }

    /// One of its own.
    func start(_ more: [String] = []) async throws -> CloudServer {
        try await CloudServer(kind, options: options + more)
    }
}

extension CloudServer {
    /// Where the user's files are, which is all that the destination is told.
    func access(url: String? = nil) throws -> DAVFront.Access {
        DAVFront.Access(
            url: url ?? endpoint, data: data, values: ["user": user], secrets: ["password": appPassword],
            transport: try CurlTransport(CurlConfiguration(userAgent: "submit-tests")), server: self)
    }
}
