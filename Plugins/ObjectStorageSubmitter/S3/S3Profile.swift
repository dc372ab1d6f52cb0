internal import SubmitHTTP
internal import SubmitTransfer

/// What a server of S3's protocol takes and means, where servers differ.
///
/// What is not known is taken to be as most have it: signed bodies with `Content-MD5`, and no header that came later.
struct S3Profile: Sendable, Hashable {
    /// For sentences, such as `Amazon S3`.
    var title = "this S3-compatible storage"
    /// The hosts it is recognised by, with `*` for any text.
    var hosts: [String] = []
    /// Buckets stand in the URL's path; `nil` where that is for the configuration to say.
    var isPathStyle: Bool?
    /// Bodies are signed over TLS too. Without TLS they always are.
    var signsBodies = true
    /// The server computes CRC-32C itself, compares it with what was sent, and hands it out.
    var computesCRC32C = false
    /// It does so with items in parts too, over the whole item.
    var computesCRC32COfParts = false
    /// The header in which it states the CRC-32C of what it holds unasked, as `crc32c=…` in base64.
    var hashHeader: String?
    /// `If-None-Match: *` on PUT: `nil` is tried, and given up where it is refused.
    var putsConditionally: Bool?
    /// `If-None-Match: *` when an upload in parts is completed. Where it is not known to work it may end the upload.
    var completesConditionally = false
    /// To abort an upload that became an object, and is not closed yet, takes the object's parts: `nil`: perhaps.
    var abortsTakeObjects: Bool?
    /// `nil`: there are no uploads in parts.
    var parts: PartRules? = PartRules(least: 5 << 20, most: 5 << 30, count: 10_000)
    /// ETags of whole objects and of parts are MD5s, where no key of KMS or the customer is used; `nil`: perhaps.
    var etagsAreMD5: Bool?
    /// ETags of objects in parts are made of the parts' MD5s; `nil`: perhaps.
    var etagsAreOfParts: Bool?
    /// What else is known to be there or to be missing.
    var features: [Feature: Bool] = [:]

    /// What can be asked for by headers.
    enum Feature: String, Sendable, Hashable, CaseIterable {
        case acl
        case storageClass = "storage_class"
        case ownKeys = "sse_s3"
        case keysOfKMS = "sse_kms"
        case customerKeys = "sse_customer"
        case tags
        case objectLock = "object_lock"
        case bucketOwner = "bucket_owner"
    }

    /// Nobody said what the server is, and nothing was found out about it.
    var isUnknown: Bool { self == S3Profile() }

    /// The CRC-32C in base64 of a whole object, that the server computed and states in an answer about it.
    func crc32c(in answer: HTTPResponse) -> String? {
        if computesCRC32C, let text = answer["x-amz-checksum-crc32c"] {
            // Made of those of its parts, it says nothing of the whole.
            return answer["x-amz-checksum-type"] == "COMPOSITE" || text.contains("-") ? nil : text
        }
        guard let hashHeader else { return nil }
        for (name, value) in answer.headers where name.lowercased() == hashHeader {
            for hash in value.split(separator: ",") {
                let text = hash.drop { $0 == " " }
                if text.hasPrefix("crc32c=") { return String(text.dropFirst("crc32c=".count)) }
            }
        }
        return nil
    }
}
