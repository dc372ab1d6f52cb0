public import Submit

extension Recipe {
    /// What is configured of a destination of this service: what the recipe names, and what its way to sign in brings.
    public var settingKeys: [SettingKey] {
        var keys = settings.map { setting in
            SettingKey(setting.name, setting.settingKind, summary: setting.summary, isRequired: setting.isRequired)
        }
        let named = Set(keys.map(\.name))
        let isRegistered: Bool = if case .oauth2(let auth) = authorization { auth.registration != nil } else { false }
        for (name, summary) in authorization.settings.map({ ($0, Self.summaries[$0] ?? "") })
        where !named.contains(name) {
            keys.append(SettingKey(name, .text, summary: summary, isRequired: !isRegistered))
        }
        for (name, summary) in authorization.secrets.map({ ($0, Self.summaries[$0] ?? "") }) where !named.contains(name)
        {
            keys.append(SettingKey(name, .secret, summary: summary))
        }
        return keys
    }

    private static let summaries = [
        "user": "The user's name",
        "password": "The user's password, or better an app password",
        "api_key": "The user's API key",
        "client_id": "The client id that the service gave you for this program",
        "client_secret": "The client secret that belongs to it, where there is one",
    ]
}

extension Recipe.Setting {
    fileprivate var settingKind: SettingKey.Kind {
        switch kind {
        case .text: .text
        case .integer: .integer
        case .boolean: .boolean
        case .url: .url
        case .secret: .secret
        case .choice(let words): .choice(words)
        }
    }
}
