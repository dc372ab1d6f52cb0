/// What the names in expressions stand for at one moment.
package struct ExpressionScope: Sendable {
    private enum Root: Sendable {
        case value(RecipeValue)
        case lookup(@Sendable (String) -> RecipeValue)
    }

    private var roots: [String: Root] = [:]

    package init() {}

    /// What a name stands for, such as `file` or a step's id; `nil` where it was not set.
    package subscript(name: String) -> RecipeValue? {
        get {
            guard case .value(let value) = roots[name] else { return nil }
            return value
        }
        set { roots[name] = newValue.map(Root.value) }
    }

    /// Makes `name['key']` and `name.key` ask a function: for answers, of which few members are looked at.
    package mutating func setLookup(_ name: String, _ lookup: @escaping @Sendable (String) -> RecipeValue) {
        roots[name] = .lookup(lookup)
    }

    /// `name[key]`; `nil` where the name was not set.
    package func member(_ key: String, of name: String) -> RecipeValue? {
        switch roots[name] {
        case .value(let value): value.member(.text(key))
        case .lookup(let lookup): lookup(key)
        case nil: nil
        }
    }
}

extension RecipeValue {
    /// A member of a map, or an element of a list by its index from 0; nothing where there is none.
    package func member(_ key: RecipeValue) -> RecipeValue {
        switch self {
        case .map(let members): return key.asText.flatMap { members[$0] } ?? .null
        case .list(let elements):
            guard let index = key.asInteger, elements.indices.contains(Int(index)) else { return .null }
            return elements[Int(index)]
        default: return .null
        }
    }
}
