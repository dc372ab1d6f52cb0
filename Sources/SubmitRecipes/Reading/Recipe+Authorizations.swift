extension Recipe.Authorization {
    init(_ node: RecipeNode?) {
        guard let node else {
            self = .none
            return
        }
        self =
            switch node.text("kind") {
            case "oauth2": .oauth2(Recipe.OAuth2(node))
            case "oauth1": .oauth1(Recipe.OAuth1(node))
            case "header": .header(name: node.text("name"), value: node.demandedTemplate("value"))
            case "basic": .basic
            case "wsse": .wsse
            default: .none
            }
    }
}

extension Recipe.OAuth2 {
    init(_ node: RecipeNode) {
        let redirect: RedirectKind =
            switch node.text("redirect") {
            case "manual": .manual
            case "", "any_port": .anyPort
            case let page where page.hasPrefix("https://"): .page(page)
            default: .port(Int(node["redirect"]?.number() ?? 0))
            }
        let flows: [Recipe.Flow] = node.words("flows")
        let header = node["token_header"]
        self.init(
            place: node.place, authorizeURL: node.template("authorize_url"),
            tokenURL: node.demandedTemplate("token_url"),
            revokeURL: node.template("revoke_url"), revocation: node["revoke"].map(Recipe.Request.init),
            deviceURL: node.template("device_url"), issuer: node.template("issuer"), scopes: node.texts("scopes"),
            scopeSeparator: node["scope_separator"]?.string ?? " ", usesPKCE: node.text("pkce") != "none",
            clientAuthentication: ClientAuthentication(rawValue: node.text("client_auth")) ?? .post,
            extraAuthorize: node.fields("extra_authorize"), redirect: redirect,
            flows: flows.isEmpty ? [.browser, .paste] : flows,
            tokenHeader: (header?.text("name") ?? "Authorization", header.map { $0.text("prefix") } ?? "Bearer "),
            registration: node["register"].map(Registration.init),
            afterLogin: (node["after_login"]?.elements ?? []).map(Recipe.Step.init))
    }
}

extension Recipe.OAuth2.Registration {
    init(_ node: RecipeNode) {
        self.init(place: node.place, request: node.request(), captures: node.captures())
    }
}

extension Recipe.OAuth1 {
    init(_ node: RecipeNode) {
        let flows: [Recipe.Flow] = node.words("flows")
        self.init(
            place: node.place, requestURL: node.demandedTemplate("request_url"),
            authorizeURL: node.demandedTemplate("authorize_url"), accessURL: node.demandedTemplate("access_url"),
            signature: Signature(rawValue: node.text("signature")) ?? .sha1, extraRequest: node.fields("extra_request"),
            extraAuthorize: node.fields("extra_authorize"), signsMultipartText: node.flag("sign_multipart_text"),
            flows: flows.isEmpty ? [.browser, .paste] : flows,
            afterLogin: (node["after_login"]?.elements ?? []).map(Recipe.Step.init))
    }
}
