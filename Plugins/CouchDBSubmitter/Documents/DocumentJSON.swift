/// JSON as text (RFC 8259).
enum DocumentJSON {
    /// A string with its quotes.
    static func string(_ text: String) -> String {
        var quoted: [UInt8] = [UInt8(ascii: "\"")]
        quoted.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): quoted += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                quoted += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: quoted.append(byte)
            }
        }
        quoted.append(UInt8(ascii: "\""))
        return String(decoding: quoted, as: UTF8.self)
    }

    static func array(_ texts: some Sequence<String>) -> String {
        "[\(texts.map { string($0) }.joined(separator: ","))]"
    }
}
