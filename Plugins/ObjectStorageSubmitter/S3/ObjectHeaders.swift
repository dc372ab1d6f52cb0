internal import Submit
internal import SubmitHTTP

/// The headers that are stored with an object, or say how to store it.
struct ObjectHeaders: Sendable {
    /// Those of every object of a destination.
    private let constant: [(name: String, value: String)]

    init(isPublic: Bool, storageClass: String?) {
        constant =
            (isPublic ? [("x-amz-acl", "public-read")] : [])
            + (storageClass.map { [("x-amz-storage-class", $0)] } ?? [])
    }

    /// The metadata in which the item's SHA-256 is found again.
    static let sha256 = "x-amz-meta-sha256"

    /// The longest caption that is stored, in bytes as sent: OpenStack Swift takes no more in a header of metadata.
    static let maximumCaption = 256

    /// All headers of an item, with names in lower case, and a note on what did not fit.
    func storing(_ item: MediaItem, sha256: String) -> (all: [(name: String, value: String)], note: String?) {
        var all = constant
        all.append(("content-type", item.type.mime))
        all.append((Self.sha256, sha256))
        all.append(("x-amz-meta-mtime", Self.seconds(item.modified)))
        if let captured = item.captured { all.append(("x-amz-meta-captured", captured.description)) }
        guard let caption = item.caption, !caption.isEmpty else { return (all, nil) }
        let encoded = Self.encoded(caption)
        guard encoded.utf8.count <= Self.maximumCaption else {
            return (all, "The caption is too long for object storage and was left out.")
        }
        all.append(("x-amz-meta-caption", encoded))
        return (all, nil)
    }

    /// The digests of a body that the server compares with its own.
    func checking(_ digests: Digests, profile: S3Profile) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let md5 = digests[.md5] { headers.append(("content-md5", md5.base64)) }
        if profile.computesCRC32C, let crc32c = digests[.crc32c] {
            headers.append(("x-amz-checksum-crc32c", crc32c.base64))
        }
        return headers
    }

    /// What an upload in parts announces of their digests.
    func checkingParts(_ profile: S3Profile) -> [(name: String, value: String)] {
        profile.computesCRC32COfParts
            ? [("x-amz-checksum-algorithm", "CRC32C"), ("x-amz-checksum-type", "FULL_OBJECT")] : []
    }

    /// What every request about an object's bytes has to say.
    var reading: [(name: String, value: String)] { [] }

    /// What the request has to say that completes an upload in parts.
    var completing: [(name: String, value: String)] { [] }

    /// Seconds since 1970 with nine decimals, as rclone writes them.
    static func seconds(_ time: Timestamp) -> String {
        let magnitude = time.nanoseconds.magnitude
        let fraction = String(magnitude % 1_000_000_000)
        return (time.nanoseconds < 0 ? "-" : "") + "\(magnitude / 1_000_000_000)."
            + String(repeating: "0", count: 9 - fraction.utf8.count) + fraction
    }

    /// Text as a header can carry it: itself where it is plain ASCII, else in encoded words (RFC 2047, section 2),
    /// as S3 shows them too.
    static func encoded(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { (32...126).contains($0) } && !text.contains("=?")
            && !text.contains("  ") && !text.hasPrefix(" ") && !text.hasSuffix(" ")
        if isPlain { return text }
        // An encoded word has at most 75 bytes, 12 of them around its base64.
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(UTF8.encode(scalar)!)
            if words[words.count - 1].count + bytes.count > 45 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\($0.base64)?=" }.joined(separator: " ")
    }
}
