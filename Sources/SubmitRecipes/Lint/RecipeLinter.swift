internal import Submit

/// Finds what is wrong with a recipe of right form: what cannot work, what would be dangerous, and what nobody could
/// understand once it went wrong.
struct RecipeLinter {
    let recipe: Recipe
    private(set) var faults: [RecipeFault] = []
    /// Secrets that `after_login` keeps.
    let keptSecrets: Set<String>

    static func faults(of recipe: Recipe) -> [RecipeFault] {
        var linter = RecipeLinter(recipe)
        linter.check()
        // One place may be looked at twice.
        var seen: Set<RecipeFault> = []
        return linter.faults.filter { seen.insert($0).inserted }
    }

    private init(_ recipe: Recipe) {
        self.recipe = recipe
        keptSecrets = Set(recipe.authorization.afterLogin.flatMap(\.captures).filter(\.isSecret).map(\.name))
    }

    mutating func tell(_ place: RecipePlace, _ sentence: String) {
        faults.append(RecipeFault(place, sentence))
    }

    /// Those of an account, whatever is sent.
    var accountNames: KnownNames {
        var names = KnownNames()
        var settings: [String: KnownNames.Known] = [:]
        for key in recipe.authorization.settings { settings[key] = KnownNames.Known(isFree: true) }
        for setting in recipe.settings where setting.kind != .secret {
            settings[setting.name] = KnownNames.Known(setting)
        }
        names["settings"] = .members(settings)
        names["now"] = .value(KnownNames.Known())
        let kept = recipe.authorization.afterLogin.flatMap { step in
            step.captures.filter { !$0.isSecret }.map { ($0.name, KnownNames.Known($0, isCertain: step.isCertain)) }
        }
        if !kept.isEmpty { names["account"] = .members(Dictionary(kept) { $1 }) }
        return names
    }

    private mutating func check() {
        checkSettings()
        checkHosts()
        checkAuthorization()
        let account = accountNames
        if let privateWhen = recipe.privateWhen {
            var names = account
            names["account"] = nil
            check(privateWhen, names)
            if !recipe.isPublic { tell(privateWhen.place, "This says nothing: “public” is not true.") }
        }
        if let identity = recipe.identity {
            check(identity.request, account)
            demand(["name"], in: identity.captures, of: "identity", identity.place)
            check(identity.isRight, account.withAnswer().with("identity", identity.captures))
        }
        var sending = account.withItem()
        if let question = recipe.limits.question {
            check(question.request, account)
            let names = account.with("ask", question.captures, isCertain: false)
            for formula in question.mostBytes.values { check(formula, names) }
            for formula in question.mostPixels.values { check(formula, names) }
            for formula in question.mimes.values { check(formula, names) }
            check(question.captionLimit, names)
            sending = sending.with("ask", question.captures, isCertain: false)
        }
        if recipe.albums != nil {
            let maybe = KnownNames.Known(mayBeNothing: true)
            var album = ["name": KnownNames.Known(mayBeNothing: true, isFree: true)]
            if recipe.albums?.list != nil || recipe.albums?.creation != nil { album["id"] = maybe }
            sending = sending.with("album", album)
        }
        let made = checkSteps(recipe.upload, sending, hasFile: true)
        check(recipe.receipt, made)
        let receipt = ["id": KnownNames.Known(), "url": KnownNames.Known(mayBeNothing: recipe.receipt.url == nil)]
        if let presence = recipe.presence {
            let names = account.withItem().with("receipt", receipt)
            check(presence.request, names)
            let answered = names.withAnswer().with("presence", presence.captures)
            check(presence.isRight, answered)
            check(presence.isThere, answered)
            check(presence.gone, answered)
            check(presence.evidence, answered)
        }
        if let removal = recipe.removal {
            let names = account.with("receipt", receipt)
            check(removal.request, names)
            check(removal.isRight, names.withAnswer())
            check(removal.gone, names.withAnswer())
        }
        if let albums = recipe.albums { check(albums, account, made.with("receipt", receipt)) }
        checkErrors(account.withAnswer())
    }

    mutating func demand(_ names: [String], in captures: [Recipe.Capture], of what: String, _ place: RecipePlace) {
        for name in names where !captures.contains(where: { $0.name == name }) {
            tell(place, "“\(what)” must capture “\(name)”.")
        }
    }

    private mutating func check(_ evidence: Recipe.EvidenceRule, _ names: KnownNames) {
        for formula in [evidence.verified, evidence.echoed, evidence.size, evidence.accepted] { check(formula, names) }
    }

    private mutating func check(_ receipt: Recipe.ReceiptRule, _ names: KnownNames) {
        check(receipt.id, .shown, names)
        if receipt.id.pieces.count == 1, case .value(let id) = receipt.id.pieces[0], mayBeNothing(id, names) {
            tell(
                place(id) ?? receipt.id.place,
                "The receipt's “id” may be nothing, for its step may not be done or may capture nothing: say with “??” what then."
            )
        }
        if let url = receipt.url {
            check(url, .shown, names)
            if url.pieces.count == 1, case .value(let value) = url.pieces[0], let path = value.memberPath,
                recipe.upload.contains(where: { $0.id == path.root && $0.when != nil })
            {
                tell(
                    place(value) ?? url.place,
                    "The step “\(path.root)” is not always done: say with “??” what the receipt's “url” is then (“?? null” for none)."
                )
            }
        }
        check(receipt.wasThere, names)
        if let note = receipt.note { check(note, .shown, names) }
        check(receipt.evidence, names)
        guard let holds = receipt.holdsItem else { return }
        check(holds, names)
        if recipe.presence?.isThere == nil {
            tell(
                holds.place,
                "“holds_when” needs “presence” with “there_when”: the post is looked at before it is called empty, and audits "
                    + "look at it too.")
        }
    }

    private mutating func check(_ albums: Recipe.Albums, _ account: KnownNames, _ made: KnownNames) {
        let name = KnownNames.Known(isFree: true)
        if let list = albums.list {
            let names = account.with(
                "page", ["token": KnownNames.Known(mayBeNothing: true), "number": KnownNames.Known()])
            check(list.request, names)
            var items = account
            items["item"] = .lookup
            check(list.only, items)
            if case .token(_, let target, let isMore) = list.next {
                check(isMore, account.withAnswer())
                if case .request(let request?) = target {
                    check(request, account.with("page", ["token": KnownNames.Known()]))
                }
                if case .request(nil) = target, !list.request.templates.contains(where: { $0.uses("page", "token") }) {
                    tell(
                        list.place,
                        "Nothing says where the token of the next page goes: say “as” or “request” in “next”, or {{ page.token }} "
                            + "in the request.")
                }
            }
            if case .page(_, let query, let isMore) = list.next {
                check(isMore, account.withAnswer())
                if query.isEmpty, !list.request.templates.contains(where: { $0.uses("page", "number") }) {
                    tell(list.place, "Nothing says where the number of the page goes: say “as” in “next”.")
                }
            }
        }
        if let creation = albums.creation {
            let names = (creation.needsItem ? made : account).with("album", ["name": name])
            check(creation.request, names)
            demand(["id"], in: creation.captures, of: "create", creation.place)
            check(creation.isRight, names.withAnswer())
            check(creation.treatAsRight, names.withAnswer())
        }
        if let addition = albums.addition {
            let names = made.with("album", ["name": name, "id": KnownNames.Known()])
            check(addition.request, names)
            check(addition.isRight, names.withAnswer())
            check(addition.treatAsRight, names.withAnswer())
        }
        if albums.creation != nil || albums.addition != nil, albums.list == nil {
            tell(albums.place, "“albums” must have “list”: an album is looked for before it is made.")
        }
    }

    mutating func check(_ rules: [Recipe.StatusRule], _ names: KnownNames) {
        for rule in rules { check(rule.when, names) }
    }

    private mutating func checkErrors(_ names: KnownNames) {
        for (index, rule) in recipe.errors.enumerated() {
            check(rule.when, names)
            check(rule.wait, names)
            if let say = rule.say { check(say, .shown, names) }
            if rule.statuses.isEmpty, rule.when == nil, index < recipe.errors.count - 1 {
                tell(rule.place, "This rule takes every answer, so that none behind it is ever reached: put it last.")
            }
            if let before = recipe.errors[..<index].first(where: { $0.when == nil && $0.covers(rule) }),
                !before.statuses.isEmpty
            {
                tell(rule.place, "This rule is never reached: that of line \(before.place.line) takes all its answers.")
            }
        }
    }

    private mutating func checkSettings() {
        for setting in recipe.settings {
            switch setting.kind {
            case .choice(let words):
                if words.isEmpty { tell(setting.place, "The choice “\(setting.name)” must say its words: of: [a, b].") }
                if let text = setting.defaultValue.asText, !words.contains(text) {
                    tell(setting.place, "The default “\(text)” of “\(setting.name)” is none of its words.")
                }
            case .secret:
                if !setting.defaultValue.isNothing {
                    tell(
                        setting.place,
                        "“\(setting.name)” is a secret, and a recipe is shown to everyone: it has no default.")
                }
            case .integer:
                if setting.defaultValue != .null, setting.defaultValue.asInteger == nil {
                    tell(setting.place, "The default of “\(setting.name)” must be a whole number.")
                }
            case .boolean:
                if setting.defaultValue != .null, setting.defaultValue != .bool(true),
                    setting.defaultValue != .bool(false)
                {
                    tell(setting.place, "The default of “\(setting.name)” must be true or false.")
                }
            case .url:
                if let text = setting.defaultValue.asText, !text.hasPrefix("https://") {
                    tell(setting.place, "The default of “\(setting.name)” must begin with https://.")
                }
            case .text:
                if let text = setting.defaultValue.asText, Self.looksSecret(text) {
                    tell(
                        setting.place,
                        "The default of “\(setting.name)” looks like a secret: a recipe is shown to everyone.")
                }
            }
            if setting.isRequired, setting.defaultValue != .null {
                tell(setting.place, "“\(setting.name)” is required and has a default: leave one of them.")
            }
            if ["type", "recipe", "insecure"].contains(setting.name) {
                tell(setting.place, "No setting can be called “\(setting.name)”: every destination has it already.")
            }
        }
    }

    private mutating func checkHosts() {
        for host in recipe.hosts {
            guard case .setting(let name) = host.kind else { continue }
            guard let setting = recipe.settings.first(where: { $0.name == name }) else {
                let hint = NearestNames.hint(for: name, among: recipe.settings.map(\.name))
                tell(host.place, "There is no setting “\(name)”\(hint): add it to “settings”, of kind url.")
                continue
            }
            if setting.kind != .url { tell(host.place, "The setting “\(name)” must be of kind url to be a host.") }
            if !setting.isRequired, setting.defaultValue.isNothing {
                tell(host.place, "The setting “\(name)” may not be set: make it required, or give it a default.")
            }
        }
    }
}

extension RecipeTemplate {
    func uses(_ root: String, _ key: String) -> Bool { expressions.contains { $0.uses(root, key) } }
}

extension Recipe.ErrorRule {
    /// Every answer that the other takes, this one takes too, but for `when`.
    fileprivate func covers(_ other: Recipe.ErrorRule) -> Bool {
        if statuses.isEmpty { return true }
        guard !other.statuses.isEmpty else { return false }
        return other.statuses.allSatisfy { range in
            statuses.contains {
                $0.statuses.lowerBound <= range.statuses.lowerBound
                    && range.statuses.upperBound <= $0.statuses.upperBound
            }
        }
    }
}
