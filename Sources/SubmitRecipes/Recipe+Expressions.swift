extension Recipe {
    /// Some expression looks at `name.member` or `name['member']`.
    package func mentions(_ name: String, _ member: String) -> Bool {
        expressions.contains { $0.mentions(name, member) }
    }

    /// Every expression in it.
    private var expressions: [Expression] {
        var all = upload.flatMap(\.expressions)
        all += receipt.id.expressions + (receipt.url?.expressions ?? []) + receipt.evidence.expressions
        all += receipt.wasThere.expressions + receipt.holdsItem.expressions + (receipt.note?.expressions ?? [])
        if let identity { all += identity.request.expressions + identity.isRight.expressions }
        if let presence {
            all += presence.request.expressions + presence.isThere.expressions + presence.evidence.expressions
            all += presence.isRight.expressions + presence.gone.flatMap { $0.when.expressions }
        }
        if let removal {
            all +=
                removal.request.expressions + removal.isRight.expressions + removal.gone.flatMap { $0.when.expressions }
        }
        if let question = limits.question { all += question.request.expressions }
        if let creation = albums?.creation { all += creation.request.expressions + creation.isRight.expressions }
        if let addition = albums?.addition { all += addition.request.expressions + addition.isRight.expressions }
        return all
    }
}

extension Recipe.Step {
    /// Every expression of the step.
    package var expressions: [Expression] {
        var all = request.expressions + when.expressions + isRight.expressions
        all += treatAsRight.flatMap { $0.when.expressions }
        all += captures.flatMap { $0.defaultValue?.expressions ?? [] }
        if let chunks { all += [chunks.size.expression] + chunks.multipleOf.expressions }
        if let poll {
            all += [poll.until.expression, poll.every.expression, poll.most.expression] + poll.failWhen.expressions
        }
        if case .ask(let question)? = resume {
            all += question.request.expressions + [question.offset.expression] + question.isDone.expressions
            all += question.restartWhen.expressions
        }
        if let look { all += look.request.expressions + [look.isFound.expression] }
        return all
    }
}

extension Recipe.Request {
    package var expressions: [Expression] {
        url.expressions + (query + headers).flatMap(\.value.expressions) + jsonHeaders.flatMap(\.value.expressions)
            + body.expressions
    }
}

extension Recipe.Body {
    fileprivate var expressions: [Expression] {
        let content: [Expression] =
            switch self.content {
            case .none, .file, .range: []
            case .json(let json): json.expressions
            case .form(let fields): fields.flatMap(\.value.expressions)
            case .text(let template), .template(let template): template.expressions
            case .multipart(let parts): parts.flatMap(\.expressions)
            }
        return content + (type?.expressions ?? [])
    }
}

extension Recipe.Part {
    fileprivate var expressions: [Expression] {
        let content: [Expression] =
            switch self.content {
            case .text(let template): template.expressions
            case .json(let json): json.expressions
            case .file, .range: []
            }
        return content + name.expressions + (filename?.expressions ?? []) + (type?.expressions ?? [])
    }
}

extension Recipe.EvidenceRule {
    fileprivate var expressions: [Expression] {
        [verified, echoed, size, accepted].flatMap(\.expressions)
    }
}

extension Formula? {
    fileprivate var expressions: [Expression] { map { [$0.expression] } ?? [] }
}

extension JSONTemplate {
    fileprivate var expressions: [Expression] {
        switch self {
        case .value(let template): template.expressions
        case .list(let elements): elements.flatMap(\.expressions)
        case .map(let members): members.flatMap(\.value.expressions)
        }
    }
}

extension Expression {
    package func mentions(_ name: String, _ member: String) -> Bool {
        contains { part in
            guard case .member(.name(let root, _), .literal(let key), _) = part else { return false }
            return root == name && key.asText == member
        }
    }

    /// Names that stand at the root of something in it, such as a step's id.
    package func mentions(anyOf names: Set<String>) -> Bool {
        contains { part in
            if case .name(let name, _) = part { names.contains(name) } else { false }
        }
    }

    private func contains(_ isIt: (Expression) -> Bool) -> Bool {
        if isIt(self) { return true }
        switch self {
        case .literal, .name: return false
        case .list(let elements): return elements.contains { $0.contains(isIt) }
        case .member(let whole, let key, _): return whole.contains(isIt) || key.contains(isIt)
        case .not(let operand): return operand.contains(isIt)
        case .binary(_, let left, let right, _): return left.contains(isIt) || right.contains(isIt)
        case .filter(_, let operand, let arguments, _):
            return operand.contains(isIt) || arguments.contains { $0.contains(isIt) }
        }
    }
}
