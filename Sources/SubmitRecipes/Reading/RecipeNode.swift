internal import Yams

/// A part of a recipe's text: a list, a mapping or a text. Reading takes what is there; whether it is as it should be,
/// ``GrammarChecker`` says.
struct RecipeNode {
    let node: Node
    let source: RecipeSource

    var place: RecipePlace { source.place(node.mark) }

    subscript(key: String) -> RecipeNode? {
        guard let pair = node.mapping?.first(where: { $0.key.scalar?.string == key }) else { return nil }
        let value = RecipeNode(node: pair.value, source: source)
        return value.isAbsent ? nil : value
    }

    var isMapping: Bool { node.mapping != nil }
    var isList: Bool { node.sequence != nil }

    /// A key stands there, with something behind it or not.
    func has(_ key: String) -> Bool { node.mapping?.contains { $0.key.scalar?.string == key } ?? false }

    /// Elements of a list; what is none counts as a list of itself.
    var elements: [RecipeNode] {
        guard let sequence = node.sequence else { return [self] }
        return sequence.map { RecipeNode(node: $0, source: source) }
    }

    /// Members of a mapping, in their order.
    var members: [(key: String, place: RecipePlace, value: RecipeNode)] {
        (node.mapping ?? [:]).map {
            ($0.key.scalar?.string ?? "", source.place($0.key.mark), RecipeNode(node: $0.value, source: source))
        }
    }

    /// A text, whatever kind YAML takes it to be.
    var string: String? { node.scalar?.string }

    /// A key stands there, and nothing behind it.
    var isAbsent: Bool { node.scalar.map { $0.style == .plain && $0.string.isEmpty } ?? false }

    /// A text in the kind that it has without quotes: nothing, true or false, a whole number, or text.
    var constant: RecipeValue {
        guard let scalar = node.scalar else { return .null }
        guard scalar.style == .plain else { return .text(scalar.string) }
        switch scalar.string {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default:
            let digits = scalar.string.drop { $0 == "-" }
            let isCanonical = digits.first != "0" || digits.count == 1
            return isCanonical
                ? RecipeValue.text(scalar.string).asInteger.map(RecipeValue.integer) ?? .text(scalar.string)
                : .text(scalar.string)
        }
    }

    func template() throws(RecipeFault) -> RecipeTemplate {
        let constant = constant
        if case .text(let text) = constant, let scalar = node.scalar {
            return try RecipeTemplate(text, at: place, placing: source.placing(scalar, node.mark))
        }
        return RecipeTemplate(place: place, pieces: [.value(.literal(constant))])
    }

    func formula() throws(RecipeFault) -> Formula {
        guard let scalar = node.scalar else { throw RecipeFault(place, "An expression is missing.") }
        return try Formula(scalar.string, at: place, placing: source.placing(scalar, node.mark))
    }

    /// A number without names in it: `16MiB`, `5m`, `3`.
    func number() -> Int64? {
        guard let formula = try? formula(), case .literal(.integer(let number)) = formula.expression else { return nil }
        return number
    }

    /// `404`, `5xx`
    func statusRange() -> Recipe.StatusRange? {
        guard let string, string.utf8.count == 3, let first = string.first?.wholeNumberValue, (1...5).contains(first)
        else { return nil }
        if string.hasSuffix("xx") { return Recipe.StatusRange(statuses: first * 100...first * 100 + 99) }
        guard let status = Int(string), string.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Recipe.StatusRange(statuses: status...status)
    }
}
