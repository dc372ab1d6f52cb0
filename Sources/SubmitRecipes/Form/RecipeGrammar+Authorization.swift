extension MappingGrammar {
    static let authorization = RecipeGrammar.variant(
        key: "kind", summary: "how to sign in",
        [
            ("oauth2", oauth2), ("oauth1", oauth1), ("header", header),
            ("basic", MappingGrammar("auth by user and password", [])),
            ("wsse", MappingGrammar("auth by WSSE", [])),
            ("none", MappingGrammar("no auth", [])),
        ])

    static let header = MappingGrammar(
        "auth by a header",
        [
            Key("name", .text(.token), required: true, "the header"),
            Key("value", .template, required: true, "its value, with {{ secret.NAME }} in it"),
        ])

    private static var flows: RecipeGrammar { .list(.word(Recipe.Flow.allCases.map(\.rawValue)), least: 1) }
    private static var afterLogin: RecipeGrammar { .list(.mapping(step), least: 1) }

    static let oauth2 = MappingGrammar(
        "auth by OAuth 2",
        [
            Key("authorize_url", .template, "the page that people open"),
            Key("token_url", .template, required: true, "where codes become tokens"),
            Key("revoke_url", .template, "where tokens are made worthless (RFC 7009)"),
            Key("revoke", .mapping(request), "the request that makes them worthless, where it is none of RFC 7009"),
            Key("device_url", .template, "where device codes come from (RFC 8628)"),
            Key("issuer", .template, "what the service calls itself where it says so when it comes back (RFC 9207)"),
            Key("scopes", .list(.text(.any), least: 0), "what to ask for"),
            Key("scope_separator", .text(.any), "what stands between scopes; a space by default"),
            Key("pkce", .word(["S256", "none"]), "S256 by default"),
            Key(
                "client_auth", .word(Recipe.OAuth2.ClientAuthentication.allCases.map(\.rawValue)),
                "how the client's secret is sent; post by default"),
            Key("extra_authorize", .named(.any, .template), "further parameters of the page that people open"),
            Key(
                "redirect", .anyOf([.word(["any_port", "manual"]), .wholeNumber(1...65535), .text(.page)]),
                "any_port (by default), manual, the one port of 127.0.0.1 that is registered, or the service's own page that "
                    + "shows the code"),
            Key("flows", flows, "what is offered, best first; browser and paste by default"),
            Key("token_header", .mapping(tokenHeader), "how requests show the token; Authorization: Bearer by default"),
            Key("register", .mapping(registration), "makes this program known to the service"),
            Key("after_login", afterLogin, "steps after a login; what they capture is kept as account.NAME"),
        ])

    static let oauth1 = MappingGrammar(
        "auth by OAuth 1.0a",
        [
            Key("request_url", .template, required: true, "where temporary credentials come from"),
            Key("authorize_url", .template, required: true, "the page that people open"),
            Key("access_url", .template, required: true, "where they become tokens"),
            Key("signature", .word(Recipe.OAuth1.Signature.allCases.map(\.rawValue)), "HMAC-SHA1 by default"),
            Key("extra_request", .named(.any, .template), "further signed parameters of the first request"),
            Key("extra_authorize", .named(.any, .template), "further parameters of the page that people open"),
            Key("sign_multipart_text", .boolean, "text fields of multipart bodies are signed too"),
            Key("flows", flows, "what is offered, best first; browser and paste by default"),
            Key("after_login", afterLogin, "steps after a login; what they capture is kept as account.NAME"),
        ])

    static let tokenHeader = MappingGrammar(
        "a token's header",
        [
            Key("name", .text(.token), required: true, "the header"),
            Key("prefix", .text(.any), "what stands before the token"),
        ])

    static let registration = MappingGrammar(
        "a registration",
        [
            Key("request", .mapping(request), required: true, "the request; redirect.uri and auth.scopes are known"),
            Key("capture", captures, required: true, "client_id, and client_secret where there is one"),
        ])
}
