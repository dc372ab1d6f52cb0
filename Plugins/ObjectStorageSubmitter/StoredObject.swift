internal import Submit
internal import SubmitHTTP

/// What a server says of an object that it holds.
struct StoredObject: Sendable {
    /// Bytes; `nil` where it does not say.
    let size: Int64?
    /// As it is in the header.
    let etag: String?
    /// The SHA-256 that was sent with it, in hexadecimal.
    private let sha256: String?
    /// Its ETag is no MD5, even if it looks like one (encrypted with a key of KMS or of the customer).
    private let hidesMD5: Bool

    /// From the headers of an answer on HEAD.
    init(_ response: HTTPResponse) {
        size = response["Content-Length"].flatMap { Int64($0) }
        etag = response["ETag"]
        sha256 = response[ObjectHeaders.sha256]?.lowercased()
        hidesMD5 = response.hidesMD5
    }

    /// How it compares to an item.
    enum Likeness: Hashable {
        case same(Evidence)
        case different
        /// Of the same size, and that is all that is known.
        case unclear
        /// It carries our SHA-256, and an ETag that would be another MD5 if it is one: only its bytes can tell.
        case doubtful
    }

    func likeness(to item: MediaItem) -> Likeness {
        guard size == item.size else { return size == nil ? .unclear : .different }
        let md5 = etag.flatMap(plainMD5)
        let isVerified = md5 != nil && md5 == item.digests.hexadecimal(.md5)
        if let sha256 {
            guard sha256 == item.digests.hexadecimal(.sha256) else { return .different }
            if isVerified { return .same(.verified) }
            return md5 == nil || hidesMD5 ? .same(.echoed) : .doubtful
        }
        if isVerified { return .same(.verified) }
        return md5 == nil || hidesMD5 ? .unclear : .different
    }

    /// It was stored with the item's SHA-256, whatever it holds now.
    func claims(_ item: MediaItem) -> Bool {
        sha256 != nil && sha256 == item.digests.hexadecimal(.sha256)
    }
}

extension HTTPResponse {
    fileprivate var hidesMD5: Bool {
        self["x-amz-server-side-encryption"]?.hasPrefix("aws:kms") ?? false
            || self["x-amz-server-side-encryption-customer-algorithm"] != nil
    }

    /// The MD5 that an answer on PUT has as its ETag; `nil` where that is something else.
    var storedMD5: String? { hidesMD5 ? nil : self["ETag"].flatMap(plainMD5) }
}

/// The MD5 in an ETag: 32 hexadecimal digits, with or without quotes. ETags of objects in parts have a `-` in them.
private func plainMD5(_ etag: String) -> String? {
    var text = Substring(etag)
    if text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count >= 2 { text = text.dropFirst().dropLast() }
    guard text.utf8.count == 32 else { return nil }
    let lower = text.lowercased()
    return lower.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) } ? lower : nil
}
