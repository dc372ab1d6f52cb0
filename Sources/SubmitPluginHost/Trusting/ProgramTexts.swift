internal import Submit

/// Makes what a program says fit to be shown and kept.
struct ProgramTexts: Sendable {
    /// The longest text that is shown, in characters.
    static let longest = 1000

    /// What the program itself was given, by bytes: of names it is looked for also where it is short.
    private let given: [[UInt8]]

    init(secrets: [String] = []) {
        given = secrets.map { Array($0.utf8) }.filter { $0.count >= KnownSecrets.shortest }
    }

    /// Whether a text that is kept as it is, such as a name or a checkpoint, holds no secret.
    func isClear(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return KnownSecrets.areAbsent(fromName: text) && !given.contains { bytes.contains($0) }
    }

    func hidesSecrets(_ text: String) -> Bool {
        text.utf8.count <= 48 << 10 && isClear(text)
    }

    /// The text on one line, cut where it is too long.
    func line(_ text: String, longest: Int = Self.longest) -> String { ForeignText.line(text, longest: longest) }

    /// A sentence, or `otherwise` where there is none.
    func sentence(_ text: String, otherwise: String) -> String {
        let line = line(text)
        if line.isEmpty { return otherwise }
        return line.hasSuffix(".") ? line : line + "."
    }

    /// The end of a longer text.
    func excerpt(_ text: String) -> String {
        let lines = KnownSecrets.redacted(text).split(whereSeparator: \.isNewline).suffix(3)
            .map { line(String($0), longest: 200) }
        return lines.filter { !$0.isEmpty }.joined(separator: " / ")
    }

    static func isControl(_ scalar: Unicode.Scalar) -> Bool { UnseenCharacters.isControl(scalar) }
}

extension ProgramTexts: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: []) }
}
