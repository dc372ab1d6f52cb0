/// What `like` looks for: a text from its beginning to its end, in which `%` stands for any characters, `_` for one, and `\` takes
/// the meaning from what follows it.
///
/// A character is a Unicode scalar.
public struct LikePattern: Sendable, Hashable {
    /// Whether case and compatibility forms are disregarded: `ilike`.
    public let isFolded: Bool
    /// As it is matched: all but the wildcards is composed, and folded where ``isFolded`` says so.
    package let text: String

    /// - Returns: `nil` where it ends with a `\`, which would take the meaning from nothing.
    public init?(_ pattern: String, isFolded: Bool) {
        self.isFolded = isFolded
        var (text, literal, isEscaped) = ("", String.UnicodeScalarView(), false)
        // Wildcards come first: a wide `％` folds to one, and means itself.
        func close() {
            text += Self.escaped(isFolded ? TextFolding.folded(String(literal)) : TextFolding.composed(String(literal)))
            literal = String.UnicodeScalarView()
        }
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case _ where isEscaped: (isEscaped, _) = (false, literal.append(scalar))
            case "\\": isEscaped = true
            case "%", "_":
                close()
                text.unicodeScalars.append(scalar)
            default: literal.append(scalar)
            }
        }
        guard !isEscaped else { return nil }
        close()
        self.text = text
    }

    /// A pattern of texts that have this one in them.
    public init(containing text: String, isFolded: Bool) {
        self.isFolded = isFolded
        self.text = "%\(Self.escaped(isFolded ? TextFolding.folded(text) : TextFolding.composed(text)))%"
    }

    private static func escaped(_ literal: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in literal.unicodeScalars {
            if ["%", "_", "\\"].contains(scalar) { scalars.append("\\") }
            scalars.append(scalar)
        }
        return String(scalars)
    }

    /// Whether it matches a text.
    ///
    /// - Parameter text: composed, and folded where ``isFolded`` says so.
    package func matches(_ text: String) -> Bool {
        var (text, pattern) = (text, self.text)
        return text.withUTF8 { text in
            pattern.withUTF8 { Self.matches(UnsafeRawBufferPointer(text), UnsafeRawBufferPointer($0)) }
        }
    }

    /// The one matcher, for the evaluator and for SQL: bytes of UTF-8 against those of ``text``. It goes back to the last `%` only,
    /// so that no pattern takes longer than the product of both lengths.
    package static func matches(_ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer) -> Bool {
        let (percent, underscore, backslash) = (UInt8(ascii: "%"), UInt8(ascii: "_"), UInt8(ascii: "\\"))
        var (at, wanted) = (0, 0)
        var retry: (at: Int, wanted: Int)?
        while true {
            if wanted < pattern.count, pattern[wanted] == percent {
                wanted += 1
                if wanted == pattern.count { return true }
                retry = (at, wanted)
                continue
            }
            if at == text.count, wanted == pattern.count { return true }
            if at < text.count, wanted < pattern.count {
                if pattern[wanted] == underscore {
                    at = next(text, at)
                    wanted += 1
                    continue
                }
                let literal = pattern[wanted] == backslash && wanted + 1 < pattern.count ? wanted + 1 : wanted
                if pattern[literal] == text[at] {
                    at += 1
                    wanted = literal + 1
                    continue
                }
            }
            guard let last = retry, last.at < text.count else { return false }
            let later = next(text, last.at)
            retry = (later, last.wanted)
            (at, wanted) = (later, last.wanted)
        }
    }

    /// The beginning of the next scalar.
    private static func next(_ text: UnsafeRawBufferPointer, _ at: Int) -> Int {
        var at = at + 1
        while at < text.count, text[at] & 0xC0 == 0x80 { at += 1 }
        return at
    }
}
