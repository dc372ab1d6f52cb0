extension RecipeLinter {
    mutating func checkAuthorization() {
        let names = authorizationNames
        switch recipe.authorization {
        case .none, .basic, .wsse: break
        case .header(let name, let value):
            check(value, .header, names)
            if value.expressions.allSatisfy({ !isSecret($0, names) }) {
                tell(
                    value.place,
                    "The header “\(name)” holds no secret: name a setting of kind secret in it, such as {{ secret.api_key }}."
                )
            }
        case .oauth2(let auth): check(auth, names)
        case .oauth1(let auth):
            check(auth.requestURL, .url, names)
            checkHost(of: auth.requestURL, names)
            check(auth.authorizeURL, .url, names)
            checkHost(of: auth.authorizeURL, names, isPage: true)
            check(auth.accessURL, .url, names)
            checkHost(of: auth.accessURL, names)
            for field in auth.extraRequest + auth.extraAuthorize {
                check(field.value, .field, names)
                checkSecret(field.name, field.value, field.place)
            }
            for flow in [Recipe.Flow.device, .client] where auth.flows.contains(flow) {
                tell(auth.place, "OAuth 1 has no flow “\(flow.rawValue)”: there are browser and paste.")
            }
            _ = checkSteps(auth.afterLogin, afterLoginNames, hasFile: false)
        }
    }

    private mutating func check(_ auth: Recipe.OAuth2, _ names: KnownNames) {
        for url in [auth.tokenURL, auth.revokeURL, auth.deviceURL].compactMap({ $0 }) {
            check(url, .url, names)
            checkHost(of: url, names)
        }
        if let page = auth.authorizeURL {
            check(page, .url, names)
            checkHost(of: page, names, isPage: true)
        }
        if let issuer = auth.issuer { check(issuer, .url, names) }
        for field in auth.extraAuthorize {
            check(field.value, .field, names)
            checkSecret(field.name, field.value, field.place)
        }
        if let revocation = auth.revocation {
            check(revocation, names)
            if auth.revokeURL != nil { tell(auth.place, "“revoke_url” and “revoke” do the same: leave one of them.") }
        }
        if auth.authorizeURL == nil, auth.flows.contains(.browser) || auth.flows.contains(.paste) {
            tell(auth.place, "The flows browser and paste need “authorize_url”.")
        }
        if auth.flows.contains(.device), auth.deviceURL == nil {
            tell(auth.place, "The flow device needs “device_url”.")
        }
        if auth.flows.contains(.client), auth.clientAuthentication == .none {
            tell(auth.place, "The flow client needs a client's secret: “client_auth” must be post or basic.")
        }
        switch auth.redirect {
        case .manual, .page:
            if auth.flows.contains(.browser) {
                tell(
                    auth.place, "With this “redirect” nothing comes back to this machine: “flows” cannot have browser.")
            }
        case .anyPort, .port: break
        }
        if let registration = auth.registration {
            var names = names
            names["redirect"] = .members(["uri": KnownNames.Known()])
            names["auth"] = .members(["scopes": KnownNames.Known(mayBeNothing: auth.scopes.isEmpty)])
            check(registration.request, names)
            demand(["client_id"], in: registration.captures, of: "register", registration.place)
            for capture in registration.captures where capture.name == "client_secret" && !capture.isSecret {
                tell(capture.place, "“client_secret” must be captured with “secret: true”.")
            }
        }
        _ = checkSteps(auth.afterLogin, afterLoginNames, hasFile: false)
    }

    /// Settings and secrets: in `auth` alone both may stand.
    private var authorizationNames: KnownNames {
        var names = accountNames
        names["account"] = nil
        var secrets: [String: KnownNames.Known] = [:]
        for key in recipe.authorization.secrets { secrets[key] = KnownNames.Known(isSecret: true) }
        for setting in recipe.settings where setting.kind == .secret {
            secrets[setting.name] = KnownNames.Known(isSecret: true)
        }
        names["secret"] = .members(secrets)
        return names
    }

    private var afterLoginNames: KnownNames {
        guard case .members(var secrets) = authorizationNames["secret"] else { return authorizationNames }
        secrets["access_token"] = KnownNames.Known(isSecret: true)
        secrets["refresh_token"] = KnownNames.Known(mayBeNothing: true, isSecret: true)
        return authorizationNames.with("secret", secrets)
    }
}

extension Recipe.Authorization {
    var afterLogin: [Recipe.Step] {
        switch self {
        case .oauth2(let auth): auth.afterLogin
        case .oauth1(let auth): auth.afterLogin
        case .none, .header, .basic, .wsse: []
        }
    }

    /// Settings that come by themselves.
    package var settings: [String] {
        switch self {
        case .basic, .wsse: ["user"]
        case .oauth2, .oauth1: ["client_id"]
        case .none, .header: []
        }
    }

    /// Secrets that come by themselves.
    package var secrets: [String] {
        switch self {
        case .basic: ["password"]
        case .wsse: ["api_key"]
        case .oauth2, .oauth1: ["client_secret"]
        case .none, .header: []
        }
    }
}
