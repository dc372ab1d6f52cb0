internal import Crypto
internal import Submit

extension Recipe {
    /// Reads a recipe.
    ///
    /// - Parameter path: what its faults call it; nothing is read from there.
    /// - Throws: all that is wrong with it, with places and cures.
    public init(text: String, path: String) throws(RecipeFaults) {
        let source = RecipeSource(text, path: path)
        let root: RecipeNode
        do throws(RecipeFault) {
            root = try RecipeYAML.root(text, source)
        } catch {
            throw RecipeFaults([error])
        }
        var checker = GrammarChecker()
        checker.check(root, .mapping(.recipe), key: "recipe")
        var faults = checker.faults
        if checker.isReadable {
            self.init(root, digest: Hexadecimal.text(of: SHA256.hash(data: Array(text.utf8))))
            let told = Set(faults.map(\.place))
            faults += RecipeLinter.faults(of: self).filter { !told.contains($0.place) }
            if faults.isEmpty { return }
        }
        throw RecipeFaults(faults.sorted { $0.place < $1.place })
    }

    private init(_ root: RecipeNode, digest: String) {
        self.init(
            path: root.source.path, digest: digest, service: root.text("service"), title: root.text("title"),
            summary: root.text("summary"), facts: Facts(root["facts"]),
            settings: (root["settings"]?.members ?? []).map(Setting.init),
            hosts: (root["hosts"]?.elements ?? []).compactMap { try? $0.host() },
            authorization: Authorization(root["auth"]), isPublic: root.flag("public"),
            privateWhen: root.formula("private_when"), limits: root["limits"].map(Limits.init) ?? Limits(),
            identity: root["identity"].map(Identity.init), upload: (root["upload"]?.elements ?? []).map(Step.init),
            receipt: ReceiptRule(root["receipt"] ?? root), presence: root["presence"].map(PresenceRule.init),
            removal: root["remove"].map(RemovalRule.init), albums: root["albums"].map(Albums.init),
            errors: (root["errors"]?.elements ?? []).map(ErrorRule.init))
    }
}

/// What is not there, or wrong, is read as something harmless: the faults are told by others.
extension RecipeNode {
    func text(_ key: String) -> String { self[key]?.string ?? "" }

    func texts(_ key: String) -> [String] { self[key]?.elements.compactMap(\.string) ?? [] }

    func words<Word: RawRepresentable<String>>(_ key: String) -> [Word] { texts(key).compactMap(Word.init) }

    func flag(_ key: String) -> Bool { self[key]?.constant == .bool(true) }

    func template(_ key: String) -> RecipeTemplate? { self[key]?.readTemplate }

    var readTemplate: RecipeTemplate { (try? template()) ?? unknownTemplate }

    /// Of which nothing is known, so that nothing more is said of it.
    private var unknownTemplate: RecipeTemplate {
        RecipeTemplate(place: place, pieces: [.value(.filter(.url, .literal(.text("x")), [], place))])
    }

    func formula(_ key: String) -> Formula? {
        self[key].map { node in (try? node.formula()) ?? Formula(place: node.place, expression: .literal(.null)) }
    }

    /// A formula that must be there.
    func demandedFormula(_ key: String) -> Formula {
        formula(key) ?? Formula(place: place, expression: .literal(.null))
    }

    func demandedTemplate(_ key: String) -> RecipeTemplate { template(key) ?? unknownTemplate }

    func statuses(_ key: String) -> [Recipe.StatusRange] { self[key]?.elements.compactMap { $0.statusRange() } ?? [] }

    /// A list of statuses, and of statuses with what else must hold.
    func statusRules(_ key: String) -> [Recipe.StatusRule] {
        (self[key]?.elements ?? []).compactMap { node in
            if node.isMapping { return Recipe.StatusRule(node) }
            return node.statusRange().map { Recipe.StatusRule(place: node.place, statuses: [$0], when: nil) }
        }
    }

    func pointer(_ key: String) -> JSONPointer? { self[key]?.string.flatMap { JSONPointer($0) } }

    func fields(_ key: String) -> [Recipe.Field] {
        (self[key]?.members ?? []).map { Recipe.Field(place: $0.place, name: $0.key, value: $0.value.readTemplate) }
    }

    func captures(_ key: String = "capture") -> [Recipe.Capture] { (self[key]?.members ?? []).map(Recipe.Capture.init) }

    func request(_ key: String = "request") -> Recipe.Request { Recipe.Request(self[key] ?? self) }

    var json: JSONTemplate {
        if isMapping { return .map(members.map { ($0.key, $0.value.json) }) }
        if isList { return .list(elements.map(\.json)) }
        return .value(readTemplate)
    }
}
