/// Words of commands that people copy into a shell.
enum ShellText {
    /// In quotes if a shell would read anything else.
    static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.allSatisfy { character in
                character.isLetter || character.isNumber || "/._-+,:@%=".contains(character)
            }
        return isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }
}
