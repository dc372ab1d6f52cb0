internal import FoundationEssentials
public import Submit

/// Bytes as text in base64.
public enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The bytes with padding (RFC 4648, section 4).
    public static func text(of bytes: some Sequence<UInt8>) -> String { text(of: Array(bytes)) }

    /// The same.
    public static func text(of bytes: [UInt8]) -> String {
        let digits = digits
        let length = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: length) { text in
            var place = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let rest = bytes.count - start
                let second = rest > 1 ? Int(bytes[start + 1]) : 0
                let bits = Int(bytes[start]) << 16 | second << 8 | (rest > 2 ? Int(bytes[start + 2]) : 0)
                text[place] = digits[bits >> 18]
                text[place + 1] = digits[bits >> 12 & 63]
                text[place + 2] = rest > 1 ? digits[bits >> 6 & 63] : UInt8(ascii: "=")
                text[place + 3] = rest > 2 ? digits[bits & 63] : UInt8(ascii: "=")
                place += 4
            }
            return length
        }
    }

    /// The bytes of a text with padding; `nil` for anything else.
    public static func bytes(of text: some StringProtocol) -> [UInt8]? {
        Data(base64Encoded: String(text)).map { Array($0) }
    }
}

extension Digests {
    /// The digest in base64, as headers have it; `nil` where it was not computed.
    public func base64(_ algorithm: DigestAlgorithm) -> String? {
        self[algorithm].map { Base64.text(of: $0) }
    }
}
