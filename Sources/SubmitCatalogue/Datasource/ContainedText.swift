/// A pattern of `like` for texts that have another one in them, which every LoopBack store understands.
///
/// LoopBack's in-memory store makes regular expressions of patterns and takes the meaning from no letter, and SQL stores differ in
/// what does. So each letter that may mean something stands as `_`, any one letter: a little more may be found, never less.
package enum ContainedText {
    /// `%100_ cotton%` for `100% cotton`.
    package static func pattern(_ text: String) -> String {
        var pattern = String.UnicodeScalarView("%".unicodeScalars)
        for scalar in text.unicodeScalars {
            let isPlain = !scalar.isASCII || scalar == " " || Character(scalar).isLetter || Character(scalar).isNumber
            pattern.append(isPlain ? scalar : "_")
        }
        return String(pattern) + "%"
    }
}
