extension Expression {
    /// The same for expressions that mean the same word for word, wherever they stand.
    var canonical: String {
        switch self {
        case .literal(let value): return "\(value)"
        case .list(let elements): return "[\(elements.map(\.canonical).joined(separator: ","))]"
        case .name(let name, _): return name
        case .member(let whole, let key, _): return "\(whole.canonical)[\(key.canonical)]"
        case .not(let operand): return "not(\(operand.canonical))"
        case .binary(let symbol, let left, let right, _):
            return "(\(left.canonical)\(symbol.rawValue)\(right.canonical))"
        case .filter(let filter, let operand, let arguments, _):
            return "\(operand.canonical)|\(filter.rawValue)(\(arguments.map(\.canonical).joined(separator: ",")))"
        }
    }

    /// What must hold altogether for it to hold.
    var conjuncts: [Expression] {
        if case .binary(.and, let left, let right, _) = self { return left.conjuncts + right.conjuncts }
        return [self]
    }

    /// `name.key`, where both are written out.
    var memberPath: (root: String, key: String)? {
        if case .member(.name(let root, _), .literal(.text(let key)), _) = self { return (root, key) }
        return nil
    }

    /// What it is always worth; `nil` where that hangs on a name.
    var fixed: RecipeValue? {
        if case .literal(let value) = self { return value }
        return try? evaluate(in: ExpressionScope())
    }

    /// What is directly in it.
    var parts: [Expression] {
        switch self {
        case .literal, .name: []
        case .list(let elements): elements
        case .member(let whole, let key, _): [whole, key]
        case .not(let operand): [operand]
        case .binary(_, let left, let right, _): [left, right]
        case .filter(_, let operand, let arguments, _): [operand] + arguments
        }
    }

    /// Whether a part of it is `root.key`.
    func uses(_ root: String, _ key: String) -> Bool {
        if let path = memberPath { return path == (root, key) }
        return parts.contains { $0.uses(root, key) }
    }
}

extension RecipeTemplate {
    var expressions: [Expression] {
        pieces.compactMap { if case .value(let expression) = $0 { expression } else { nil } }
    }
}

extension JSONTemplate {
    var templates: [RecipeTemplate] {
        switch self {
        case .value(let template): [template]
        case .list(let elements): elements.flatMap(\.templates)
        case .map(let members): members.flatMap(\.value.templates)
        }
    }
}

extension Recipe.Request {
    /// All its texts.
    var templates: [RecipeTemplate] {
        var templates = [url] + (query + headers).map(\.value) + jsonHeaders.flatMap(\.value.templates)
        if let type = body.type { templates.append(type) }
        switch body.content {
        case .none, .file, .range: break
        case .json(let json): templates += json.templates
        case .form(let fields): templates += fields.map(\.value)
        case .text(let text), .template(let text): templates.append(text)
        case .multipart(let parts):
            for part in parts {
                templates += [part.name, part.filename, part.type].compactMap { $0 }
                if case .text(let text) = part.content { templates.append(text) }
                if case .json(let json) = part.content { templates += json.templates }
            }
        }
        return templates
    }

    /// It sends the piece of a chunk loop.
    var sendsRange: Bool {
        switch body.content {
        case .range: true
        case .multipart(let parts): parts.contains { if case .range = $0.content { true } else { false } }
        default: false
        }
    }

    /// It sends the item, or a piece of it.
    var sendsFile: Bool {
        switch body.content {
        case .file, .range: true
        case .template(let text): text.pieces.contains { if case .file = $0 { true } else { false } }
        case .multipart(let parts):
            parts.contains {
                switch $0.content {
                case .file, .range: true
                case .text, .json: false
                }
            }
        default: false
        }
    }
}
