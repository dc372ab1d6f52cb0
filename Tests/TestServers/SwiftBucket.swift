internal import Foundation

/// A bucket, seen through Swift's own API: what S3 put there, by another way than it came.
public struct SwiftBucket: Sendable {
    public let server: any ObjectServer
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
            of: (try await server.curl()) + ["\(url)?format=json&limit=10000"])
        return try JSONDecoder().decode([Object].self, from: Data(text.utf8))
    }

    /// Where s3api keeps the parts of this bucket's uploads, and of its objects that came in parts.
    public var parts: SwiftBucket { SwiftBucket(server: server, name: name + "+segments") }

    /// Where those are that came through Swift's own API.
    public var segments: SwiftBucket { SwiftBucket(server: server, name: name + "_segments") }

    /// Makes it, unless it is there, and lets it hold no more than so many bytes; `nil`: as many as there is room for.
    public func limit(to bytes: Int64?) async throws {
        let quota =
            bytes.map { ["-H", "X-Container-Meta-Quota-Bytes: \($0)"] }
            ?? ["-H", "X-Remove-Container-Meta-Quota-Bytes: x"]
        try await ChildProcess.output(of: (try await server.curl()) + quota + ["-X", "PUT", url])
    }

    /// The SHA-256 of an object however large it is, whose name needs no encoding.
    public func digest(of name: String) async throws -> String {
        let text = try await ChildProcess.output(
            of: ["/bin/sh", "-c", "\"$@\" | sha256sum", "digest"] + (try await server.curl())
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
            of: (try await server.curl()) + ["-Z", "--parallel-max", "8", "-K", list.path("list")])
        let digests = try await FolderDigests.of(folder.path)
        return Dictionary(
            uniqueKeysWithValues: names.enumerated().map { ($1, digests[String($0)] ?? "was not fetched") })
    }
}
