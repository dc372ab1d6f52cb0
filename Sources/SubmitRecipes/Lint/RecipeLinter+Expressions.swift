internal import Submit

extension RecipeLinter {
    /// Where a text goes.
    enum Use {
        case url
        case header
        case json
        /// A query, a form, a part: whatever it holds is encoded.
        case field
        case xml
        /// A body's `template`, in which alone the file may stand.
        case bodyTemplate
        /// It is kept where anyone may read it, or shown.
        case shown
    }

    mutating func check(_ template: RecipeTemplate, _ use: Use, _ names: KnownNames) {
        for piece in template.pieces {
            switch piece {
            case .text(let text): check(text, of: template, use)
            case .file:
                if case .bodyTemplate = use { continue }
                tell(template.place, "“file.base64” stands only in a body's “template”, on its own in {{ }}.")
            case .value(let expression):
                check(expression, names)
                let mustBeThere = template.pieces.count > 1 || use == .url
                if mustBeThere, mayBeNothing(expression, names, takesEmpty: use != .url) {
                    tell(
                        place(expression) ?? template.place,
                        "This may be nothing, which \(use == .url ? "a URL" : "a text with more in it") cannot hold: say with "
                            + "“??” what then.")
                }
                switch use {
                case .header where isFree(expression, names):
                    tell(
                        place(expression) ?? template.place,
                        "This can put a line's end or letters beyond ASCII into a header: use the filter “header_safe”, or "
                            + "“headers_json”.")
                case .xml where isFree(expression, names) && !isMarkupSafe(expression):
                    tell(
                        place(expression) ?? template.place,
                        "This can put “<” and “&” into XML: use the filter “xml”.")
                case .shown where isSecret(expression, names):
                    tell(place(expression) ?? template.place, "This shows a secret: nobody must see it.")
                default: break
                }
            }
        }
    }

    /// What the recipe's author wrote.
    private mutating func check(_ text: String, of template: RecipeTemplate, _ use: Use) {
        switch use {
        case .header where !text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }):
            tell(template.place, "A header is one line of printable ASCII: leave out line ends and other letters.")
        case .url where !text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }):
            tell(template.place, "A URL has no spaces and no letters beyond ASCII: percent-encode them.")
        default: break
        }
    }

    /// - Parameter isNumber: it counts, and must be something.
    mutating func check(_ formula: Formula?, _ names: KnownNames, isNumber: Bool = false) {
        guard let formula else { return }
        check(formula.expression, names)
        guard isNumber else { return }
        if mayBeNothing(formula.expression, names) {
            tell(formula.place, "This may be nothing: say with “??” what then.")
        } else if let value = formula.expression.fixed, value != .null, value.asInteger.map({ $0 < 0 }) ?? true {
            tell(formula.place, "This must be a whole number that is not negative.")
        }
    }

    mutating func check(_ expression: Expression, _ names: KnownNames) {
        switch expression {
        case .name(let name, let place): checkRoot(name, place, names, isAlone: true)
        case .member(.name(let root, let rootPlace), let key, let place):
            checkRoot(root, rootPlace, names, isAlone: false)
            check(key, names)
            if case .literal(.text(let key)) = key { checkMember(root, key, place, names) }
        case .binary(let symbol, let left, let right, _):
            check(left, names)
            check(right, names)
            switch symbol {
            case .less, .atMost, .greater, .atLeast, .plus, .minus, .times:
                for side in [left, right] where mayBeNothing(side, names) {
                    guard let place = place(side) else { continue }
                    tell(place, "This may be nothing, and “\(symbol.rawValue)” takes numbers: say with “??” what then.")
                }
            case .equal, .unequal, .isIn: checkWords(left, right, names)
            default: break
            }
        default:
            for part in expression.parts { check(part, names) }
        }
    }

    private mutating func checkRoot(_ name: String, _ place: RecipePlace, _ names: KnownNames, isAlone: Bool) {
        switch names[name] {
        case .value: break
        case .members, .lookup:
            if isAlone { tell(place, "“\(name)” is a group: say which member, such as “\(name).NAME”.") }
        case nil:
            if names.unmade.contains(name) {
                tell(place, "What “\(name)” captures is not yet made here.")
            } else if let meaning = KnownNames.meanings[name] {
                tell(place, "“\(name)” is \(meaning).")
            } else {
                let hint = NearestNames.hint(for: name, among: Array(names.roots.keys))
                tell(
                    place,
                    "There is no “\(name)” here\(hint); there are \(names.roots.keys.sorted().joined(separator: ", "))."
                )
            }
        }
    }

    private mutating func checkMember(_ root: String, _ key: String, _ place: RecipePlace, _ names: KnownNames) {
        guard case .members(let members) = names[root], members[key] == nil else { return }
        if root == "settings", recipe.settings.contains(where: { $0.name == key && $0.kind == .secret }) {
            return tell(place, "“\(key)” is a secret: it is “secret.\(key)”, and stands in “auth” only.")
        }
        let hint = NearestNames.hint(for: key, among: Array(members.keys))
        let all = members.isEmpty ? "it has none" : "there are \(members.keys.sorted().joined(separator: ", "))"
        tell(place, "“\(root)” has no “\(key)”\(hint); \(all).")
    }

    /// Compares what can be some words only with another.
    private mutating func checkWords(_ left: Expression, _ right: Expression, _ names: KnownNames) {
        for (name, other) in [(left, right), (right, left)] {
            guard let path = name.memberPath, case .members(let members) = names[path.root],
                let words = members[path.key]?.words, let value = other.fixed
            else { continue }
            let compared: [RecipeValue] = if case .list(let elements) = value { elements } else { [value] }
            for value in compared
            where value != .null && !words.contains(where: { value.isLooselyEqual(to: .text($0)) }) {
                let text = value.asText ?? value.kindName
                let hint = NearestNames.hint(for: text, among: words)
                tell(
                    place(name) ?? recipe.receipt.place,
                    "“\(path.root).\(path.key)” is never “\(text)”\(hint): it is one of \(words.joined(separator: ", "))."
                )
            }
        }
    }

    // MARK: What is known beforehand

    func place(_ expression: Expression) -> RecipePlace? {
        switch expression {
        case .name(_, let place): place
        case .member(let whole, _, _): place(whole)
        case .binary(_, let left, _, let place): self.place(left) ?? place
        case .filter(_, let operand, _, let place): self.place(operand) ?? place
        default: expression.parts.lazy.compactMap { place($0) }.first
        }
    }

    private func known(_ expression: Expression, _ names: KnownNames) -> KnownNames.Known? {
        if case .name(let name, _) = expression, case .value(let known) = names[name] { return known }
        guard let path = expression.memberPath else { return nil }
        switch names[path.root] {
        case .members(let members): return members[path.key]
        case .lookup: return KnownNames.Known(mayBeNothing: true)
        case .value, nil: return nil
        }
    }

    /// What is not known has been told, and counts as something.
    ///
    /// - Parameter takesEmpty: an empty text after `??` is something.
    func mayBeNothing(_ expression: Expression, _ names: KnownNames, takesEmpty: Bool = false) -> Bool {
        switch expression {
        case .literal(let value): value.isNothing
        case .member:
            expression.memberPath == nil ? true : known(expression, names)?.mayBeNothing ?? false
        case .name: known(expression, names)?.mayBeNothing ?? false
        // Whoever writes a name after `??` knows that one of the two is there.
        case .binary(.nothing, _, let right, _): right.fixed.map { takesEmpty ? $0 == .null : $0.isNothing } ?? false
        case .filter(.json, _, _, _), .filter(.jsonASCII, _, _, _), .filter(.bool01, _, _, _): false
        case .filter(let filter, let operand, _, _):
            mayBeNothing(operand, names) || filter == .int && operand.fixed == nil && !isNumber(operand)
        case .list, .not, .binary: false
        }
    }

    private func isNumber(_ expression: Expression) -> Bool {
        guard let path = expression.memberPath else { return false }
        return path.root == "file" || path.root == "chunk"
    }

    func isFree(_ expression: Expression, _ names: KnownNames) -> Bool {
        switch expression {
        case .literal(let value):
            return !(value.asText ?? "").utf8.allSatisfy { (0x20...0x7e).contains($0) }
        case .name, .member: return known(expression, names)?.isFree ?? false
        case .list(let elements): return elements.contains { isFree($0, names) }
        case .binary(.nothing, let left, let right, _): return isFree(left, names) || isFree(right, names)
        case .not, .binary: return false
        case .filter(let filter, let operand, let arguments, _):
            switch filter {
            case .json, .xml, .lower, .upper, .trim, .truncate, .join, .quoteTags, .hashtags, .basename, .pad:
                return ([operand] + arguments).contains { isFree($0, names) }
            default: return false
            }
        }
    }

    private func isMarkupSafe(_ expression: Expression) -> Bool {
        switch expression {
        case .filter(.xml, _, _, _): true
        case .binary(.nothing, let left, let right, _):
            isMarkupSafe(left) && (isMarkupSafe(right) || right.fixed != nil)
        default: false
        }
    }

    func isSecret(_ expression: Expression, _ names: KnownNames) -> Bool {
        if let known = known(expression, names) { return known.isSecret }
        return expression.parts.contains { isSecret($0, names) }
    }
}
