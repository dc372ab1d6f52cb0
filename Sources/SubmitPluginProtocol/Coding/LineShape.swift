/// What is looked at before a line is read as JSON, so that the reader meets nothing that would make it work without
/// bound or guess at another encoding.
enum LineShape {
    /// Objects and lists within each other; no message needs more than 5.
    static let deepest = 16

    static func check(_ line: [UInt8]) throws(MalformedMessage) {
        guard line.first(where: { !Self.isSpace($0) }) == UInt8(ascii: "{") else {
            throw MalformedMessage("it is no JSON object; what people are to read goes to standard error")
        }
        guard String(validating: line, as: UTF8.self) != nil, !line.contains(0) else {
            throw MalformedMessage("it is not UTF-8")
        }
        var depth = 0
        var inText = false
        var isEscaped = false
        for byte in line {
            if isEscaped {
                isEscaped = false
            } else if inText {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                if byte == UInt8(ascii: "\"") { inText = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): inText = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
                guard depth <= deepest else { throw MalformedMessage("it is nested too deeply") }
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")].contains(byte)
    }
}
