extension Recipe.Request {
    init(_ node: RecipeNode) {
        let credential: Recipe.Credential =
            switch node.text("auth") {
            case "", "default": .standard
            case "none": .none
            case let name: .kept(name)
            }
        self.init(
            place: node.place, method: node.text("method"), url: node.demandedTemplate("url"),
            query: node.fields("query"),
            headers: node.fields("headers"),
            jsonHeaders: (node["headers_json"]?.members ?? []).map { ($0.key, $0.value.json, $0.place) },
            credential: credential, body: Recipe.Body(node["body"], in: node), expected: node.statuses("expect"),
            asksToContinue: node.flag("continue"), timeout: node["timeout"]?.number())
    }
}

extension Recipe.Body {
    init(_ node: RecipeNode?, in request: RecipeNode) {
        self.init(
            place: (node ?? request).place, content: node.map(Self.content) ?? .none, type: node?.template("type"))
    }

    private static func content(_ node: RecipeNode) -> Content {
        if let json = node["json"] { return .json(json.json) }
        // `json:` with nothing behind it is `null`.
        if node.has("json") {
            return .json(.value(RecipeTemplate(place: node.place, pieces: [.value(.literal(.null))])))
        }
        if node["form"] != nil { return .form(node.fields("form")) }
        if let raw = node.template("raw") {
            switch raw.constant {
            case "file": return .file
            case "range": return .range
            default: return .text(raw)
            }
        }
        if let parts = node["multipart"] { return .multipart(parts.elements.map(Recipe.Part.init)) }
        if let template = node.template("template") { return .template(template) }
        return .none
    }
}

extension Recipe.Part {
    init(_ node: RecipeNode) {
        let content: Content =
            if let json = node["json"] {
                .json(json.json)
            } else if let text = node.template("text") {
                .text(text)
            } else if node.flag("range") {
                .range
            } else {
                .file
            }
        self.init(
            place: node.place, name: node.demandedTemplate("name"), content: content,
            filename: node.template("filename"),
            type: node.template("type"))
    }
}
