extension RecipeLinter {
    /// - Returns: the names that are known after all steps.
    mutating func checkSteps(_ steps: [Recipe.Step], _ names: KnownNames, hasFile: Bool) -> KnownNames {
        var names = names
        names.unmade = Set(steps.map(\.id))
        var conditions: [String: Set<String>] = [:]
        for (index, step) in steps.enumerated() {
            if let meaning = KnownNames.meanings[step.id], !KnownNames.local.contains(step.id) {
                tell(step.place, "“\(step.id)” cannot be a step's id, for it is \(meaning).")
            }
            if steps[..<index].contains(where: { $0.id == step.id }) {
                tell(step.place, "There is a step “\(step.id)” already: ids are unique.")
            }
            check(step.when, names)
            checkReach(of: step)
            // What its condition demands is there.
            let known = names.assuming(step, conditions)
            check(step, known, hasFile: hasFile)
            names = names.with(step.id, (step.look?.captures ?? []) + step.captures, isCertain: step.isCertain)
            names.unmade.remove(step.id)
            conditions[step.id] = Set((step.when?.expression.conjuncts ?? []).map(\.canonical))
        }
        return names
    }

    private mutating func check(_ step: Recipe.Step, _ names: KnownNames, hasFile: Bool) {
        var names = names
        if step.chunks != nil {
            let known = KnownNames.Known()
            names = names.with(
                "chunk", ["index": known, "offset": known, "length": known, "end": known, "is_last": known])
        }
        check(step.request, names, hasFile: hasFile)
        let answered = names.withAnswer().with(step.id, step.captures, isCertain: step.treatAsRight.isEmpty)
        check(step.isRight, answered)
        check(step.treatAsRight, names.withAnswer())
        for capture in step.captures {
            if let value = capture.defaultValue {
                check(value, .field, names.withAnswer())
                if !capture.isSecret, value.expressions.contains(where: { isSecret($0, names) }) {
                    tell(
                        capture.place,
                        "“\(capture.name)” would be a secret that is kept in the open: leave the secret out.")
                }
            }
        }
        checkLoops(of: step, names, answered)
        checkRepetition(of: step, names)
    }

    private mutating func checkLoops(of step: Recipe.Step, _ names: KnownNames, _ answered: KnownNames) {
        if let chunks = step.chunks {
            check(chunks.size, names, isNumber: true)
            check(chunks.multipleOf, names, isNumber: true)
            if chunks.size.expression.fixed?.asInteger == 0 { tell(chunks.size.place, "Pieces of no bytes never end.") }
            if !step.request.sendsRange {
                tell(
                    chunks.place,
                    "“chunks” needs a body that sends the piece: “raw: range”, or a part with “range: true”.")
            }
            if step.poll != nil { tell(chunks.place, "A step has either “chunks” or “poll”: make two steps of it.") }
        } else if step.request.sendsRange {
            tell(step.request.body.place, "This body sends a piece of the file, and the step has no “chunks”.")
        }
        if let poll = step.poll {
            check(poll.until, answered)
            check(poll.failWhen, answered)
            check(poll.every, answered, isNumber: true)
            check(poll.most, names, isNumber: true)
            for (formula, name) in [(poll.every, "every"), (poll.most, "most")]
            where formula.expression.fixed?.asInteger == 0 {
                tell(formula.place, "“\(name)” must be at least 1s.")
            }
        }
        if step.tries != nil,
            step.repetition != .safe || step.chunks != nil || step.poll != nil || step.request.body.sendsFile
        {
            tell(
                step.place,
                "“tries” is for a step that may be repeated (“repeat: safe”), sends no file, and has neither “chunks” nor “poll”."
            )
        }
        guard let resume = step.resume else { return }
        if step.chunks == nil {
            tell(step.place, "“resume” is about “chunks”, which the step “\(step.id)” does not have.")
        }
        if case .ask(let question) = resume {
            check(question.request, names)
            let asked = names.withAnswer().with(step.id, step.captures, isCertain: false).with(
                step.id, question.captures)
            check(question.isDone, asked)
            check(question.restartWhen, asked)
            check(question.offset, asked, isNumber: true)
        }
    }

    private mutating func checkRepetition(of step: Recipe.Step, _ names: KnownNames) {
        if !step.saysRepetition, ["POST", "PATCH", "MOVE"].contains(step.request.method) {
            tell(
                step.place,
                "The step “\(step.id)” must say with “repeat” what to do when the answer to its \(step.request.method) was lost: "
                    + "safe, key, look or never.")
        }
        switch (step.repetition, step.look) {
        case (.look, nil):
            tell(step.place, "“repeat: look” needs “look”, a request that finds out whether it was done.")
        case (_, let look?):
            if step.repetition != .look, !step.canLookForLostUpload {
                tell(
                    look.place,
                    "“look” is for “repeat: look”, and for “chunks” with “resume: ask” that may be repeated (“repeat: safe”)."
                )
            }
            check(look.request, names)
            var answered = names.withAnswer()
            if look.items == nil {
                answered = answered.with(step.id, look.captures, isCertain: false)
            } else {
                answered["item"] = .lookup
                if !look.isFound.expression.mentions(anyOf: ["item"]) {
                    tell(
                        look.isFound.place,
                        "“found” is asked of each element of “items”: it must look at item['/pointer'].")
                }
                for capture in look.captures {
                    if case .json = capture.source { continue }
                    tell(
                        capture.place,
                        "With “items”, “\(capture.name)” is of an element: it must be captured with “json”.")
                }
            }
            check(look.isFound, answered)
            for capture in step.captures
            where capture.isRequired && !look.captures.contains(where: { $0.name == capture.name }) {
                tell(
                    look.place, "“look” must capture “\(capture.name)” too, for what it captures stands for the step's."
                )
            }
        case (_, nil): break
        }
        if [.never, .look].contains(step.repetition), step.chunks != nil || step.poll != nil {
            tell(
                step.place,
                "“\(step.id)” repeats its request, so that “repeat: \(step.repetition.rawValue)” cannot hold: make two steps of it."
            )
        }
        if step.keyLasts != nil, step.repetition != .key { tell(step.place, "“key_lasts” is for “repeat: key” only.") }
        if step.repetition == .key, !step.request.templates.contains(where: { $0.uses("job", "id") }) {
            tell(
                step.place, "“repeat: key” needs a key made of “job.id” in the request, by which the service knows it.")
        }
        if step.saysRepetition, [.never, .look].contains(step.repetition), step.say == nil {
            tell(
                step.place,
                "The step “\(step.id)” must say with “say” what to look at where nobody knows whether it was done.")
        }
        if let say = step.say { check(say, .shown, names) }
    }

    // MARK: Steps that are never done

    private mutating func checkReach(of step: Recipe.Step) {
        guard let when = step.when else { return }
        if let value = when.expression.fixed, value != .null {
            let cure = value.isTrue ? "always true: leave it out" : "never true, so that this step is never done"
            return tell(when.place, "“when” is \(cure).")
        }
        for conjunct in when.expression.conjuncts {
            guard case .binary(let symbol, let left, let right, _) = conjunct, let path = left.memberPath,
                let value = right.fixed, path.root == "file"
            else { continue }
            switch (path.key, symbol) {
            case ("kind", .equal):
                let kinds = recipe.limits.kinds.map(\.rawValue)
                let isKind = Recipe.Limits.ItemKind.allCases.contains { $0.rawValue == value.asText }
                if isKind, !kinds.contains(value.asText ?? "") {
                    tell(when.place, "This step is never done: “limits” has no kind “\(value.asText ?? "")”.")
                }
            case ("size", .greater), ("size", .atLeast):
                let limits = recipe.limits.kinds.map { recipe.limits.items[$0]?.mostBytes ?? .max }
                guard let size = value.asInteger, let most = limits.max() else { continue }
                if most < size || most == size && symbol == .greater {
                    tell(when.place, "This step is never done: “limits” takes no item as large.")
                }
            default: break
            }
        }
    }
}

extension Recipe.Step {
    /// What it captures is there afterwards, where the capture itself is.
    var isCertain: Bool { when == nil && treatAsRight.isEmpty && tries == nil }
}

extension KnownNames {
    /// Where a step is done only if another is, the captures of that one are there.
    fileprivate func assuming(_ step: Recipe.Step, _ conditions: [String: Set<String>]) -> KnownNames {
        guard let when = step.when else { return self }
        var names = self
        let own = when.expression.conjuncts
        let words = Set(own.map(\.canonical))
        for (id, others) in conditions where !others.isEmpty && others.isSubset(of: words) {
            guard case .members(let members) = names[id] else { continue }
            names = names.with(id, members.mapValues { Known($0, mayBeNothing: false) })
        }
        for conjunct in own {
            var named = conjunct
            if case .binary(.unequal, let left, let right, _) = conjunct, right.fixed?.isNothing ?? false {
                named = left
            }
            guard let path = named.memberPath, case .members(var members) = names[path.root] else { continue }
            members[path.key]?.mayBeNothing = false
            // Whatever has one of its captures was done.
            if conditions[path.root] != nil { members = members.mapValues { Known($0, mayBeNothing: false) } }
            names = names.with(path.root, members)
        }
        return names
    }
}

extension KnownNames.Known {
    fileprivate init(_ known: KnownNames.Known, mayBeNothing: Bool) {
        self = known
        self.mayBeNothing = mayBeNothing
    }
}

extension Recipe.Step {
    /// An upload that the service no longer knows may have become the item, which a look can find.
    fileprivate var canLookForLostUpload: Bool {
        guard repetition == .safe, chunks != nil, case .ask? = resume else { return false }
        return true
    }
}
