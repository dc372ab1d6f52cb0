internal import Foundation

/// OpenStack Swift with its S3 front.
public final class SwiftServer: Sendable {
    public let endpoint: String
    public let accessKey: String
    public let secretKey: String
    public let region: String
    private let script: ServerScript

    private static let running = Task { try await SwiftServer() }

    /// The one that tests share, each with buckets of its own. Nobody stops it.
    public static func shared() async throws -> SwiftServer { try await running.value }

    /// Starts one of one's own.
    public init() async throws {
        script = try ServerScript("swift-s3.sh")
        let values = try await script.start()
        func value(_ name: String) throws -> String {
            guard let value = values[name] else { throw CocoaError(.keyValueValidation, userInfo: ["missing": name]) }
            return value
        }
        endpoint = try value("ENDPOINT")
        accessKey = try value("ACCESS_KEY")
        secretKey = try value("SECRET_KEY")
        region = try value("REGION")
    }

    /// Stops it; what it holds stays.
    public func stop() async throws { try await script.stop() }

    /// Starts it again, at the same address and with what it held.
    public func restart() async throws { _ = try await script.start() }

    /// A bucket nobody else uses.
    public func makeBucket() async throws -> SwiftBucket {
        let bucket = SwiftBucket(server: self, name: "b-\(UUID().uuidString.lowercased())")
        _ = try await ChildProcess.output(of: curl + (try await token()) + ["-X", "PUT", bucket.url])
        return bucket
    }

    /// Signing in again each time: the tokens do not outlive a restart.
    func token() async throws -> [String] {
        let head = try await ChildProcess.output(
            of: curl + [
                "-D", "-", "-o", "/dev/null", "-H", "X-Auth-User: \(accessKey)", "-H", "X-Auth-Key: \(secretKey)",
                "\(endpoint)/auth/v1.0",
            ])
        for line in head.split(whereSeparator: \.isNewline) where line.lowercased().hasPrefix("x-auth-token:") {
            return ["-H", String(line)]
        }
        throw ChildProcess.Failure.ended("curl", .exited(0), output: "no token in: \(head)")
    }

    let curl = ["curl", "-sS", "--fail", "--noproxy", "*", "--max-time", "60"]
}

/// A bucket, seen through Swift's own API: what S3 put there, by another way than it came.
public struct SwiftBucket: Sendable {
    public let server: SwiftServer
    public let name: String

    var url: String { "\(server.endpoint)/v1/AUTH_test/\(name)" }

    /// What the server says of an object.
    public struct Object: Sendable, Hashable, Decodable {
        public var name: String
        public var bytes: Int64
        /// Of its last change, to the microsecond.
        public var changed: String

        enum CodingKeys: String, CodingKey {
            case name, bytes
            case changed = "last_modified"
        }
    }

    /// The objects, sorted by name.
    public func objects() async throws -> [Object] {
        let text = try await ChildProcess.output(
            of: server.curl + (try await server.token()) + ["\(url)?format=json&limit=10000"])
        return try JSONDecoder().decode([Object].self, from: Data(text.utf8))
    }

    /// The SHA-256 of every object, by its name.
    public func digests() async throws -> [String: String] {
        let folder = TemporaryFolder()
        let names = try await objects().map(\.name)
        if names.isEmpty { return [:] }
        var allowed = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: Unicode.Scalar(0)..."\u{7f}"))
        allowed.insert(charactersIn: "-._~/")
        var lines: [String] = []
        for (number, name) in names.enumerated() {
            let path = name.addingPercentEncoding(withAllowedCharacters: allowed) ?? name
            lines += ["url = \"\(url)/\(path)\"", "output = \"\(folder.path(String(number)))\""]
        }
        let list = TemporaryFolder()
        try list.write(lines.joined(separator: "\n"), to: "list")
        try await ChildProcess.output(
            of: server.curl + (try await server.token()) + ["-Z", "--parallel-max", "8", "-K", list.path("list")])
        let digests = try await FolderDigests.of(folder.path)
        return Dictionary(
            uniqueKeysWithValues: names.enumerated().map { ($1, digests[String($0)] ?? "was not fetched") })
    }
}
