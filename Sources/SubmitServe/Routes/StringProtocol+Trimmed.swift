extension StringProtocol {
    /// Without blanks around it.
    var trimmed: String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let tail = drop(while: isBlank)
        return String(tail.reversed().drop(while: isBlank).reversed())
    }
}
