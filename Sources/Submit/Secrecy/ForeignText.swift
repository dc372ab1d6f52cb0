/// What others say, servers and programs, made fit for a sentence of ours: without secrets, on one line, printable,
/// short.
///
/// Secrets go before anything is cut: see ``KnownSecrets``. So does what only looks like one, such as what follows
/// `token=`: it may be a secret of others.
public enum ForeignText {
    /// As many characters as a line has at most, where nothing else is said.
    public static let usual = 200

    /// The text on one line; empty where nothing in it can be shown. What is cut ends with `…`.
    ///
    /// - Parameter longest: the most characters, with the `…`.
    public static func line(_ text: String, longest: Int = usual) -> String {
        var text = text
        // More need not be looked at, and what a cut here would leave of a secret is not shown.
        let most = 32 * longest + 4096
        if text.utf8.count > most {
            text = KnownSecrets.redactedBeginning(of: String(decoding: text.utf8.prefix(most), as: UTF8.self))
        } else {
            text = KnownSecrets.redacted(text)
        }
        var isCredential = false
        let words = text.split { $0.isWhitespace || $0.isNewline }.map { word -> String in
            defer { isCredential = ["bearer", "basic", "token"].contains(word.lowercased()) }
            return isCredential && looksLikeToken(word) ? "…" : discreet(String(word))
        }
        let shown = words.joined(separator: " ").unicodeScalars.map {
            $0.properties.generalCategory.isPrintable ? $0 : "\u{fffd}"
        }
        // Again: with the blanks gone another may have come together.
        let line = KnownSecrets.redacted(String(String.UnicodeScalarView(shown)))
        return line.count > longest ? line.prefix(longest - 1) + "…" : line
    }

    /// The same of bytes that should be UTF-8.
    public static func line(_ bytes: some Collection<UInt8>, longest: Int = usual) -> String {
        line(String(decoding: bytes, as: UTF8.self), longest: longest)
    }

    /// The last line of what a program printed that says anything; `nil` where none does.
    public static func lastLine(of output: [UInt8], longest: Int = usual) -> String? {
        // Of all of it: a secret may have lines.
        let text = KnownSecrets.redacted(String(decoding: output, as: UTF8.self))
        return text.split(whereSeparator: \.isNewline).reversed().lazy.map { line(String($0), longest: longest) }
            .first { !$0.isEmpty }
    }

    /// A word for programs, such as an error's code: what looks like a secret only because that is short is none.
    public static func code(_ text: String, longest: Int = usual) -> String {
        KnownSecrets.areAbsent(fromName: text) && text.utf8.count <= longest
            && text.unicodeScalars.allSatisfy(\.properties.generalCategory.isPrintable)
            ? text : line(text, longest: longest)
    }

    /// Behind `Bearer` it is one, and in “the token expired” none.
    private static func looksLikeToken(_ word: some StringProtocol) -> Bool {
        word.contains("…") || word.count > 6 && (word.count > 24 || !word.dropLast().allSatisfy(\.isLetter))
    }

    /// A word without who and what opens a URL, and without the value of what is called like a secret.
    private static func discreet(_ word: String) -> String {
        var word = word
        if let scheme = word.firstRange(of: "://") {
            let rest = word[scheme.upperBound...]
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            if let at = authority.lastIndex(of: "@") { word.replaceSubrange(scheme.upperBound...at, with: "…@") }
        }
        if let query = word.firstIndex(of: "?"), word[query...].contains("=") {
            word.replaceSubrange(query..., with: "?…")
        }
        let names = ["pass", "secret", "token", "key", "auth", "cred", "sig"]
        if let equals = word.firstIndex(where: { $0 == "=" || $0 == ":" }),
            names.contains(where: word[..<equals].lowercased().contains), word.index(after: equals) < word.endIndex
        {
            word.replaceSubrange(word.index(after: equals)..., with: "…")
        }
        return word
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isPrintable: Bool {
        switch self {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
