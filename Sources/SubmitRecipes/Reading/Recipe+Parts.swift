extension Recipe.Facts {
    init(_ node: RecipeNode?) {
        self.init(
            checked: node?.text("checked") ?? "", sources: node?.texts("sources") ?? [],
            tested: node?.text("tested") ?? "")
    }
}

extension Recipe.Setting {
    init(key: String, place: RecipePlace, node: RecipeNode) {
        let kind: Kind =
            switch node.text("kind") {
            case "integer": .integer
            case "boolean": .boolean
            case "url": .url
            case "secret": .secret
            case "choice": .choice(node.texts("of"))
            default: .text
            }
        self.init(
            place: place, name: key, kind: kind, summary: node.text("summary"), isRequired: node.flag("required"),
            defaultValue: node["default"]?.constant ?? .null)
    }
}

extension Recipe.Limits {
    init(_ node: RecipeNode) {
        self.init()
        let kinds: [ItemKind] = node.words("kinds")
        if !kinds.isEmpty { self.kinds = Set(kinds) }
        for kind in ItemKind.allCases {
            guard let limit = node[kind.rawValue] else { continue }
            let mimes = limit.texts("mimes")
            items[kind] = Item(mostBytes: limit["max_bytes"]?.number(), mimes: mimes.isEmpty ? nil : mimes)
        }
        captionLimit = node["caption_max"]?.number().map(Int.init)
        parallel = node["parallel"]?.number().map(Int.init) ?? parallel
        gap = node["gap"]?.number() ?? gap
        question = node["ask"].map(Question.init)
    }
}

extension Recipe.Limits.Question {
    init(_ node: RecipeNode) {
        var mostBytes: [Recipe.Limits.ItemKind: Formula] = [:]
        var mostPixels: [Recipe.Limits.ItemKind: Formula] = [:]
        var mimes: [Recipe.Limits.ItemKind: Formula] = [:]
        for kind in Recipe.Limits.ItemKind.allCases {
            mostBytes[kind] = node[kind.rawValue]?.formula("max_bytes")
            mostPixels[kind] = node[kind.rawValue]?.formula("max_pixels")
            mimes[kind] = node[kind.rawValue]?.formula("mimes")
        }
        self.init(
            place: node.place, request: node.request(), captures: node.captures(), mostBytes: mostBytes,
            mostPixels: mostPixels, mimes: mimes, captionLimit: node.formula("caption_max"))
    }
}

extension Recipe.Identity {
    init(_ node: RecipeNode) {
        self.init(
            place: node.place, request: node.request(), captures: node.captures(), isRight: node.formula("ok_when"))
    }
}

extension Recipe.EvidenceRule {
    init(_ node: RecipeNode) {
        self.init(
            verified: node.formula("verified_when"), echoed: node.formula("echoed_when"),
            size: node.formula("size_when"),
            accepted: node.formula("accepted_when"))
    }
}

extension Recipe.ReceiptRule {
    init(_ node: RecipeNode) {
        self.init(
            place: node.place, id: node.demandedTemplate("id"), url: node.template("url"),
            wasThere: node.formula("was_there"), holdsItem: node.formula("holds_when"), note: node.template("note"),
            evidence: Recipe.EvidenceRule(node))
    }
}

extension Recipe.PresenceRule {
    init(_ node: RecipeNode) {
        self.init(
            place: node.place, request: node.request(), captures: node.captures(), isRight: node.formula("ok_when"),
            isThere: node.formula("there_when"), gone: node.statusRules("gone"), evidence: Recipe.EvidenceRule(node))
    }
}

extension Recipe.RemovalRule {
    init(_ node: RecipeNode) {
        self.init(
            place: node.place, request: node.request(), isRight: node.formula("ok_when"), gone: node.statusRules("gone")
        )
    }
}

extension Recipe.ErrorRule {
    init(_ node: RecipeNode) {
        self.init(
            place: node.place, statuses: node.statuses("status"), when: node.formula("when"),
            kind: Class(rawValue: node.text("class")) ?? .fatal, wait: node.formula("wait"), say: node.template("say"))
    }
}

extension Recipe.Albums {
    init(_ node: RecipeNode) {
        self.init(
            place: node.place, list: node["list"].map(Listing.init), creation: node["create"].map(Creation.init),
            addition: node["add"].map(Addition.init))
    }
}

extension Recipe.Albums.Listing {
    init(_ node: RecipeNode) {
        let root = JSONPointer(tokens: [])
        self.init(
            place: node.place, request: node.request(), items: node.pointer("items") ?? root,
            id: node.pointer("id") ?? root, title: node.pointer("title") ?? root, only: node.formula("only"),
            created: node.pointer("created"), next: node["next"].map(Recipe.Albums.Paging.init) ?? .none)
    }
}

extension Recipe.Albums.Paging {
    init(_ node: RecipeNode) {
        if let pointer = node.pointer("token") {
            let place: Recipe.Albums.TokenPlace =
                node["as"]?.string.map { .query($0) } ?? .request(node["request"].map(Recipe.Request.init))
            self = .token(pointer, to: place, isMore: node.formula("more"))
        } else if let first = node["page"]?.number() {
            self = .page(from: first, query: node.text("as"), isMore: node.formula("more"))
        } else {
            self = node.string == "link" ? .link : .none
        }
    }
}

extension Recipe.Albums.Creation {
    init(_ node: RecipeNode) {
        self.init(
            place: node.place, request: node.request(), captures: node.captures(), isRight: node.formula("ok_when"),
            treatAsRight: (node["treat_as_ok"]?.elements ?? []).map(Recipe.StatusRule.init),
            needsItem: node.flag("needs_item"))
    }
}

extension Recipe.Albums.Addition {
    init(_ node: RecipeNode) {
        self.init(
            place: node.place, request: node.request(), isRight: node.formula("ok_when"),
            treatAsRight: (node["treat_as_ok"]?.elements ?? []).map(Recipe.StatusRule.init))
    }
}
