extension Expression {
    /// What it is worth.
    ///
    /// - Throws: a fault for a name that stands for nothing at this time, for arithmetic and order of what is no number,
    ///   for a number or text that grows too large, and what the filters refuse.
    package func evaluate(in scope: ExpressionScope) throws(RecipeFault) -> RecipeValue {
        switch self {
        case .literal(let value): return value
        case .list(let elements):
            var values: [RecipeValue] = []
            for element in elements { values.append(try element.evaluate(in: scope)) }
            return .list(values)
        case .name(let name, let place):
            guard let value = scope[name] else { throw Self.unset(name, place) }
            return value
        case .member(.name(let name, let place), let key, _):
            let key = try key.evaluate(in: scope)
            if let value = scope[name] { return value.member(key) }
            guard let value = scope.member(key.asText ?? "", of: name) else { throw Self.unset(name, place) }
            return value
        case .member(let whole, let key, _):
            return try whole.evaluate(in: scope).member(try key.evaluate(in: scope))
        case .not(let operand): return .bool(try !operand.evaluate(in: scope).isTrue)
        case .binary(let symbol, let left, let right, let place):
            return try Self.evaluate(symbol, left, right, place, in: scope)
        case .filter(let filter, let operand, let arguments, let place):
            var values: [RecipeValue] = []
            for argument in arguments { values.append(try argument.evaluate(in: scope)) }
            return try filter.apply(to: try operand.evaluate(in: scope), values, at: place, now: scope["now"])
        }
    }

    private static func unset(_ name: String, _ place: RecipePlace) -> RecipeFault {
        RecipeFault(place, "“\(name)” stands for nothing at this time.")
    }

    private static func evaluate(
        _ symbol: Operator, _ left: Expression, _ right: Expression, _ place: RecipePlace, in scope: ExpressionScope
    ) throws(RecipeFault) -> RecipeValue {
        // What stands at the left decides whether the right is looked at.
        switch symbol {
        case .or:
            if try left.evaluate(in: scope).isTrue { return .bool(true) }
            return .bool(try right.evaluate(in: scope).isTrue)
        case .and:
            guard try left.evaluate(in: scope).isTrue else { return .bool(false) }
            return .bool(try right.evaluate(in: scope).isTrue)
        case .nothing:
            let value = try left.evaluate(in: scope)
            return value.isNothing ? try right.evaluate(in: scope) : value
        default: break
        }
        let a = try left.evaluate(in: scope)
        let b = try right.evaluate(in: scope)
        switch symbol {
        case .equal: return .bool(a.isLooselyEqual(to: b))
        case .unequal: return .bool(!a.isLooselyEqual(to: b))
        case .isIn: return .bool(try isMember(a, of: b, place))
        case .less: return .bool(try isLess(a, b, symbol, place))
        case .greater: return .bool(try isLess(b, a, symbol, place))
        case .atMost: return .bool(try !isLess(b, a, symbol, place))
        case .atLeast: return .bool(try !isLess(a, b, symbol, place))
        default: return .integer(try compute(a, symbol, b, place))
        }
    }

    private static func isMember(_ value: RecipeValue, of whole: RecipeValue, _ place: RecipePlace) throws(RecipeFault)
        -> Bool
    {
        switch whole {
        case .list(let elements): return elements.contains { $0.isLooselyEqual(to: value) }
        case .map(let members): return value.asText.map { members[$0] != nil } ?? false
        case .text(let text): return value.asText.map { $0.isEmpty || text.contains($0) } ?? false
        case .null: return false
        default: throw RecipeFault(place, "“in” looks into a list, a text or a map, and there is \(whole.kindName).")
        }
    }

    private static func isLess(
        _ a: RecipeValue, _ b: RecipeValue, _ symbol: Operator, _ place: RecipePlace
    ) throws(RecipeFault) -> Bool {
        if let a = a.asInteger, let b = b.asInteger { return a < b }
        if case .text(let a) = a, case .text(let b) = b { return a < b }
        throw RecipeFault(
            place,
            "“\(symbol.rawValue)” compares two numbers or two texts, and there are \(a.kindName) and \(b.kindName)"
                + "\(a == .null || b == .null ? ": say with “??” what then" : "").")
    }

    private static func compute(
        _ a: RecipeValue, _ symbol: Operator, _ b: RecipeValue, _ place: RecipePlace
    ) throws(RecipeFault) -> Int64 {
        guard let a = a.asInteger, let b = b.asInteger else {
            throw RecipeFault(
                place, "“\(symbol.rawValue)” takes two whole numbers, and there are \(a.kindName) and \(b.kindName).")
        }
        let (result, isTooLarge) =
            switch symbol {
            case .plus: a.addingReportingOverflow(b)
            case .minus: a.subtractingReportingOverflow(b)
            default: a.multipliedReportingOverflow(by: b)
            }
        guard !isTooLarge else { throw RecipeFault(place, "“\(symbol.rawValue)” makes a number too large to hold.") }
        return result
    }
}
