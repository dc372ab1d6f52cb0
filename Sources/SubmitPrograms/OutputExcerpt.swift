/// What may be shown of what a program printed: its last words, printable, short, and without what looks like a secret.
public enum OutputExcerpt {
    private static let longest = 240

    /// The last line that says anything; `nil` where none does.
    ///
    /// - Parameter secrets: texts that must not show.
    public static func lastLine(of output: [UInt8], hiding secrets: [String] = []) -> String? {
        let lines = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.reversed().lazy.map { printable(String($0), hiding: secrets) }.first { !$0.isEmpty }
    }

    /// One line of it.
    public static func printable(_ text: String, hiding secrets: [String] = []) -> String {
        var text = text
        for secret in secrets where !secret.isEmpty { text = text.replacing(secret, with: "…") }
        var isCredential = false
        let words = text.split(whereSeparator: \.isWhitespace).map { word -> String in
            defer { isCredential = ["bearer", "basic", "token"].contains(word.lowercased()) }
            return isCredential && word.count > 6 ? "…" : discreet(String(word))
        }
        let shown = words.joined(separator: " ").unicodeScalars.map {
            $0.properties.generalCategory.isPrintable ? Character($0) : "�"
        }
        return shown.count <= longest ? String(shown) : String(shown.prefix(longest)) + "…"
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
