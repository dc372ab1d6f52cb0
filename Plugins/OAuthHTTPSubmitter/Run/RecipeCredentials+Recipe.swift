internal import Submit
internal import SubmitHTTP
internal import SubmitRecipes
internal import SubmitSignIn

extension RecipeCredentials {
    /// What a destination of a recipe shows.
    ///
    /// - Parameter isRefused: whether an answer says that a token is no good.
    /// - Throws: a failure that names the setting that is missing or wrong.
    init(
        _ recipe: Recipe, _ settings: DestinationSettings, hosts: RecipeHosts, transport: any HTTPTransport,
        isRefused: @escaping @Sendable (HTTPResponse) -> Bool
    ) throws(SubmitFailure) {
        let destination = settings.destination
        let allowsPlain = try settings.boolean("insecure") ?? false
        switch recipe.authorization {
        case .none:
            self.init(standard: transport, headerNames: [])
        case .header(let name, let value):
            let names = recipe.settings.filter { $0.kind == .secret }.map(\.name)
            let (values, store) = (recipe.values(settings), settings.secretStore)
            let known = Dictionary(names.map { ($0, settings.secret($0)) }) { first, _ in first }
            let standard = HeaderTransport(transport, hosts: hosts) { () async throws(SubmitFailure) in
                var texts = known.compactMapValues { $0 }
                // What was typed at a login since this was made.
                if texts.count < names.count {
                    texts.merge(try await store.read().filter { names.contains($0.key) }) { configured, _ in configured
                    }
                }
                KnownSecrets.add(kept: texts)
                var scope = ExpressionScope()
                scope["settings"] = .map(values)
                scope["secret"] = .map(texts.mapValues { .text($0) })
                let made: String?
                do throws(RecipeFault) {
                    made = try value.header(in: scope)
                } catch {
                    // The fault's own sentence speaks of the recipe's text; the value is the person's.
                    throw texts.isEmpty ? .needsLogin(destination) : error.failure(recipe, at: destination)
                }
                guard let made, !texts.isEmpty else { throw .needsLogin(destination) }
                // What the recipe makes of them, such as a digest, opens as much.
                KnownSecrets.add(made.split(separator: " ").last.map(String.init) ?? made)
                return (name, made)
            }
            self.init(standard: standard, headerNames: [name])
        case .basic:
            let (user, password, store) = (settings["user"], settings.secret("password"), settings.secretStore)
            let standard = HeaderTransport(transport, hosts: hosts) { () async throws(SubmitFailure) in
                let kept = password == nil ? try await store.read() : [:]
                guard let password = password ?? kept["password"], let user = user ?? kept["user"] else {
                    throw .needsLogin(destination)
                }
                let pair = Base64.text(of: "\(user):\(password)".utf8)
                KnownSecrets.add(password)
                return ("Authorization", "Basic " + pair)
            }
            self.init(standard: standard, headerNames: ["Authorization"])
        case .wsse:
            let user = try settings.required("user")
            let (key, store) = (settings.secret("api_key"), settings.secretStore)
            guard let origins = AllowedOrigins(recipe.originTexts(settings)) else {
                throw settings.invalid("server", "is no URL of a server")
            }
            let clock = ServerClock()
            let standard = ResolvedTransport { () async throws(SubmitFailure) in
                let key = if let key { key } else { try await store.read()["api_key"] }
                guard let key else { throw .needsLogin(destination) }
                return WSSETransport(transport, WSSE(user: user, key: key), origins: origins, clock: clock)
            }
            self.init(standard: standard, headerNames: ["X-WSSE"])
        case .oauth2(let description):
            guard let origins = AllowedOrigins(recipe.originTexts(settings)) else {
                throw settings.invalid("server", "is no URL of a server")
            }
            let keeper = OAuth2TokenSource(
                destination: destination, service: try recipe.oauth2Service(description, settings, hosts),
                client: settings.oauthClient, store: settings.secretStore, isOwnAccount: description.flows == [.client],
                transport: transport)
            let header = TokenTransport.Header(
                name: description.tokenHeader.name, prefix: description.tokenHeader.prefix)
            let standard = TokenTransport(
                transport, keeper: keeper, origins: origins, header: header, allowsPlain: allowsPlain,
                isRefused: isRefused)
            let store = settings.secretStore
            self.init(
                standard: standard,
                kept: { name in
                    HeaderTransport(transport, hosts: hosts) { () async throws(SubmitFailure) in
                        guard let secret = try await store.read()[name] else { throw .needsLogin(destination) }
                        KnownSecrets.add(secret)
                        return (header.name, header.prefix + secret)
                    }
                },
                headerNames: [header.name])
        case .oauth1(let description):
            guard let origins = AllowedOrigins(recipe.originTexts(settings)) else {
                throw settings.invalid("server", "is no URL of a server")
            }
            let standard = OAuth1Transport(
                transport, destination: destination, client: settings.oauthClient, store: settings.secretStore,
                method: description.signature == .sha256 ? .hmacSHA256 : .hmacSHA1, origins: origins)
            self.init(standard: standard, headerNames: ["Authorization"])
        }
    }
}

/// A transport that is known when it is needed.
private struct ResolvedTransport: HTTPTransport {
    let transport: @Sendable () async throws(SubmitFailure) -> any HTTPTransport

    init(_ transport: @escaping @Sendable () async throws(SubmitFailure) -> any HTTPTransport) {
        self.transport = transport
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let known: any HTTPTransport
        do throws(SubmitFailure) {
            known = try await transport()
        } catch {
            throw error == .cancelled ? .cancelled : .credentials(error)
        }
        return try await known.send(request)
    }
}

extension DestinationSettings {
    /// The application as configured.
    var oauthClient: OAuthClient? {
        self["client_id"].map { OAuthClient(id: $0, secret: secret("client_secret")) }
    }
}

extension Recipe {
    /// What is configured, under `settings`; no secrets.
    func values(_ settings: DestinationSettings) -> [String: RecipeValue] {
        var values: [String: RecipeValue] = [:]
        for setting in self.settings where setting.kind != .secret {
            let text = settings[setting.name]
            switch setting.kind {
            case .integer:
                values[setting.name] = text.flatMap { Int64($0) }.map(RecipeValue.integer) ?? setting.defaultValue
            case .boolean:
                values[setting.name] =
                    (try? settings.boolean(setting.name)).map(RecipeValue.bool) ?? setting.defaultValue
            case .url:
                let url = text ?? setting.defaultValue.asText
                values[setting.name] = RecipeValue(
                    url.map { String($0.prefix($0.count - $0.reversed().prefix { $0 == "/" }.count)) })
            case .text, .choice, .secret: values[setting.name] = text.map(RecipeValue.text) ?? setting.defaultValue
            }
        }
        // Those that come by themselves.
        for name in authorization.settings { values[name] = settings[name].map(RecipeValue.text) }
        return values
    }

    /// The origins in ``hosts``, as configured.
    func originTexts(_ settings: DestinationSettings) -> [String] {
        hosts.compactMap { host in
            switch host.kind {
            case .origin(let origin): return origin
            case .subdomains(let suffix): return "https://*" + suffix
            case .setting(let name):
                let text = settings[name] ?? self.settings.first { $0.name == name }?.defaultValue.asText
                return text.flatMap { RecipeHosts.origin(of: $0)?.origin }
            }
        }
    }

    /// A URL of ``authorization``, absolute.
    ///
    /// - Parameter isPage: people open it, and nothing is sent there. All else goes to the recipe's hosts.
    func url(
        _ template: RecipeTemplate, _ settings: DestinationSettings, _ hosts: RecipeHosts, isPage: Bool = false
    ) throws(SubmitFailure) -> String {
        var scope = ExpressionScope()
        scope["settings"] = .map(values(settings))
        scope["now"] = .integer(Timestamp.now.seconds)
        do throws(RecipeFault) {
            let url = try template.url(in: scope)
            if isPage { return url.hasPrefix("/") ? hosts.base?.url(url) ?? url : url }
            return try hosts.absolute(url, isGiven: false, at: template.place)
        } catch {
            throw error.failure(self, at: settings.destination)
        }
    }

    /// What is to be known of its service to get tokens from it.
    func oauth2Service(
        _ description: OAuth2, _ settings: DestinationSettings, _ hosts: RecipeHosts
    ) throws(SubmitFailure) -> OAuth2Service {
        func optional(_ template: RecipeTemplate?) throws(SubmitFailure) -> String? {
            guard let template else { return nil }
            return try url(template, settings, hosts)
        }
        let clientAuthentication: OAuth2Service.ClientAuthentication =
            switch description.clientAuthentication {
            case .none: .none
            case .post: .post
            case .basic: .basic
            }
        var scope = ExpressionScope()
        scope["settings"] = .map(values(settings))
        scope["now"] = .integer(Timestamp.now.seconds)
        var extra: [WebForm.Field] = []
        for field in description.extraAuthorize {
            do throws(RecipeFault) {
                for text in try field.value.texts(in: scope) { extra.append((field.name, text)) }
            } catch {
                throw error.failure(self, at: settings.destination)
            }
        }
        return OAuth2Service(
            authorizeURL: try description.authorizeURL.map { (page) throws(SubmitFailure) in
                try url(page, settings, hosts, isPage: true)
            },
            tokenURL: try url(description.tokenURL, settings, hosts),
            deviceURL: try optional(description.deviceURL), revokeURL: try optional(description.revokeURL),
            issuer: try description.issuer.map { (issuer) throws(SubmitFailure) in
                try url(issuer, settings, hosts, isPage: true)
            },
            scopes: description.scopes, scopeSeparator: description.scopeSeparator, usesProofKey: description.usesPKCE,
            clientAuthentication: clientAuthentication, extraAuthorize: extra)
    }
}
