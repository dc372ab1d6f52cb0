internal import Foundation

/// A Swift with its S3 front, whoever it knows its users from.
public protocol ObjectServer: AnyObject, Sendable {
    /// Where the S3 front is.
    var endpoint: String { get }
    /// Of S3.
    var accessKey: String { get }
    var secretKey: String { get }
    var region: String { get }
    /// Of Swift's own API.
    var storageURL: String { get }

    /// A new token: they do not outlive a restart.
    func token() async throws -> String

    /// Stops it and removes what it holds.
    func remove() async
}

extension ObjectServer {
    /// The port of ``endpoint``.
    public var port: Int { endpoint.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// A bucket nobody else uses.
    public func makeBucket() async throws -> SwiftBucket {
        let bucket = SwiftBucket(server: self, name: "b-\(UUID().uuidString.lowercased())")
        _ = try await ChildProcess.output(of: (try await curl()) + ["-X", "PUT", bucket.url])
        return bucket
    }

    /// What asks it, signed in.
    func curl() async throws -> [String] { plainCurl + ["-H", "X-Auth-Token: \(try await token())"] }

    /// What a sign-in by these arguments of curl gives.
    func signIn(_ arguments: [String]) async throws -> String {
        let head = try await ChildProcess.output(of: plainCurl + ["-D", "-", "-o", "/dev/null"] + arguments)
        for line in head.split(whereSeparator: \.isNewline) {
            let name = line.prefix { $0 != ":" }
            guard ["x-auth-token", "x-subject-token"].contains(name.lowercased()) else { continue }
            return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
        }
        throw ChildProcess.Failure.ended("curl", .exited(0), output: "no token in: \(head)")
    }
}

private let plainCurl = ["curl", "-sS", "--fail", "--noproxy", "*", "--max-time", "60"]
