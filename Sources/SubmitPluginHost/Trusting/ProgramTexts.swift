internal import Submit

/// Makes what a program says fit to be shown and kept: on one line, without what moves a cursor, and without the secrets
/// that it was given.
struct ProgramTexts: Sendable {
    /// The longest text that is shown, in characters.
    static let longest = 1000
    /// Shorter secrets are not looked for: they are part of many a word.
    private static let shortestSecret = 4

    private var secrets: [String] = []

    init() {}

    init(secrets: [String]) {
        // The longest first: one may be the beginning of another.
        self.secrets = secrets.filter { $0.utf8.count >= Self.shortestSecret }
            .sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    /// The text with `…` for each secret.
    func redacted(_ text: String) -> String {
        var text = text
        for secret in secrets {
            while let place = text.utf8.firstRange(of: Array(secret.utf8)) { text.replaceSubrange(place, with: "…") }
        }
        return text
    }

    func hidesSecrets(_ text: String) -> Bool {
        text.utf8.count <= 48 << 10 && redacted(text) == text
    }

    /// The text on one line, cut where it is too long.
    func line(_ text: String, longest: Int = Self.longest) -> String {
        var line = ""
        // What stands behind the cut is not worth escaping; what is cut into a secret would show the rest of it.
        for scalar in redacted(text).unicodeScalars.prefix(4 * longest) {
            switch scalar {
            case "\n", "\r", "\t": line += " "
            case _ where Self.isControl(scalar): line += "\\u{\(String(scalar.value, radix: 16))}"
            default: line.unicodeScalars.append(scalar)
            }
        }
        while line.last == " " { line.removeLast() }
        return line.count > longest ? line.prefix(longest - 1) + "…" : line
    }

    /// A sentence, or `otherwise` where there is none.
    func sentence(_ text: String, otherwise: String) -> String {
        let line = line(text)
        if line.isEmpty { return otherwise }
        return line.hasSuffix(".") ? line : line + "."
    }

    /// The end of a longer text.
    func excerpt(_ text: String) -> String {
        let lines = redacted(text).split(whereSeparator: \.isNewline).suffix(3).map { line(String($0), longest: 200) }
        return lines.filter { !$0.isEmpty }.joined(separator: " / ")
    }

    /// C0, DEL, C1, and what turns the direction of writing.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}

extension String.UTF8View {
    /// By bytes: characters that combine must not hide a secret.
    fileprivate func firstRange(of bytes: [UInt8]) -> Range<Index>? {
        guard let first = bytes.first, bytes.count <= count else { return nil }
        var start = startIndex
        while let place = self[start...].firstIndex(of: first) {
            if self[place...].starts(with: bytes) { return place..<index(place, offsetBy: bytes.count) }
            start = index(after: place)
        }
        return nil
    }
}
