/// A text without one layer of the escapes of URLs, JSON and XML, and where each byte of it came from.
struct UnescapedText {
    let bytes: [UInt8]
    /// For each byte where it began in the original text; then where that ends.
    let origins: [Int]
    private let depth: Int

    /// Escapes in escapes are looked through so often.
    private static let deepest = 3
    private static let marks: [UInt8] = [UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: "&")]

    /// - Returns: `nil` where nothing is escaped.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        guard text.contains(where: Self.marks.contains) else { return nil }
        self.init(text, { $0 }, depth: 1)
    }

    /// What is left without the next layer; `nil` where there is none.
    var next: UnescapedText? {
        guard depth < Self.deepest, bytes.contains(where: Self.marks.contains) else { return nil }
        return bytes.withUnsafeBufferPointer { UnescapedText($0, { origins[$0] }, depth: depth + 1) }
    }

    private init?(_ text: UnsafeBufferPointer<UInt8>, _ origin: (Int) -> Int, depth: Int) {
        var bytes: [UInt8] = []
        var origins: [Int] = []
        bytes.reserveCapacity(text.count)
        origins.reserveCapacity(text.count + 1)
        var place = 0
        while place < text.count {
            let escape = Self.marks.contains(text[place]) ? Self.escape(text[place...]) : nil
            for byte in escape?.meaning ?? [text[place]] {
                bytes.append(byte)
                origins.append(origin(place))
            }
            place += escape?.length ?? 1
        }
        if bytes.count == text.count { return nil }
        origins.append(origin(text.count))
        self.bytes = bytes
        self.origins = origins
        self.depth = depth
    }

    /// The escape that a text begins with.
    private static func escape(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> (meaning: [UInt8], length: Int)? {
        let head = String(decoding: text.prefix(12), as: UTF8.self).unicodeScalars.map(Character.init)
        switch head.first {
        case "%":
            guard let code = number(head.dropFirst().prefix(2), digits: 2...2) else { return nil }
            return ([UInt8(code)], 3)
        case "\\":
            guard head.count > 1 else { return nil }
            if head[1] == "u" {
                guard let code = number(head.dropFirst(2).prefix(4), digits: 4...4) else { return nil }
                if code >> 10 == 0x36, head.count >= 12, head[6] == "\\", head[7] == "u",
                    let low = number(head[8..<12], digits: 4...4), low >> 10 == 0x37
                {
                    return (utf8(0x10000 + (code & 0x3ff) << 10 + low & 0x3ff), 12)
                }
                return (utf8(code), 6)
            }
            let meanings: [Character: UInt8] = [
                "n": 10, "r": 13, "t": 9, "b": 8, "f": 12, "/": 47, "\\": 92, "\"": 34, "'": 39,
            ]
            return meanings[head[1]].map { ([$0], 2) }
        case "&":
            guard let end = head.firstIndex(of: ";") else { return nil }
            let name = head[1..<end]
            if name.first == "#" {
                let isHex = name.dropFirst().first == "x" || name.dropFirst().first == "X"
                guard let code = number(name.dropFirst(isHex ? 2 : 1), digits: 1...7, radix: isHex ? 16 : 10) else {
                    return nil
                }
                return (utf8(code), end + 1)
            }
            let meanings: [String: UInt8] = ["amp": 38, "lt": 60, "gt": 62, "quot": 34, "apos": 39]
            return meanings[String(name)].map { ([$0], end + 1) }
        default: return nil
        }
    }

    private static func number(_ text: ArraySlice<Character>, digits: ClosedRange<Int>, radix: Int = 16) -> UInt32? {
        guard digits.contains(text.count), text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        return UInt32(String(text), radix: radix)
    }

    private static func utf8(_ code: UInt32) -> [UInt8] {
        Array(String(Unicode.Scalar(code).map(Character.init) ?? "\u{fffd}").utf8)
    }
}
