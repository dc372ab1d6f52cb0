internal import Submit

/// Makes what a program says fit to be shown and kept: on one line, without what moves a cursor, and without the secrets
/// that it was given.
struct ProgramTexts: Sendable {
    /// The longest text that is shown, in characters.
    static let longest = 1000
    /// Shorter secrets are not looked for: they are part of many a word.
    private static let shortestSecret = 4

    /// By bytes: characters that combine must not hide a secret. By their first byte.
    private var secrets: [UInt8: [[UInt8]]] = [:]

    init() {}

    init(secrets: [String]) {
        let long = secrets.map { Array($0.utf8) }.filter { $0.count >= Self.shortestSecret }
        self.secrets = Dictionary(grouping: long, by: \.[0])
    }

    /// The text, or so much of its beginning, with `…` for each secret. What two of them share shows of neither.
    ///
    /// - Parameter length: bytes of the text; a secret that begins before is one though it ends behind.
    func redacted(_ text: String, first length: Int = .max) -> String {
        if secrets.isEmpty, length >= text.utf8.count { return text }
        var text = text
        return text.withUTF8 { bytes in
            var end = min(length, bytes.count)
            // Not within a character.
            while end < bytes.count, end > 0, bytes[end] & 0xc0 == 0x80 { end -= 1 }
            var rest: [UInt8] = []
            // How far it has been written or hidden.
            var done = 0
            for place in 0..<end {
                guard let length = secret(in: bytes, at: place) else { continue }
                if place >= done {
                    rest += bytes[done..<place]
                    rest += "…".utf8
                }
                done = max(done, place + length)
            }
            if done < end { rest += bytes[done..<end] }
            return String(decoding: rest, as: UTF8.self)
        }
    }

    /// How long the longest secret is that begins there.
    private func secret(in bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> Int? {
        guard let some = secrets[bytes[place]] else { return nil }
        let rest = UnsafeBufferPointer(rebasing: bytes[place...])
        return some.lazy.filter { rest.starts(with: $0) }.map(\.count).max()
    }

    func hidesSecrets(_ text: String) -> Bool {
        text.utf8.count <= 48 << 10 && redacted(text) == text
    }

    /// The text on one line, cut where it is too long.
    func line(_ text: String, longest: Int = Self.longest) -> String {
        var line = ""
        // What stands behind the cut is not worth looking at. A scalar has at most four bytes.
        for scalar in redacted(text, first: 16 * longest).unicodeScalars.prefix(4 * longest) {
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
