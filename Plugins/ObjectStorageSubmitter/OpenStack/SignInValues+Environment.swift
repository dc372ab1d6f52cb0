extension SignInValues {
    /// What the variables `OS_…` say, as openstacksdk reads them, or `ST_…`, as swiftclient does: these where all three
    /// of them are set, or no others say who signs in.
    ///
    /// - Returns: `nil` when they say neither.
    init?(environment: [String: String]) {
        let values = SignInValues(openStack: environment)
        var v1 = SignInValues(place: .v1Variables)
        v1.set("v1password", as: "auth_type")
        v1.set(environment["ST_AUTH"] ?? "", as: "auth_url")
        v1.set(environment["ST_USER"] ?? "", as: "username")
        v1.set(environment["ST_KEY"] ?? "", as: "password")
        let isV1 = v1["auth_url"] != nil && ["1", "1.0"].contains(environment["ST_AUTH_VERSION"] ?? "1")
        if isV1, v1["username"] != nil && v1["password"] != nil || !values.namesSomeone {
            self = v1.overlaid(with: values.keeping(["storage_url", "cacert"]))
        } else if values.namesSomeone {
            self = values
        } else {
            return nil
        }
    }

    /// What the variables `OS_…` say of these names.
    init(environment: [String: String], keeping names: [String]) {
        self = SignInValues(openStack: environment).keeping(names)
    }

    private init(openStack environment: [String: String]) {
        self.init(place: .variables)
        for (name, text) in environment where name.hasPrefix("OS_") { set(text, as: String(name.dropFirst(3))) }
    }
}
