internal import SubmitXML

extension ListedPrefixes {
    /// From an answer on ListObjectsV2 ("ListObjectsV2" in the Amazon S3 API reference); `nil` for what is none.
    init?(_ body: [UInt8]) {
        self.init(prefixes: [], next: nil)
        var isTruncated = false
        var isEncoded = false
        var continuation = ""
        var found: [String] = []
        var isList = false
        let root = try? XMLReader.texts(body, limits: XMLLimits(bytes: 8 << 20)) { path, text in
            switch path {
            case ["CommonPrefixes", "Prefix"]: found.append(text)
            case ["NextContinuationToken"]: continuation = text
            case ["MaxKeys"], ["KeyCount"]: isList = true
            case ["IsTruncated"]: isTruncated = text == "true"
            case ["EncodingType"]: isEncoded = text == "url"
            default: break
            }
        }
        isList = isList || root == "ListBucketResult" || !found.isEmpty
        guard let root, !StorageError.isRoot(root), isList else { return nil }
        prefixes = isEncoded ? found.map(decodedKey) : found
        next = isTruncated && !continuation.isEmpty ? continuation : nil
    }
}

/// Undoes `encoding-type=url`, in which a blank is `+`.
func decodedKey(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
            bytes.append(value)
            rest = rest.dropFirst(2)
        } else {
            bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// A listed key as it is spelled below the prefix that was asked for; `nil` for one that isn't below it.
///
/// Ceph 16 encodes keys without saying so.
func listedKey(_ key: String, below prefix: String) -> String? {
    if key.hasPrefix(prefix) { return key }
    let decoded = decodedKey(key)
    return decoded.hasPrefix(prefix) ? decoded : nil
}
