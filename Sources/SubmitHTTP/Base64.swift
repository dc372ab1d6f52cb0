extension Sequence where Element == UInt8 {
    /// The bytes in base64 with padding (RFC 4648, section 4).
    public var base64: String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let padding = UInt8(ascii: "=")
        var text: [UInt8] = []
        text.reserveCapacity((underestimatedCount + 2) / 3 * 4)
        var bytes = makeIterator()
        while let first = bytes.next() {
            let second = bytes.next()
            let third = second == nil ? nil : bytes.next()
            let bits = Int(first) << 16 | Int(second ?? 0) << 8 | Int(third ?? 0)
            text.append(digits[bits >> 18])
            text.append(digits[bits >> 12 & 63])
            text.append(second == nil ? padding : digits[bits >> 6 & 63])
            text.append(third == nil ? padding : digits[bits & 63])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
