internal import Submit
internal import SubmitHTTP
internal import SubmitRecipes
internal import SubmitSignIn

/// Makes the login of a destination from its recipe's `auth`.
struct RecipeLogin: Sendable {
    let recipe: Recipe
    let settings: DestinationSettings
    let hosts: RecipeHosts
    let transport: any HTTPTransport
    let clock: @Sendable () -> Timestamp

    /// How people sign in; `nil` where nobody has to.
    ///
    /// - Throws: a failure that names the setting that is wrong.
    func facet() throws(SubmitFailure) -> (any LoginFacet)? {
        switch recipe.authorization {
        case .none: return nil
        case .header: return typed(recipe.settings.filter { $0.kind == .secret }.map { ($0.name, $0.summary) })
        case .basic: return typed([("password", "App password")], asksUser: settings["user"] == nil)
        case .wsse: return typed([("api_key", "API key")])
        case .oauth2(let description): return try login(description)
        case .oauth1(let description): return try login(description)
        }
    }

    // MARK: Typed secrets

    private func typed(_ secrets: [(name: String, label: String)], asksUser: Bool = false) -> TypedLogin {
        let users = asksUser ? [LoginField("user", label: "User", isSecret: false)] : []
        let fields = users + secrets.map { LoginField($0.name, label: $0.label) }
        return TypedLogin(
            destination: settings.destination, fields: fields, whoami: whoami,
            check: { texts throws(SubmitFailure) in
                var grant = LoginGrant(account: "", secrets: [:])
                for field in fields {
                    if field.isSecret {
                        grant.secrets[field.name] = texts[field.name]
                    } else {
                        grant.settings[field.name] = texts[field.name]
                    }
                }
                return try await named(grant)
            })
    }

    // MARK: OAuth

    private func login(_ description: Recipe.OAuth2) throws(SubmitFailure) -> OAuth2Login {
        let service = try recipe.oauth2Service(description, settings, hosts)
        var redirect = LoginRedirect()
        var methods = description.flows.map(\.method)
        var pasted = OAuth2Settings.PasteRedirect.unanswered
        switch description.redirect {
        case .anyPort: break
        case .port(let port): redirect.port = port
        case .manual:
            methods.removeAll { $0 == .browser }
            // Whoever registers says so there, and has to say the same again.
            pasted = description.registration == nil ? .none : .fixed(Self.outOfBand)
        case .page(let url):
            methods.removeAll { $0 == .browser }
            pasted = .fixed(url)
        }
        var login = OAuth2Settings(
            destination: settings.destination, service: service, client: settings.oauthClient, methods: methods,
            redirect: redirect, pasteRedirect: pasted)
        if let registration = description.registration {
            login.register = { redirect throws(SubmitFailure) in
                try await register(registration, redirect: redirect ?? Self.outOfBand, scope: service.scopes)
            }
        }
        login.moreSecrets = secretNames(description.afterLogin)
        login.afterLogin = { _, secrets throws(SubmitFailure) in try await finish(description.afterLogin, secrets) }
        login.whoami = whoami
        if let request = description.revocation {
            login.revoke = { _ throws(SubmitFailure) in try await revoke(request) }
        }
        return OAuth2Login(login, store: settings.secretStore, transport: transport, now: clock)
    }

    private func login(_ description: Recipe.OAuth1) throws(SubmitFailure) -> OAuth1Login {
        let service = OAuth1Service(
            requestURL: try recipe.url(description.requestURL, settings, hosts),
            authorizeURL: try recipe.url(description.authorizeURL, settings, hosts, isPage: true),
            accessURL: try recipe.url(description.accessURL, settings, hosts),
            method: description.signature == .sha256 ? .hmacSHA256 : .hmacSHA1,
            extraRequest: try fields(description.extraRequest), extraAuthorize: try fields(description.extraAuthorize))
        var login = OAuth1Settings(
            destination: settings.destination, service: service, client: settings.oauthClient,
            methods: description.flows.map(\.method), redirect: LoginRedirect())
        login.moreSecrets = secretNames(description.afterLogin)
        login.afterLogin = { _, secrets throws(SubmitFailure) in try await finish(description.afterLogin, secrets) }
        login.whoami = whoami
        return OAuth1Login(login, store: settings.secretStore, transport: transport, clock: ServerClock(now: clock))
    }

    private static let outOfBand = "urn:ietf:wg:oauth:2.0:oob"

    private func secretNames(_ steps: [Recipe.Step]) -> Set<String> {
        Set(steps.flatMap(\.captures).filter(\.isSecret).map(\.name))
    }

    private func fields(_ fields: [Recipe.Field]) throws(SubmitFailure) -> [WebForm.Field] {
        var texts: [WebForm.Field] = []
        let scope = scope(settings, secrets: [:])
        do throws(RecipeFault) {
            for field in fields {
                for text in try field.value.texts(in: scope) { texts.append((field.name, text)) }
            }
        } catch {
            throw error.failure(recipe, at: settings.destination)
        }
        return texts
    }

    // MARK: Requests of a login

    /// Registers this program at the service.
    private func register(
        _ registration: Recipe.OAuth2.Registration, redirect: String, scope scopes: [String]
    ) async throws(SubmitFailure) -> OAuthClient {
        var scope = scope(settings, secrets: [:])
        scope["redirect"] = .map(["uri": .text(redirect)])
        scope["auth"] = .map(["scopes": .text(scopes.joined(separator: " "))])
        let call = RecipeService.Call(request: registration.request, captures: registration.captures)
        let captured = try await captures(of: call, in: &scope, settings)
        guard let id = captured["client_id"]?.asText else {
            throw SubmitFailure(
                .giveUp, code: "register",
                message: "“\(hosts.name)” did not say as what it registered this program: try again.")
        }
        return OAuthClient(id: id, secret: captured["client_secret"]?.asText)
    }

    /// Follows the steps after a login, and finds out whose it is.
    ///
    /// - Parameter secrets: what it gave.
    private func finish(
        _ steps: [Recipe.Step], _ secrets: [String: String]
    ) async throws(SubmitFailure) -> LoginGrant {
        var grant = LoginGrant(account: "", secrets: secrets)
        var captured: [String: RecipeValue] = [:]
        for step in steps {
            let settings = settings.adding(grant)
            var scope = scope(settings, secrets: grant.secrets)
            for (id, values) in captured { scope[id] = values }
            do throws(RecipeFault) {
                guard try step.when?.isTrue(in: scope) ?? true else { continue }
            } catch {
                throw error.failure(recipe, at: settings.destination)
            }
            var call = RecipeService.Call(request: step.request, captures: step.captures, isRight: step.isRight)
            call.treatAsRight = step.treatAsRight
            call.name = step.id
            let values = try await captures(of: call, in: &scope, settings)
            captured[step.id] = .map(values)
            for capture in step.captures {
                guard let text = values[capture.name]?.asText else { continue }
                if capture.isSecret {
                    grant.secrets[capture.name] = text
                } else {
                    grant.settings[RecipeNames.setting(ofAccount: capture.name)] = text
                }
            }
        }
        if grant.secrets["access_token"] != secrets["access_token"] {
            for name in ["access_token_issued", "access_token_expires"] { grant.secrets[name] = nil }
        }
        return try await named(grant)
    }

    /// The grant with the name of whose it is, as far as the service says.
    ///
    /// - Throws: when the service refuses what the login gave. In trouble it is asked another time.
    private func named(_ grant: LoginGrant) async throws(SubmitFailure) -> LoginGrant {
        var grant = grant
        do throws(SubmitFailure) {
            let submitter = try RecipeSubmitter(recipe, settings.adding(grant), transport: transport, clock: clock)
            grant.account = try await submitter.whoami()?.name ?? ""
        } catch {
            switch error.remedy {
            case .retry, .tryAnother, .hold(.unreachable, _), .hold(.throttled, _):
                grant.notices.append("Whose login it is could not be asked: \(error.message)")
            default: throw error
            }
        }
        if grant.account.isEmpty { grant.account = grant.settings["user"] ?? settings["user"] ?? settings.destination }
        return grant
    }

    /// Makes the credentials in use worthless by the recipe's own request.
    private func revoke(_ request: Recipe.Request) async throws(SubmitFailure) -> Revocation {
        var scope = scope(settings, secrets: try await settings.secretStore.read())
        do throws(RecipeService.Trouble) {
            _ = try await service(settings).exchange(RecipeService.Call(request: request), in: &scope, file: nil)
            return .revoked
        } catch {
            // What is refused there opens nothing: someone revoked it already. Refused for another reason, or when it was to
            // be renewed, it may.
            if error.answer?.status == 401 { return .revoked }
            if error.failure.remedy == .renewCredentials, error.answer != nil {
                return .impossible(
                    "“\(hosts.name)” did not take the request that makes them worthless: \(error.failure.message)")
            }
            throw error.failure
        }
    }

    private func captures(
        of call: RecipeService.Call, in scope: inout ExpressionScope, _ settings: DestinationSettings
    ) async throws(SubmitFailure) -> [String: RecipeValue] {
        do throws(RecipeService.Trouble) {
            return try await service(settings).exchange(call, in: &scope, file: nil).captured
        } catch {
            throw error.failure
        }
    }

    /// The service as it is used with these settings.
    private func service(_ settings: DestinationSettings) throws(RecipeService.Trouble) -> RecipeService {
        do throws(SubmitFailure) {
            let credentials = try RecipeCredentials(recipe, settings, hosts: hosts, transport: transport) {
                recipe.isRefusal($0)
            }
            return RecipeService(
                recipe: recipe, hosts: hosts, credentials: credentials, transport: transport,
                destination: settings.destination, clock: clock)
        } catch {
            throw RecipeService.Trouble(failure: error)
        }
    }

    /// Names of the requests of a login: besides what stands for something everywhere, the application and the secrets.
    private func scope(_ settings: DestinationSettings, secrets: [String: String]) -> ExpressionScope {
        var scope = RecipeNames(recipe, settings).base
        var values = recipe.values(settings)
        values["client_id"] = RecipeValue(secrets["client_id"] ?? settings["client_id"])
        scope["settings"] = .map(values)
        var known = secrets
        known["client_secret"] = secrets["client_secret"] ?? settings.secret("client_secret")
        scope["secret"] = .map(known.mapValues { .text($0) })
        return scope
    }

    private func whoami() async throws(SubmitFailure) -> LoginAccount? {
        try await RecipeSubmitter(recipe, settings, transport: transport, clock: clock).whoami()
    }
}

extension Recipe.Flow {
    fileprivate var method: LoginMethod {
        switch self {
        case .browser: .browser
        case .paste: .paste
        case .device: .device
        case .client: .client
        }
    }
}
