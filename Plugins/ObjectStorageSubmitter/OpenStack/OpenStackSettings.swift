internal import Submit

/// The settings of a sign-in to OpenStack. Their names are those of clouds.yaml; none is taken from the environment by
/// itself, for ``SignInSource`` takes a sign-in whole.
enum OpenStackSettings {
    static let keys = [
        SettingKey(
            "cloud", .text,
            summary:
                "a cloud of clouds.yaml that says all that follows; OS_CLOUD, or else the variables OS_…, if not set"),
        SettingKey("auth_url", .url, summary: "the identity service's URL, such as https://cloud.example.org:5000/v3"),
        SettingKey("auth_type", .choice(SignIn.authTypes), summary: "how to sign in; by what else is set if not set"),
        SettingKey("username", .text, summary: "the user's name"),
        SettingKey("user_id", .text, summary: "the user's id, instead of the name"),
        SettingKey("user_domain_name", .text, summary: "the domain of the user's name; Default if not set"),
        SettingKey("user_domain_id", .text, summary: "the id of that domain"),
        SettingKey("project_name", .text, summary: "the project's name"),
        SettingKey("project_id", .text, summary: "the project's id, instead of the name"),
        SettingKey("project_domain_name", .text, summary: "the domain of the project's name; Default if not set"),
        SettingKey("project_domain_id", .text, summary: "the id of that domain"),
        SettingKey("application_credential_id", .text, summary: "the application credential's id"),
        SettingKey(
            "application_credential_name", .text, summary: "its name, with the user's name or id, instead of its id"),
        SettingKey("region_name", .text, summary: "the object store's region, where there are several"),
        SettingKey(
            "interface", .choice(SignIn.Interface.allCases.map(\.rawValue)),
            summary: "which of the object store's addresses to use; public if not set"),
        SettingKey("storage_url", .url, summary: "the account's URL, if not the one that the identity service says"),
        SettingKey("password", .secret, summary: "the user's password; the key of v1 authentication"),
        SettingKey("application_credential_secret", .secret, summary: "the application credential's secret"),
        SettingKey("auth_token", .secret, summary: "a token that was issued already; it cannot be renewed"),
    ]

    /// What the settings say.
    static func values(_ settings: DestinationSettings) -> SignInValues {
        var values = SignInValues(place: .settings)
        for key in keys {
            values.set((key.kind == .secret ? settings.secret(key.name) : settings[key.name]) ?? "", as: key.name)
        }
        return values
    }
}
