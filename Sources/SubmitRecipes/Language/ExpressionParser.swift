internal import Submit

/// Reads expressions. Precedence, loosest first:
///
///     or
///     and
///     not
///     == != < <= > >= in, not in     (not chained)
///     ??                             (from the right)
///     + -
///     *
///     -x
///     x.key  x['key']  x | filter(argument)
struct ExpressionParser {
    /// The longest expression, in Unicode scalars.
    static let longest = 4096

    private var tokens: [ExpressionToken]
    private var next = 0
    /// Of recursive calls, apart from the depth of the tree that comes of them.
    private var nesting = 0
    private let place: (Int) -> RecipePlace

    /// An expression with the depth of its tree.
    private typealias Tree = (expression: Expression, depth: Int)

    /// Reads what stands from `start` up to `}}`, or up to the end where `isBraced` is false.
    ///
    /// - Parameters:
    ///   - place: the place of a scalar in the recipe.
    /// - Returns: the expression and the index after the `}}`.
    static func parse(
        _ scalars: [Unicode.Scalar], from start: Int, isBraced: Bool, place: @escaping (Int) -> RecipePlace
    ) throws(RecipeFault) -> (Expression, end: Int) {
        var lexer = ExpressionLexer(scalars, from: start, isBraced: isBraced, place: place)
        let tokens = try lexer.tokens()
        var parser = ExpressionParser(tokens: tokens, place: place)
        let tree = try parser.expression()
        if let extra = parser.peek() {
            throw RecipeFault(place(extra.offset), "“\(extra.text)” cannot stand here: the expression ends before it.")
        }
        return (tree.expression, lexer.end)
    }

    private init(tokens: [ExpressionToken], place: @escaping (Int) -> RecipePlace) {
        self.tokens = tokens
        self.place = place
    }

    private func peek() -> ExpressionToken? {
        // The last token only marks the end.
        next < tokens.count - 1 ? tokens[next] : nil
    }

    private mutating func take(_ symbols: String...) -> ExpressionToken? {
        guard let token = peek(), token.isSymbol, symbols.contains(token.text) else { return nil }
        next += 1
        return token
    }

    private mutating func demand(_ symbol: String, _ what: String) throws(RecipeFault) {
        if take(symbol) == nil { throw fault("“\(symbol)” is missing after \(what)") }
    }

    private func fault(_ complaint: String) -> RecipeFault {
        let token = tokens[next]
        return RecipeFault(place(token.offset), "\(complaint)\(peek() == nil ? "" : ", before “\(token.text)”").")
    }

    private mutating func grow(_ expression: Expression, _ depth: Int, _ offset: Int) throws(RecipeFault) -> Tree {
        guard depth <= Expression.mostDepth else { throw tooDeep(offset) }
        return (expression, depth)
    }

    private func tooDeep(_ offset: Int) -> RecipeFault {
        RecipeFault(place(offset), "This expression is nested more than \(Expression.mostDepth) deep: split it.")
    }

    private mutating func expression() throws(RecipeFault) -> Tree {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Expression.mostDepth else { throw tooDeep(tokens[next].offset) }
        var left = try conjunction()
        while let token = take("or") { left = try join(.or, left, try conjunction(), token) }
        return left
    }

    private mutating func conjunction() throws(RecipeFault) -> Tree {
        var left = try negation()
        while let token = take("and") { left = try join(.and, left, try negation(), token) }
        return left
    }

    private mutating func negation() throws(RecipeFault) -> Tree {
        guard let token = take("not") else { return try comparison() }
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Expression.mostDepth else { throw tooDeep(token.offset) }
        let operand = try negation()
        return try grow(.not(operand.expression), operand.depth + 1, token.offset)
    }

    private mutating func comparison() throws(RecipeFault) -> Tree {
        let left = try alternative()
        guard let token = peek(), token.isSymbol else { return left }
        var isNegated = false
        var symbol = Expression.Operator(rawValue: token.text)
        if token.text == "not", tokens[next + 1].isSymbol, tokens[next + 1].text == "in" {
            isNegated = true
            symbol = .isIn
            next += 1
        }
        switch symbol {
        case .equal, .unequal, .less, .atMost, .greater, .atLeast, .isIn: next += 1
        default: return left
        }
        let tree = try join(symbol ?? .equal, left, try alternative(), token)
        if let more = peek(), more.isSymbol, ["==", "!=", "<", "<=", ">", ">=", "in"].contains(more.text) {
            throw fault("Two comparisons stand in a row: join them with “and”")
        }
        return isNegated ? try grow(.not(tree.expression), tree.depth + 1, token.offset) : tree
    }

    private mutating func alternative() throws(RecipeFault) -> Tree {
        let left = try sum()
        guard let token = take("??") else { return left }
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Expression.mostDepth else { throw tooDeep(token.offset) }
        return try join(.nothing, left, try alternative(), token)
    }

    private mutating func sum() throws(RecipeFault) -> Tree {
        var left = try product()
        while let token = take("+", "-") {
            left = try join(token.text == "+" ? .plus : .minus, left, try product(), token)
        }
        return left
    }

    private mutating func product() throws(RecipeFault) -> Tree {
        var left = try sign()
        while let token = take("*") { left = try join(.times, left, try sign(), token) }
        return left
    }

    private mutating func sign() throws(RecipeFault) -> Tree {
        guard let token = take("-") else { return try postfix(primary()) }
        if case .literal(.integer(let number)) = peek()?.kind {
            next += 1
            return try postfix((.literal(.integer(-number)), 1))
        }
        let operand = try postfix(primary())
        return try join(.minus, (.literal(.integer(0)), 1), operand, token)
    }

    private mutating func join(
        _ symbol: Expression.Operator, _ left: Tree, _ right: Tree, _ token: ExpressionToken
    ) throws(RecipeFault) -> Tree {
        try grow(
            .binary(symbol, left.expression, right.expression, place(token.offset)), max(left.depth, right.depth) + 1,
            token.offset)
    }

    private mutating func postfix(_ operand: Tree) throws(RecipeFault) -> Tree {
        var tree = operand
        while let token = take(".", "[", "|") {
            switch token.text {
            case ".":
                guard let name = peek(), name.isName || name.isWord else {
                    throw fault("The name of a member is missing after “.”")
                }
                next += 1
                tree = try grow(
                    .member(tree.expression, .literal(.text(name.text)), place(name.offset)), tree.depth + 1,
                    token.offset)
            case "[":
                let key = try expression()
                try demand("]", "the key in “[”")
                tree = try grow(
                    .member(tree.expression, key.expression, place(token.offset)), max(tree.depth, key.depth) + 1,
                    token.offset)
            default: tree = try filter(tree)
            }
        }
        return tree
    }

    private mutating func filter(_ operand: Tree) throws(RecipeFault) -> Tree {
        guard let name = peek(), name.isName || name.isWord else {
            throw fault("The name of a filter is missing after “|”")
        }
        guard let filter = ExpressionFilter(rawValue: name.text) else {
            let names = ExpressionFilter.allCases.map(\.rawValue)
            throw RecipeFault(
                place(name.offset),
                "There is no filter “\(name.text)”\(NearestNames.hint(for: name.text, among: names)); "
                    + "there are \(names.sorted().joined(separator: ", ")).")
        }
        next += 1
        var arguments: [Expression] = []
        var depth = operand.depth
        if take("(") != nil {
            while take(")") == nil {
                if !arguments.isEmpty { try demand(",", "an argument of “\(filter.rawValue)”") }
                let argument = try expression()
                arguments.append(argument.expression)
                depth = max(depth, argument.depth)
            }
        }
        guard arguments.count == filter.argument.map({ _ in 1 }) ?? 0 else {
            let form = filter.argument.map { "\(filter.rawValue)(\($0))" } ?? filter.rawValue
            throw RecipeFault(place(name.offset), "This filter is written “\(form)”.")
        }
        return try grow(.filter(filter, operand.expression, arguments, place(name.offset)), depth + 1, name.offset)
    }

    private mutating func primary() throws(RecipeFault) -> Tree {
        guard let token = peek() else { throw fault("A value is missing at the end") }
        switch token.kind {
        case .literal(let value):
            next += 1
            return (.literal(value), 1)
        case .name:
            next += 1
            return (.name(token.text, place(token.offset)), 1)
        case .symbol, .end: break
        }
        if take("(") != nil {
            let inner = try expression()
            try demand(")", "what stands in “(”")
            return inner
        }
        if take("[") != nil {
            var elements: [Expression] = []
            var depth = 0
            while take("]") == nil {
                if !elements.isEmpty { try demand(",", "an element of a list") }
                let element = try expression()
                elements.append(element.expression)
                depth = max(depth, element.depth)
            }
            return try grow(.list(elements), depth + 1, token.offset)
        }
        throw fault("A value is missing")
    }
}
