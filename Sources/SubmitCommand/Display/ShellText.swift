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
}
