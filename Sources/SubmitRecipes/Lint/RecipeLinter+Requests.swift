internal import SubmitHTTP

extension RecipeLinter {
    /// - Parameter hasFile: an item can be sent.
    mutating func check(_ request: Recipe.Request, _ names: KnownNames, hasFile: Bool = false) {
        check(request.url, .url, names)
        checkHost(of: request.url, names)
        for field in request.query { check(field.value, .field, names) }
        for field in request.headers {
            check(field.value, .header, names)
            checkHeaderName(field.name, field.place)
        }
        for header in request.jsonHeaders {
            checkHeaderName(header.name, header.place)
            for template in header.value.templates { check(template, .json, names) }
        }
        let twice = request.headers.map { $0.name.lowercased() }
        for header in request.jsonHeaders where twice.contains(header.name.lowercased()) {
            tell(header.place, "“\(header.name)” stands in “headers” too: leave one of them.")
        }
        check(request.body, names)
        if !hasFile, request.sendsFile {
            tell(request.body.place, "There is no file here to send: only steps of “upload” send it.")
        }
        checkSecrets(in: request)
        if case .kept(let name) = request.credential, !keptSecrets.contains(name) {
            let all =
                keptSecrets.isEmpty ? "it captures none" : "there are \(keptSecrets.sorted().joined(separator: ", "))"
            tell(
                request.place,
                "“auth: \(name)” names no secret that “after_login” captures; \(all), besides default and none.")
        }
        if ["GET", "HEAD"].contains(request.method), request.body.hasContent {
            tell(request.body.place, "\(request.method) has no body: use POST, or “query”.")
        }
    }

    private mutating func check(_ body: Recipe.Body, _ names: KnownNames) {
        if let type = body.type { check(type, .header, names) }
        let isXML = body.type?.constant.map { $0.hasSuffix("xml") || $0.contains("xml;") } ?? false
        switch body.content {
        case .none, .file, .range: break
        case .json(let json): for template in json.templates { check(template, .json, names) }
        case .form(let fields): for field in fields { check(field.value, .field, names) }
        case .text(let text): check(text, isXML ? .xml : .field, names)
        case .template(let text):
            check(text, .bodyTemplate, names)
            if isXML {
                // The file is said to be in place by the first look.
                check(
                    RecipeTemplate(
                        place: text.place, pieces: text.pieces.filter { if case .file = $0 { false } else { true } }),
                    .xml, names)
            }
        case .multipart(let parts):
            for part in parts {
                check(part.name, .header, names)
                if let type = part.type { check(type, .header, names) }
                // Names of files are encoded as browsers do it.
                if let filename = part.filename { check(filename, .field, names) }
                switch part.content {
                case .text(let text): check(text, .field, names)
                case .json(let json): for template in json.templates { check(template, .json, names) }
                case .file, .range: break
                }
            }
        }
    }

    private static let ownHeaders: [String: String] = [
        "host": "it follows from “url”", "content-length": "it follows from “body”",
        "transfer-encoding": "it follows from “body”", "connection": "it is not the recipe's to say",
        "expect": "say “continue: true”", "content-type": "say “type” in “body”",
        "authorization": "it follows from “auth”", "proxy-authorization": "it is not the recipe's to say",
        "cookie": "say “auth: { kind: header, name: Cookie, value: … }”",
    ]

    private mutating func checkHeaderName(_ name: String, _ place: RecipePlace) {
        if let cure = Self.ownHeaders[name.lowercased()] {
            tell(place, "The header “\(name)” cannot be set here: \(cure).")
        }
    }

    // MARK: Hosts

    /// Whether a URL surely goes to one of the recipe's hosts. Where that is for the service to say, it is looked at when
    /// the request is made.
    ///
    /// - Parameter isPage: people open it, and nothing is sent there.
    mutating func checkHost(of url: RecipeTemplate, _ names: KnownNames, isPage: Bool = false) {
        guard case .text(let start) = url.pieces.first else {
            if case .value(let expression) = url.pieces.first, let path = expression.memberPath,
                path.root == "settings",
                !recipe.hosts.contains(where: { $0.kind == .setting(path.key) }), !isPage
            {
                tell(url.place, "“{{ settings.\(path.key) }}” is not among “hosts”: add it there.")
            }
            return
        }
        if start.hasPrefix("/"), !start.hasPrefix("//") {
            if case .subdomains = recipe.hosts.first?.kind {
                tell(
                    url.place,
                    "The first of “hosts” is a whole domain, so that no URL can begin with “/”: write it in full.")
            }
            return
        }
        guard start.lowercased().hasPrefix("https://") else {
            let cure =
                start.lowercased().hasPrefix("http://") ? "http:// shows everything to the network" : "it has no host"
            tell(url.place, "A URL begins with “/” or https://: \(cure).")
            return
        }
        guard !isPage else { return }
        let rest = start.dropFirst("https://".count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if authority.count < rest.count || url.pieces.count == 1 {
            guard let endpoint = try? Endpoint("https://\(authority)") else {
                return tell(url.place, "“https://\(authority)” names no host.")
            }
            if !recipe.hosts.contains(where: { $0.contains(endpoint) }) {
                tell(url.place, "“\(endpoint.origin)” is not among “hosts”: add it there.")
            }
            return
        }
        // https://{{ settings.blog }}.example.com/…
        let after = url.pieces.dropFirst().compactMap { if case .text(let text) = $0 { text } else { nil } }.first ?? ""
        let suffix = after.prefix { $0 != "/" && $0 != "?" }
        let isKnown = recipe.hosts.contains {
            if case .subdomains(let domain) = $0.kind {
                suffix.hasSuffix(domain) && suffix.count < after.count
            } else {
                false
            }
        }
        if !isKnown {
            tell(
                url.place,
                "Which host this is cannot be told: “hosts” must have its domain, such as https://*.example.com.")
        }
    }
}

extension Recipe.Host {
    /// Whether an endpoint written in a recipe is of this host.
    fileprivate func contains(_ endpoint: Endpoint) -> Bool {
        switch kind {
        case .origin(let origin): endpoint.origin == origin
        case .subdomains(let suffix): endpoint.isSecure && endpoint.authority.hasSuffix(suffix)
        case .setting: false
        }
    }
}

extension Recipe.Body {
    fileprivate var hasContent: Bool {
        if case .none = content { false } else { true }
    }
}
