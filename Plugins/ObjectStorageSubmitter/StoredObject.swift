internal import Submit
internal import SubmitHTTP
internal import SubmitTransfer

/// What a server says of an object that it holds.
struct StoredObject: Sendable, Hashable {
    /// Bytes; `nil` where it does not say.
    let size: Int64?
    /// As it is in the header.
    let etag: String?
    /// The SHA-256 that was sent with it, in hexadecimal.
    let sha256: String?
    /// Its ETag is no MD5 of its bytes, even if it looks like one: it is in parts, or encrypted with a key of KMS or of
    /// the customer.
    let hidesMD5: Bool
    /// The CRC-32C in base64 that the server computed of all its bytes.
    var crc32c: String?
    /// It is known that an ETag which looks like an MD5 is one.
    var hasSureMD5 = false
    /// A large object of OpenStack Swift: a list of segments, which can be lost by themselves.
    var isLarge = false
    /// By which a later look tells whether it is still the same.
    var marks: [String: String] = [:]

    /// The names of ``marks``.
    static let marksStrongestFirst = ["etag", "version", "modified"]

    /// The size and the digests that the server states for the bytes.
    var findings: CopyFindings {
        var findings = CopyFindings(size: size)
        findings.computed[.crc32c] = crc32c.flatMap { Base64.bytes(of: $0) }
        findings.echoed[.sha256] = sha256.flatMap { Hexadecimal.bytes(of: $0) }
        let md5 = hidesMD5 ? nil : etag.flatMap(plainMD5).flatMap { Hexadecimal.bytes(of: $0) }
        if hasSureMD5 { findings.computed[.md5] = md5 } else { findings.possible[.md5] = md5 }
        return findings
    }

    /// Nothing that it says of itself speaks against it being the item.
    func mayBe(_ item: MediaItem) -> Bool { (size == nil || size == item.size) && (sha256 == nil || claims(item)) }

    /// It was stored with the item's SHA-256, whatever it holds now.
    func claims(_ item: MediaItem) -> Bool {
        sha256 != nil && sha256 == item.digests.hexadecimal(.sha256)
    }
}

extension HTTPResponse {
    /// What an answer about an object says of it that changes with its bytes: its ETag (RFC 9110, section 8.8.3), but no
    /// weak one; its version ("PutObject" in the Amazon S3 API reference); when it was stored.
    var marks: [String: String] {
        var marks: [String: String] = [:]
        if let etag = self["ETag"], !etag.hasPrefix("W/") { marks["etag"] = unquoted(etag) }
        if let version = self["x-amz-version-id"], version != "null" { marks["version"] = version }
        marks["modified"] = self["Last-Modified"]
        return marks
    }
}

/// An ETag's text: without its quotes, in lower case.
func unquoted(_ etag: String) -> String { bare(etag).lowercased() }

/// An ETag without its quotes.
func bare(_ etag: String) -> String {
    guard etag.hasPrefix("\""), etag.hasSuffix("\""), etag.utf8.count >= 2 else { return etag }
    return String(etag.dropFirst().dropLast())
}

/// The MD5 in an ETag: 32 hexadecimal digits, with or without quotes. ETags of S3's objects in parts have a `-` in
/// them.
func plainMD5(_ etag: String) -> String? {
    let text = unquoted(etag)
    return text.utf8.count == 32 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        ? text : nil
}
