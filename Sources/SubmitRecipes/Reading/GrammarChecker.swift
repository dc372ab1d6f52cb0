internal import Submit
internal import Yams

/// Finds all that is wrong with a recipe's form.
struct GrammarChecker {
    private(set) var faults: [RecipeFault] = []
    /// Nothing is missing, and nothing is of another kind than it must be: what the recipe means can be looked at.
    private(set) var isReadable = true

    mutating func check(_ node: RecipeNode, _ form: RecipeGrammar, key: String) {
        switch form {
        case .text(let rule):
            guard let text = node.string else { return complain(node, key, form) }
            if text.isEmpty, rule != .jsonPointer { return complain(node, key, "must not be empty") }
            if !rule.allows(text) { complain(node, key, form) }
        case .template:
            guard node.string != nil else { return complain(node, key, form) }
            note { () throws(RecipeFault) in _ = try node.template() }
        case .formula:
            guard node.string != nil else { return complain(node, key, form) }
            note { () throws(RecipeFault) in _ = try node.formula() }
        case .json: checkJSON(node)
        case .wholeNumber(let range):
            guard case .integer(let number) = node.constant, range.contains(number) else {
                return complain(node, key, form)
            }
        case .size, .time:
            guard let number = node.number(), number >= 0 else { return complain(node, key, form) }
        case .boolean:
            guard case .bool = node.constant else { return complain(node, key, form) }
        case .word(let words):
            guard let text = node.string else { return complain(node, key, form) }
            guard words.contains(text) else {
                let hint = words.count == 1 ? "" : NearestNames.hint(for: text, among: words)
                return complain(node, key, "must be \(form.expectation), not “\(Self.short(text))”\(hint)")
            }
        case .statuses:
            guard node.node.mapping == nil else { return complain(node, key, form) }
            for element in node.elements where element.statusRange() == nil { complain(element, key, form) }
        case .list(let element, let least):
            guard let count = node.node.sequence?.count else { return complain(node, key, form) }
            if count < least { complain(node, key, "must not be empty") }
            for child in node.elements { check(child, element, key: key) }
        case .host:
            guard node.string != nil else { return complain(node, key, form) }
            note { () throws(RecipeFault) in _ = try node.host() }
        case .anyOf(let forms):
            let fits = forms.contains { form in
                var checker = GrammarChecker()
                checker.check(node, form, key: key)
                return checker.faults.isEmpty
            }
            if !fits { complain(node, key, form) }
        case .named(let rule, let element):
            guard node.node.mapping != nil else { return complain(node, key, form) }
            for (name, place, value) in node.members {
                if !rule.allows(name) || name.isEmpty {
                    isReadable = false
                    faults.append(
                        RecipeFault(place, "“\(Self.short(name))” under “\(key)” must be \(rule.expectation)."))
                }
                check(value, element, key: name)
            }
        case .mapping(let mapping): check(node, mapping, key: key)
        case .either(let scalar, let mapping):
            if node.node.mapping != nil {
                check(node, mapping, key: key)
            } else if node.string != nil {
                check(node, scalar, key: key)
            } else {
                complain(node, key, form)
            }
        case .variant(let selector, let summary, let variants):
            checkVariant(node, selector, summary, variants, key: key)
        }
    }

    private mutating func check(
        _ node: RecipeNode, _ form: MappingGrammar, key: String, besides selector: String? = nil
    ) {
        guard node.node.mapping != nil else { return complain(node, key, .mapping(form)) }
        let names = form.keys.map(\.name) + (selector.map { [$0] } ?? [])
        var present: Set<String> = []
        var unknown: [String] = []
        for (name, place, value) in node.members where name != selector {
            guard let known = form[name] else {
                unknown.append(name)
                let hint = NearestNames.hint(for: name, among: names)
                let all = names.isEmpty ? "it has none" : "there are \(names.sorted().joined(separator: ", "))"
                faults.append(RecipeFault(place, "“\(Self.short(name))” is not a key of \(form.title)\(hint); \(all)."))
                continue
            }
            present.insert(name)
            if value.isAbsent, !known.form.takesNull {
                isReadable = false
                faults.append(RecipeFault(place, "“\(name)” has no value: it must be \(known.form.expectation)."))
            } else {
                check(value, known.form, key: name)
            }
        }
        for known in form.keys where known.isRequired && !present.contains(known.name) {
            isReadable = false
            // Who mistyped it has been told.
            if unknown.contains(where: { NearestNames.nearest(to: $0, among: names).contains(known.name) }) { continue }
            faults.append(RecipeFault(node.place, "“\(known.name)” is missing from \(form.title): \(known.summary)."))
        }
        let chosen = form.oneOf.filter(present.contains)
        guard !form.oneOf.isEmpty, chosen.count != 1 else { return }
        isReadable = false
        let found = chosen.isEmpty ? "here is none" : "here are \(chosen.joined(separator: ", "))"
        faults.append(
            RecipeFault(
                node.place, "“\(key)” must have exactly one of \(form.oneOf.joined(separator: ", ")); \(found)."))
    }

    private mutating func checkVariant(
        _ node: RecipeNode, _ selector: String, _ summary: String, _ variants: [(word: String, form: MappingGrammar)],
        key: String
    ) {
        guard node.node.mapping != nil else {
            return complain(node, key, "must be lines of “key: value”, with “\(selector)” among them")
        }
        guard let choice = node[selector] else {
            isReadable = false
            faults.append(RecipeFault(node.place, "“\(selector)” is missing from “\(key)”: \(summary)."))
            return
        }
        check(choice, .word(variants.map(\.word)), key: selector)
        guard let variant = variants.first(where: { $0.word == choice.string }) else { return }
        check(node, variant.form, key: key, besides: selector)
    }

    private mutating func checkJSON(_ node: RecipeNode) {
        if node.node.mapping != nil {
            for (_, _, value) in node.members { checkJSON(value) }
        } else if node.node.sequence != nil {
            for element in node.elements { checkJSON(element) }
        } else {
            note { () throws(RecipeFault) in _ = try node.template() }
            if node.isFraction {
                faults.append(
                    RecipeFault(
                        node.place,
                        "JSON of a recipe has whole numbers only: put “\(node.string ?? "")” into quotes for a text."))
            }
        }
    }

    private mutating func note(_ read: () throws(RecipeFault) -> Void) {
        do throws(RecipeFault) {
            try read()
        } catch {
            faults.append(error)
        }
    }

    private mutating func complain(_ node: RecipeNode, _ key: String, _ form: RecipeGrammar) {
        let found =
            if node.node.mapping != nil {
                "“key: value” lines"
            } else if node.node.sequence != nil {
                "a list"
            } else {
                "“\(Self.short(node.string ?? ""))”"
            }
        complain(node, key, "must be \(form.expectation), not \(found)")
    }

    private mutating func complain(_ node: RecipeNode, _ key: String, _ complaint: String) {
        isReadable = false
        faults.append(RecipeFault(node.place, "“\(key)” \(complaint)."))
    }

    private static func short(_ text: String) -> String {
        text.count <= 40 ? text : text.prefix(39) + "…"
    }
}

extension RecipeGrammar {
    /// A key with nothing behind it has a meaning.
    fileprivate var takesNull: Bool {
        switch self {
        case .json: true
        default: false
        }
    }
}

extension RecipeNode {
    /// A number with a fraction or an exponent.
    fileprivate var isFraction: Bool {
        guard let scalar = node.scalar, scalar.style == .plain, scalar.string.contains(where: { ".eE".contains($0) })
        else { return false }
        return Double(scalar.string).map(\.isFinite) ?? false && scalar.string.contains { $0.isNumber }
    }
}
