internal import SubmitXML

/// What one answer on ListObjectsV2 says of the prefixes up to the delimiter ("ListObjectsV2" in the Amazon S3 API
/// reference).
struct ListedPrefixes: Sendable, Hashable {
    private(set) var prefixes: [String] = []
    /// Where the list goes on; `nil` at its end.
    private(set) var next: String?

    /// `nil` for what is no such answer.
    init?(_ body: [UInt8]) {
        let reader = XMLReader(body, limits: XMLLimits(bytes: 8 << 20))
        var path: [String] = []
        var text = ""
        var isTruncated = false
        var isEncoded = false
        do throws(XMLFailure) {
            while let piece = try reader.next() {
                switch piece {
                case .start(let name):
                    path.append(name.local)
                    text = ""
                case .text(let more): text += more
                case .end:
                    switch path.dropFirst() {
                    case ["CommonPrefixes", "Prefix"]: prefixes.append(text)
                    case ["NextContinuationToken"]: next = text.isEmpty ? nil : text
                    case ["IsTruncated"]: isTruncated = text == "true"
                    case ["EncodingType"]: isEncoded = text == "url"
                    default: break
                    }
                    guard path.first == "ListBucketResult" else { return nil }
                    path.removeLast()
                    text = ""
                }
            }
        } catch {
            return nil
        }
        if !isTruncated { next = nil }
        if isEncoded { prefixes = prefixes.map(Self.decoded) }
    }

    /// Undoes `encoding-type=url`, in which a blank is `+`.
    private static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
