public import Submit

/// Bytes as text in base64.
public enum Base64 {
    /// The bytes with padding (RFC 4648, section 4).
    public static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let padding = UInt8(ascii: "=")
        var text: [UInt8] = []
        text.reserveCapacity((bytes.underestimatedCount + 2) / 3 * 4)
        var rest = bytes.makeIterator()
        while let first = rest.next() {
            let second = rest.next()
            let third = second == nil ? nil : rest.next()
            let bits = Int(first) << 16 | Int(second ?? 0) << 8 | Int(third ?? 0)
            text.append(digits[bits >> 18])
            text.append(digits[bits >> 12 & 63])
            text.append(second == nil ? padding : digits[bits >> 6 & 63])
            text.append(third == nil ? padding : digits[bits & 63])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Digests {
    /// The digest in base64, as headers have it; `nil` where it was not computed.
    public func base64(_ algorithm: DigestAlgorithm) -> String? {
        self[algorithm].map(Base64.text(of:))
    }
}
