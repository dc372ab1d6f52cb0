extension RecipeTemplate {
    /// Reads a text with `{{ expression }}` in it.
    init(_ text: String, at place: RecipePlace, placing: @escaping (Int) -> RecipePlace) throws(RecipeFault) {
        let scalars = Array(text.unicodeScalars)
        var pieces: [Piece] = []
        var plain = ""
        var index = 0
        while index < scalars.count {
            guard scalars[index] == "{", index + 1 < scalars.count, scalars[index + 1] == "{" else {
                plain.unicodeScalars.append(scalars[index])
                index += 1
                continue
            }
            if !plain.isEmpty { pieces.append(.text(plain)) }
            plain = ""
            let (expression, end) = try ExpressionParser.parse(
                scalars, from: index + 2, isBraced: true, place: placing)
            pieces.append(expression.isFileInBase64 ? .file : .value(expression))
            index = end
        }
        if !plain.isEmpty || pieces.isEmpty { pieces.append(.text(plain)) }
        self.init(place: place, pieces: pieces)
    }
}

extension Formula {
    /// Reads an expression that may stand in `{{ }}`.
    init(_ text: String, at place: RecipePlace, placing: @escaping (Int) -> RecipePlace) throws(RecipeFault) {
        let scalars = Array(text.unicodeScalars)
        let isSpace = { (scalar: Unicode.Scalar) in " \t\r\n".unicodeScalars.contains(scalar) }
        guard let first = scalars.firstIndex(where: { !isSpace($0) }) else {
            throw RecipeFault(place, "An expression is missing.")
        }
        let isBraced = scalars[first] == "{" && scalars.count > first + 1 && scalars[first + 1] == "{"
        let (expression, end) = try ExpressionParser.parse(
            scalars, from: isBraced ? first + 2 : first, isBraced: isBraced, place: placing)
        if let extra = scalars[end...].firstIndex(where: { !isSpace($0) }) {
            throw RecipeFault(placing(extra), "This must be one expression: nothing may stand after “}}”.")
        }
        self.init(place: place, expression: expression)
    }
}

extension Expression {
    var isFileInBase64: Bool {
        if case .member(.name("file", _), .literal(.text("base64")), _) = self { return true }
        return false
    }
}
