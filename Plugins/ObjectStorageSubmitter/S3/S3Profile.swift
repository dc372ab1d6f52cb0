internal import Submit

/// What a server of S3's protocol takes and means, where servers differ.
///
/// What is not known is taken to be as most have it: signed bodies with `Content-MD5`, and no header that came later.
struct S3Profile: Sendable, Hashable {
    /// Such as `aws`.
    var name = "unknown"
    /// Buckets stand in the URL's path; `nil` where that is for the configuration to say.
    var isPathStyle: Bool?
    /// Bodies are signed over TLS too. Without TLS they always are.
    var signsBodies = true
    /// The digest that the server computes itself and compares, besides MD5.
    var checksum: Checksum?
    /// `If-None-Match: *` on PUT: `nil` is tried, and given up where it is refused.
    var putsConditionally: Bool?
    /// `If-None-Match: *` when an upload in parts is completed. Where it is not known to work it may end the upload.
    var completesConditionally = false
    /// `nil`: there are no uploads in parts.
    var parts: PartRules? = PartRules(least: 5 << 20, most: 5 << 30, count: 10_000)
    /// ETags of whole objects are MD5s, and those of objects in parts are made of the parts' MD5s; `nil`: perhaps.
    var etagsAreMD5: Bool?

    enum Checksum: String, Sendable, Hashable, CaseIterable {
        case crc32c
        case sha256
    }
}
