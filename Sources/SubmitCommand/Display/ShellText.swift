internal import Submit

/// Words of commands that people copy into a shell.
enum ShellText {
    /// In quotes if a shell would read anything else.
    static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "/._-+,:@%=".unicodeScalars.contains(scalar)
            }
        return isPlain ? word : "'\(word.escaping(["'": "'\\''"]))'"
    }

    /// Words one after the other. Of many, the first ones and how many more there are.
    ///
    /// - Parameter last: one more, which is shown in any case.
    static func list(_ words: [String], with last: String? = nil) -> String {
        let isWhole = words.count <= mostWords
        let shown = isWhole ? words[...] : words.prefix(mostWords - 2)
        let more = isWhole ? [] : ["… (\(words.count - shown.count) more)"]
        return (shown.map(quoted) + more + [last].compactMap { $0.map(quoted) }).joined(separator: " ")
    }

    /// A person copies no longer command.
    private static let mostWords = 4
}
