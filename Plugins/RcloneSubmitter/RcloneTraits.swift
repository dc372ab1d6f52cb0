internal import FoundationEssentials
internal import Submit

/// What rclone says of a remote's kind.
struct RcloneTraits: Sendable {
    /// The best digest that the remote tells of its copies; `nil` where it tells none that we have.
    let digest: DigestAlgorithm?
    /// Folders are there only while something is in them.
    let isBucketBased: Bool

    init?(_ output: [UInt8]) {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(output)) else { return nil }
        // These keep digests that rclone computed on the way: they say nothing of what is stored.
        let remembers = ["hasher::", "Chunked ", "Compressed: "].contains { document.String?.hasPrefix($0) ?? false }
        let known: [DigestAlgorithm] = [.sha256, .sha1, .md5]
        digest = remembers ? nil : known.first { document.Hashes?.contains($0.rawValue) ?? false }
        isBucketBased = document.Features["BucketBased"] ?? false
    }

    private struct Document: Decodable {
        var String: Swift.String?
        var Hashes: [Swift.String]?
        var Features: [Swift.String: Bool]
    }
}
