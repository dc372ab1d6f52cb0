/// A text of a recipe, read: text with expressions in it, or one value.
package struct RecipeTemplate: Sendable {
    package enum Piece: Sendable {
        case text(String)
        case value(Expression)
        /// `{{ file.base64 }}`: only in a body's `template`, where it is streamed.
        case file
    }

    package let place: RecipePlace
    package let pieces: [Piece]

    /// What it is worth. What is just one expression keeps its kind; of others everything becomes text.
    ///
    /// - Throws: a fault where an expression has one, and where a text would hold nothing, a list or a map.
    package func evaluate(in scope: ExpressionScope) throws(RecipeFault) -> RecipeValue {
        if pieces.count == 1, case .value(let expression) = pieces[0] { return try expression.evaluate(in: scope) }
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let part): text += part
            case .value(let expression): text += try Self.text(of: expression.evaluate(in: scope), at: place)
            case .file:
                throw RecipeFault(place, "“file.base64” stands only in a body's “template”, on its own in {{ }}.")
            }
            try Self.check(text, at: place)
        }
        return .text(text)
    }

    /// As text; `nil` where it is nothing, so that it is left out.
    package func text(in scope: ExpressionScope) throws(RecipeFault) -> String? {
        let value = try evaluate(in: scope)
        return value.isNothing ? nil : try Self.text(of: value, at: place)
    }

    package static func text(of value: RecipeValue, at place: RecipePlace) throws(RecipeFault) -> String {
        if let text = value.asText { return text }
        let cure =
            switch value {
            case .null: "say with “??” what then"
            case .bytes: "use “base64” or “hex”"
            default: "use “join” or “json”, or a member of it"
            }
        throw RecipeFault(place, "A text cannot hold \(value.kindName): \(cure).")
    }

    package static func check(_ text: String, at place: RecipePlace) throws(RecipeFault) {
        guard text.utf8.count <= RecipeValue.longestText else {
            throw RecipeFault(place, "This makes a text of more than \(RecipeValue.longestText >> 20) MiB.")
        }
    }
}

/// An expression that decides or counts: `when`, `until`, `size` and their like, with braces or without.
package struct Formula: Sendable {
    package let place: RecipePlace
    package let expression: Expression

    package func evaluate(in scope: ExpressionScope) throws(RecipeFault) -> RecipeValue {
        try expression.evaluate(in: scope)
    }

    package func isTrue(in scope: ExpressionScope) throws(RecipeFault) -> Bool {
        try expression.evaluate(in: scope).isTrue
    }

    /// A whole number: bytes for sizes, seconds for times; `nil` for nothing.
    package func integer(in scope: ExpressionScope) throws(RecipeFault) -> Int64? {
        let value = try expression.evaluate(in: scope)
        if value.isNothing { return nil }
        guard let number = value.asInteger else {
            throw RecipeFault(place, "This must be a whole number, and is \(value.kindName).")
        }
        return number
    }
}

/// JSON with templates as its leaves.
package indirect enum JSONTemplate: Sendable {
    case value(RecipeTemplate)
    case list([JSONTemplate])
    /// In the order of the recipe.
    case map([(key: String, value: JSONTemplate)])
}
