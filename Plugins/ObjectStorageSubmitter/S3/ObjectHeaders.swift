internal import Submit
internal import SubmitHTTP

/// The headers that are stored with an object, or say how to store it.
struct ObjectHeaders: Sendable {
    var isPublic = false
    var storageClass: String?
    var cacheControl: String?
    var encryption: S3Encryption?
    var lock: ObjectLock?
    /// Items' tags become tags of objects.
    var keepsTags = false
    /// The account that the bucket has to belong to.
    var bucketOwner: String?

    /// The metadata in which the item's SHA-256 is found again.
    static let sha256 = "x-amz-meta-sha256"

    /// The longest caption that is stored, in bytes as sent: OpenStack Swift takes no more in a header of metadata.
    static let maximumCaption = 256

    /// All headers of an item, with names in lower case, and a note on what did not fit.
    ///
    /// - Parameter now: the server's time, that a lock begins at.
    func storing(
        _ item: MediaItem, sha256: String, now: Timestamp
    ) -> (all: [(name: String, value: String)], note: String?) {
        var all: [(name: String, value: String)] = []
        var notes: [String] = []
        if isPublic { all.append(("x-amz-acl", "public-read")) }
        if let storageClass { all.append(("x-amz-storage-class", storageClass)) }
        if let cacheControl { all.append(("cache-control", cacheControl)) }
        if let encryption { all += encryption.storing }
        if let lock { all += lock.headers(from: now) }
        all.append(("content-type", item.type.mime))
        all.append((Self.sha256, sha256))
        all.append(("x-amz-meta-mtime", Self.seconds(item.modified)))
        if let captured = item.captured { all.append(("x-amz-meta-captured", captured.description)) }
        if keepsTags, !item.tags.isEmpty {
            let tags = ObjectTags(item.tags)
            if !tags.query.isEmpty { all.append(("x-amz-tagging", tags.query)) }
            if tags.leavesOut { notes.append("Not all tags fit object storage, and those were left out.") }
        }
        if let caption = item.caption, !caption.isEmpty {
            let encoded = Self.encoded(caption)
            if encoded.utf8.count <= Self.maximumCaption {
                all.append(("x-amz-meta-caption", encoded))
            } else {
                notes.append("The caption is too long for object storage and was left out.")
            }
        }
        return (all, notes.isEmpty ? nil : notes.joined(separator: " "))
    }

    /// The digests of a body that the server compares with its own.
    ///
    /// - Parameter checksums: CRC-32C too, besides MD5.
    func checking(_ digests: Digests, checksums: Bool) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let md5 = digests[.md5] { headers.append(("content-md5", Base64.text(of: md5))) }
        if checksums, let crc32c = digests[.crc32c] {
            headers.append(("x-amz-checksum-crc32c", Base64.text(of: crc32c)))
        }
        return headers
    }

    /// What an upload in parts announces of their digests.
    var checkingParts: [(name: String, value: String)] {
        [("x-amz-checksum-algorithm", "CRC32C"), ("x-amz-checksum-type", "FULL_OBJECT")]
    }

    /// What every request about an object's bytes has to say: the customer's key.
    var reading: [(name: String, value: String)] { encryption?.reading ?? [] }

    /// What the request has to say that completes an upload in parts with digests ("CompleteMultipartUpload" in the
    /// Amazon S3 API reference).
    ///
    /// - Parameter crc32c: of the whole item.
    func completing(_ item: MediaItem, crc32c: [UInt8]) -> [(name: String, value: String)] {
        [
            ("x-amz-checksum-crc32c", Base64.text(of: crc32c)), ("x-amz-checksum-type", "FULL_OBJECT"),
            ("x-amz-mp-object-size", "\(item.size)"),
        ] + reading
    }

    /// What every request to a bucket has to say.
    var always: [(name: String, value: String)] { bucketOwner.map { [("x-amz-expected-bucket-owner", $0)] } ?? [] }

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
        return words.map { "=?UTF-8?B?\(Base64.text(of: $0))?=" }.joined(separator: " ")
    }
}
