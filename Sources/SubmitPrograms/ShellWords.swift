/// The words of a command line, as a POSIX shell splits them, and nothing else that a shell does.
///
/// Blanks and newlines divide words. Single quotes take everything as it is; double quotes too, but for `\"` and `\\`;
/// a backslash elsewhere takes the next character as it is.
///
/// Source: `shlex.split` of Python, which botocore's `compat_shell_split` uses for `credential_process`.
public enum ShellWords {
    /// `nil` when a quote or a backslash has no end.
    public static func split(_ text: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Unicode.Scalar?
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch (scalar, quote) {
            case ("\\", nil), ("\\", "\""):
                guard let next = rest.popFirst() else { return nil }
                let isEscape = quote == nil || next == "\"" || next == "\\"
                word = (word ?? "") + (isEscape ? "" : "\\") + String(next)
            case ("'", nil), ("\"", nil):
                quote = scalar
                word = word ?? ""
            case (" ", nil), ("\t", nil), ("\n", nil), ("\r", nil):
                if let found = word { words.append(found) }
                word = nil
            case (_, let open?) where open == scalar: quote = nil
            default: word = (word ?? "") + String(scalar)
            }
        }
        guard quote == nil else { return nil }
        return words + (word.map { [$0] } ?? [])
    }
}
