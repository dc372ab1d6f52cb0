import Foundation
import Submit
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import TestServers
import Testing

@testable import ObjectStorageSubmitter

/// A way into a real OpenStack Swift.
enum Front: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case s3 = "S3"
    case s3OverTLS = "S3 over TLS with an authority of our own"
    case s3WithKeystone = "S3 with an EC2 credential of Keystone"
    case swift = "Swift with v1 authentication"
    case swiftOverTLS = "Swift over TLS with v1 authentication"
    case swiftWithPassword = "Swift with a password of Keystone"
    case swiftWithApplicationCredential = "Swift with an application credential of Keystone"

    var testDescription: String { rawValue }

    /// It takes parts of any size.
    var takesSmallParts: Bool {
        switch self {
        case .s3, .s3OverTLS, .s3WithKeystone: false
        default: true
        }
    }

    /// Where the parts of a container's objects are kept.
    func partsContainer(of name: String) -> String { name + (takesSmallParts ? "_segments" : "+segments") }

    private static let opened = Locked<[Front: Task<FrontAccess, any Error>]>([:])

    /// Signs in once for all tests.
    func access() async throws -> FrontAccess {
        let opening = Self.opened.withLock { opened in
            let opening = opened[self] ?? Task { try await open() }
            opened[self] = opening
            return opening
        }
        return try await opening.value
    }

    private func open() async throws -> FrontAccess {
        switch self {
        case .s3, .s3OverTLS, .swift, .swiftOverTLS: try await access(SwiftServer.shared())
        default: try await access(KeystoneServer.shared())
        }
    }

    private func access(_ server: SwiftServer) async throws -> FrontAccess {
        let isSecure = self == .s3OverTLS || self == .swiftOverTLS
        let transport = try Self.transport(trusting: isSecure ? server.certificateAuthority : nil)
        let seen = try await Self.transport(trusting: nil).send(
            HTTPRequest(
                method: "GET", url: server.authURL,
                headers: [("X-Auth-User", server.accessKey), ("X-Auth-Key", server.secretKey)]))
        let endpoint = isSecure ? server.secureEndpoint : server.endpoint
        let outside = FrontAccess.Outside(
            storageURL: server.storageURL, token: try #require(seen["X-Auth-Token"]),
            transport: try Self.transport(trusting: nil))
        if self == .s3 || self == .s3OverTLS {
            return FrontAccess(
                outside: outside, transport: transport, values: ["endpoint": endpoint],
                secrets: ["access_key_id": server.accessKey, "secret_access_key": server.secretKey],
                wrong: ["secret_access_key": "another-secret"])
        }
        return FrontAccess(
            outside: outside, transport: transport,
            values: [
                "api": "swift", "auth_url": endpoint + "/auth/v1.0", "username": server.accessKey,
                "auth_type": "v1password",
                "storage_url": endpoint + "/v1/AUTH_test",
            ],
            secrets: ["password": server.secretKey], wrong: ["password": "another-secret"])
    }

    private func access(_ server: KeystoneServer) async throws -> FrontAccess {
        let transport = try Self.transport(trusting: nil)
        let body = """
            {"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"\(server.userID)",
            "password":"\(server.password)"}}},"scope":{"project":{"id":"\(server.projectID)"}}}}
            """
        let seen = try await transport.send(
            HTTPRequest(
                method: "POST", url: server.authURL + "/auth/tokens", headers: [("Content-Type", "application/json")],
                body: .bytes(Array(body.utf8))))
        let outside = FrontAccess.Outside(
            storageURL: server.storageURL, token: try #require(seen["X-Subject-Token"]), transport: transport)
        var values = ["api": "swift", "auth_url": server.authURL, "region_name": server.region]
        switch self {
        case .s3WithKeystone:
            return FrontAccess(
                outside: outside, transport: transport, values: ["endpoint": server.endpoint],
                secrets: ["access_key_id": server.accessKey, "secret_access_key": server.secretKey],
                wrong: ["secret_access_key": "another-secret"])
        case .swiftWithApplicationCredential:
            values["application_credential_id"] = server.applicationCredentialID
            return FrontAccess(
                outside: outside, transport: transport, values: values,
                secrets: ["application_credential_secret": server.applicationCredentialSecret],
                wrong: ["application_credential_secret": "another-secret"])
        default:
            values.merge([
                "username": server.user, "user_domain_name": server.domain, "project_name": server.project,
                "project_domain_name": server.domain,
            ]) { $1 }
            return FrontAccess(
                outside: outside, transport: transport, values: values, secrets: ["password": server.password],
                wrong: ["password": "another-secret"])
        }
    }

    private static func transport(trusting file: String?) throws -> CurlTransport {
        try CurlTransport(CurlConfiguration(userAgent: "submit-tests", proxy: "", certificateAuthorities: file))
    }
}

/// What one needs to go in, and to look from outside.
struct FrontAccess: Sendable {
    /// Swift's own API.
    struct Outside: Sendable {
        let storageURL: String
        let token: String
        let transport: CurlTransport
    }

    let outside: Outside
    let transport: CurlTransport
    let values: [String: String]
    let secrets: [String: String]
    /// Secrets that are refused.
    let wrong: [String: String]

    func submitter(
        bucket: String, _ settings: [String: String] = [:], secrets: [String: String] = [:],
        transport: (any HTTPTransport)? = nil
    ) throws(SubmitFailure) -> any Submitter {
        try ObjectStorageSubmitter.submitterType(transport: transport ?? self.transport).make(
            DestinationSettings(
                destination: "swift", values: values.merging(["bucket": bucket]) { $1 }.merging(settings) { $1 },
                secrets: self.secrets.merging(secrets) { $1 }))
    }
}
