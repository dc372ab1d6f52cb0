package import SystemPackage

/// A file's name as text, also where its bytes are no UTF-8.
///
/// Such a byte becomes `‛` (U+201B) and its two hexadecimal digits: `caf‛E9.jpg`. So that no two names become one, a `‛` that
/// would be taken for such a sign is doubled; all other names stay as they are.
/// Source: what rclone does for services that take UTF-8 only, https://rclone.org/overview/#invalid-utf8.
package enum EscapedName {
    private static let mark: Unicode.Scalar = "\u{201b}"

    private enum Sign {
        case scalar(Unicode.Scalar)
        case byte(UInt8)
    }

    package static func text(of name: FilePath.Component) -> String {
        let bytes = name.withPlatformString { Array(UnsafeRawBufferPointer(start: $0, count: $0.length)) }
        return text(of: bytes)
    }

    package static func text(of name: [UInt8]) -> String {
        if let text = String(validating: name, as: UTF8.self), !text.unicodeScalars.contains(mark) { return text }
        let signs = signs(of: name)
        var text = String.UnicodeScalarView()
        for (index, sign) in signs.enumerated() {
            switch sign {
            case .byte(let byte):
                text.append(mark)
                text.append(contentsOf: Hexadecimal.text(of: [byte]).uppercased().unicodeScalars)
            case .scalar(let scalar):
                text.append(scalar)
                if scalar == mark, isTaken(signs[(index + 1)...]) { text.append(scalar) }
            }
        }
        return String(text)
    }

    /// The bytes again.
    package static func bytes(of text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Substring(text).unicodeScalars
        while let scalar = rest.popFirst() {
            if scalar == mark, rest.first == mark {
                rest.removeFirst()
            } else if scalar == mark, let byte = byte(rest) {
                bytes.append(byte)
                rest.removeFirst(2)
                continue
            }
            bytes += Array(String(scalar).utf8)
        }
        return bytes
    }

    /// Whether a mark before it would be taken for part of it.
    private static func isTaken(_ rest: ArraySlice<Sign>) -> Bool {
        switch rest.first {
        case .byte, .scalar(mark): return true
        case .scalar, nil:
            var next = Substring.UnicodeScalarView()
            for case .scalar(let scalar) in rest.prefix(2) { next.append(scalar) }
            return byte(next) != nil
        }
    }

    /// The byte that two digits at its beginning stand for.
    private static func byte(_ text: Substring.UnicodeScalarView) -> UInt8? {
        let digits = text.prefix(2)
        guard digits.count == 2, digits.allSatisfy({ ("0"..."9").contains($0) || ("A"..."F").contains($0) }) else {
            return nil
        }
        return UInt8(String(digits), radix: 16)
    }

    private static func signs(of bytes: [UInt8]) -> [Sign] {
        var signs: [Sign] = []
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var position = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar):
                position += scalar.count
                signs.append(.scalar(Unicode.UTF8.decode(scalar)))
            case .error(let length):
                signs += bytes[position..<position + length].map(Sign.byte)
                position += length
            case .emptyInput: return signs
            }
        }
    }
}

extension UnsafePointer<CInterop.PlatformChar> {
    /// Up to the NUL.
    fileprivate var length: Int {
        var count = 0
        while self[count] != 0 { count += 1 }
        return count
    }
}
