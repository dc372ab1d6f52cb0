extension Recipe.Step {
    init(_ node: RecipeNode) {
        let method = node["request"]?.text("method") ?? ""
        // Lint demands the word where there is no default.
        let repetition = Recipe.Repetition(rawValue: node.text("repeat"))
        self.init(
            place: node.place, id: node.text("id"), when: node.formula("when"),
            locksAccount: node.text("lock") == "account",
            request: node.request(), chunks: node["chunks"].map(Recipe.Chunks.init),
            poll: node["poll"].map(Recipe.Poll.init), tries: node["tries"]?.number().map(Int.init),
            resume: node["resume"].map(Recipe.ResumeRule.init), captures: node.captures(),
            isRight: node.formula("ok_when"),
            treatAsRight: (node["treat_as_ok"]?.elements ?? []).map(Recipe.StatusRule.init),
            repetition: repetition ?? (["POST", "PATCH"].contains(method) ? .never : .safe),
            saysRepetition: repetition != nil, keyLasts: node["key_lasts"]?.number(),
            look: node["look"].map(Recipe.Look.init), say: node.template("say"))
    }
}

extension Recipe.Chunks {
    init(_ node: RecipeNode) {
        self.init(
            place: node.place, size: node.demandedFormula("size"), multipleOf: node.formula("multiple_of"),
            most: Int(node["most"]?.number() ?? 1))
    }
}

extension Recipe.Poll {
    init(_ node: RecipeNode) {
        self.init(
            place: node.place, until: node.demandedFormula("until"), failWhen: node.formula("fail_when"),
            every: node.demandedFormula("every"), most: node.demandedFormula("most"))
    }
}

extension Recipe.ResumeRule {
    init(_ node: RecipeNode) {
        if let ask = node["ask"] {
            self = .ask(
                Recipe.ResumeQuestion(
                    request: ask.request(), captures: ask.captures(), offset: node.demandedFormula("offset"),
                    isDone: node.formula("done_when"), restartWhen: node.formula("restart_when")))
        } else if let error = node["from_error"] {
            self = .fromError(
                status: Int(error["status"]?.number() ?? 0),
                offset: error.texts("offset").compactMap { JSONPointer($0) })
        } else {
            self = .saved
        }
    }
}

extension Recipe.Look {
    init(_ node: RecipeNode) {
        self.init(
            place: node.place, request: node.request(), items: node.pointer("items"), captures: node.captures(),
            isFound: node.demandedFormula("found"), settles: node["settles"]?.number() ?? 0)
    }
}

extension Recipe.StatusRule {
    init(_ node: RecipeNode) {
        self.init(place: node.place, statuses: node.statuses("status"), when: node.formula("when"))
    }
}

extension Recipe.Capture {
    init(key: String, place: RecipePlace, node: RecipeNode) {
        let source: Source =
            if let pointer = node.pointer("json") {
                .json(pointer)
            } else if let path = node["xml"]?.string.flatMap({ XMLPath($0) }) {
                .xml(path)
            } else if let header = node["header"]?.string {
                .header(header)
            } else if let field = node["form"]?.string {
                .form(field)
            } else {
                .text
            }
        let defaultValue = node.template("default")
        self.init(
            place: place, name: key, source: source, isRequired: !node.flag("optional") && defaultValue == nil,
            isSecret: node.flag("secret"), defaultValue: defaultValue)
    }
}
