/// Characters that move the cursor, turn the direction of writing or cannot be seen at all: by them a name would look like
/// another one, or forge a line.
package enum UnseenCharacters {
    /// C0, DEL, C1, and what turns the direction of writing or ends a line.
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
        default: false
        }
    }

    /// The text with these written out: `\n`, `\u{200b}`.
    package static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy({ 0x20..<0x7f ~= $0 }) { return text }
        var shown = String.UnicodeScalarView()
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            switch scalar {
            case "\n": shown.append(contentsOf: "\\n".unicodeScalars)
            case "\r": shown.append(contentsOf: "\\r".unicodeScalars)
            case "\t": shown.append(contentsOf: "\\t".unicodeScalars)
            case _ where isControl(scalar) || isIgnorable(scalar) && !isOfEmoji(scalar, at: index, in: scalars):
                shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: shown.append(scalar)
            }
        }
        return String(shown)
    }

    /// Shown as nothing: of no width, tags, variation selectors.
    /// Source: Default_Ignorable_Code_Point, https://www.unicode.org/reports/tr44/.
    private static func isIgnorable(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0xad && scalar.properties.isDefaultIgnorableCodePoint
    }

    /// Emoji are joined by U+200D, and made colourful by U+FE0F.
    private static func isOfEmoji(_ scalar: Unicode.Scalar, at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        func isEmoji(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0x7f && scalar.properties.isEmoji }
        guard index > 0 else { return false }
        let before = scalars[index - 1]
        switch scalar.value {
        case 0xfe0e, 0xfe0f: return isEmoji(before)
        case 0x200d:
            return (isEmoji(before) || before.value == 0xfe0f) && index + 1 < scalars.count
                && isEmoji(scalars[index + 1])
        default: return false
        }
    }
}
