internal import Foundation

/// OpenStack Swift with users of its own: its API with v1 authentication, its S3 front and temporary URLs.
public final class SwiftServer: Sendable {
    public let endpoint: String
    /// Over https, vouched for by ``certificateAuthority``.
    public let secureEndpoint: String
    /// The same with a certificate for another host.
    public let wrongNameEndpoint: String
    /// The path of a PEM file.
    public let certificateAuthority: String
    /// Of S3; also the user's name and key of v1 authentication.
    public let accessKey: String
    public let secretKey: String
    public let region: String
    /// Of v1 authentication; ``secureEndpoint`` has it at the same path.
    public let authURL: String
    public let storageURL: String
    /// The account's key for temporary URLs.
    public let temporaryURLKey: String
    private let script: ServerScript
    private let options: [String]

    private static let running = Task { try await SwiftServer() }

    /// The one that tests share, each with buckets of its own. Nobody stops it.
    public static func shared() async throws -> SwiftServer { try await running.value }

    /// Starts one of one's own.
    ///
    /// - Parameters:
    ///   - maximumFileSize: bytes of the largest object that is not made of segments; Swift's 5 GiB by default.
    ///   - tokenLife: seconds until a token of v1 authentication ends; Swift's day by default.
    ///   - disk: where it keeps everything; by default where there is room.
    public init(maximumFileSize: Int? = nil, tokenLife: Int? = nil, disk: SmallDisk? = nil) async throws {
        script = try ServerScript("swift.sh")
        if let disk {
            try FileManager.default.createDirectory(atPath: script.folder, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: script.folder + "/data", withDestinationPath: disk.path)
        }
        options = ServerScript.swiftOptions(maximumFileSize: maximumFileSize, tokenLife: tokenLife)
        let values = try await script.start(options)
        endpoint = try values.value("ENDPOINT")
        secureEndpoint = try values.value("TLS_ENDPOINT")
        wrongNameEndpoint = try values.value("WRONG_NAME_ENDPOINT")
        certificateAuthority = try values.value("CA")
        accessKey = try values.value("ACCESS_KEY")
        secretKey = try values.value("SECRET_KEY")
        region = try values.value("REGION")
        authURL = try values.value("AUTH_URL")
        storageURL = try values.value("STORAGE_URL")
        temporaryURLKey = try values.value("TEMP_URL_KEY")
    }

    /// Stops it; what it holds stays.
    public func stop() async throws { try await script.stop() }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }

    /// Starts it again, at the same address and with what it held.
    public func restart() async throws { _ = try await script.start(options) }

    /// The port of ``endpoint``.
    public var port: Int { endpoint.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

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
                authURL,
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

    var url: String { "\(server.storageURL)/\(name)" }

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

    /// Where s3api keeps the parts of this bucket's uploads, and of its objects that came in parts.
    public var parts: SwiftBucket { SwiftBucket(server: server, name: name + "+segments") }

    /// Where clients of Swift keep the segments of this container's objects.
    public var segments: SwiftBucket { SwiftBucket(server: server, name: name + "_segments") }

    /// Makes it, unless it is there, and lets it hold no more than so many bytes; `nil`: as many as there is room for.
    public func limit(to bytes: Int64?) async throws {
        let quota = bytes.map { ["-H", "X-Container-Meta-Quota-Bytes: \($0)"] }
            ?? ["-H", "X-Remove-Container-Meta-Quota-Bytes: x"]
        try await ChildProcess.output(of: server.curl + (try await server.token()) + quota + ["-X", "PUT", url])
    }

    /// The SHA-256 of an object however large it is, whose name needs no encoding.
    public func digest(of name: String) async throws -> String {
        let text = try await ChildProcess.output(
            of: ["/bin/sh", "-c", "\"$@\" | sha256sum", "digest"] + server.curl + (try await server.token())
                + ["--max-time", "900", "\(url)/\(name)"], within: 900)
        return String(text.prefix { $0 != " " })
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
