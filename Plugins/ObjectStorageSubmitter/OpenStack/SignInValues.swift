internal import Submit

/// What the settings, the environment or a clouds.yaml say of a sign-in, by the names that openstacksdk has for it:
/// `auth_url`, `username` and so on. Nothing that prints it shows a value.
struct SignInValues: Sendable {
    enum Place: Sendable, Hashable {
        case settings
        /// The variables `OS_…` of the environment.
        case variables
        /// `ST_AUTH`, `ST_USER` and `ST_KEY`, as swiftclient has them for v1 authentication.
        case v1Variables
        case cloud(String, file: String)
    }

    private struct Value {
        var text: String
        /// What it is called there.
        var name: String
        var place: Place
    }

    /// Where something that is missing belongs.
    let place: Place
    private var values: [String: Value] = [:]

    init(place: Place) {
        self.place = place
    }

    subscript(name: String) -> String? { values[name]?.text }

    /// Sets a value under the name that it has there, which may be an older one. An empty text counts as not set.
    mutating func set(_ text: String, as name: String) {
        guard !text.isEmpty else { return }
        let key = name.lowercased().replacing("-", with: "_")
        let known = Self.aliases[key] ?? key
        // Of two names for one thing the present one holds.
        guard known == key || values[known] == nil else { return }
        values[known] = Value(text: text, name: name, place: place)
    }

    private static let aliases = [
        "auth_plugin": "auth_type", "tenant_name": "project_name", "tenant_id": "project_id", "auth_token": "token",
        "endpoint_type": "interface", "object_store_endpoint_override": "storage_url",
    ]

    /// Puts another place's values before these. Where it names the user, the project or the application credential in
    /// another way, by id or by name, the way here does not count.
    func overlaid(with other: SignInValues) -> SignInValues {
        var all = self
        for group in Self.alternatives where group.contains(where: { other.values[$0] != nil }) {
            for name in group { all.values[name] = nil }
        }
        all.values.merge(other.values) { $1 }
        return all
    }

    private static let alternatives = [
        ["username", "user_id"], ["project_name", "project_id"],
        ["application_credential_name", "application_credential_id"],
    ]

    /// Only these.
    func keeping(_ names: [String]) -> SignInValues {
        var few = self
        few.values = values.filter { names.contains($0.key) }
        return few
    }

    /// They say who signs in or where, and not only what of it is meant.
    var namesSomeone: Bool {
        [
            "auth_url", "username", "user_id", "application_credential_id", "application_credential_name", "token",
        ].contains { values[$0] != nil }
    }

    /// A value by the name that people know it by, for a sentence.
    func name(of key: String) -> String {
        guard let value = values[key] else { return Self.name(key, at: place) }
        return Self.name(value.name, at: value.place)
    }

    private static func name(_ name: String, at place: Place) -> String {
        switch place {
        case .settings: "“\(name)”"
        case .variables: "OS_" + name.uppercased()
        case .v1Variables: v1Variables[name] ?? name
        case .cloud(let cloud, let file): "“\(name)” of the cloud “\(cloud)” in \(file)"
        }
    }

    private static let v1Variables = ["auth_url": "ST_AUTH", "username": "ST_USER", "password": "ST_KEY"]

    /// A failure that asks for something.
    func missing(_ key: String) -> OpenStackFailure {
        .misconfigured("\(Self.name(key, at: place)) is missing; set it")
    }

    /// A failure that blames something. It does not quote it.
    func invalid(_ key: String, _ complaint: String) -> OpenStackFailure {
        .misconfigured("\(name(of: key)) \(complaint)")
    }
}

extension SignInValues: CustomStringConvertible, CustomReflectable {
    var description: String { "sign-in (\(values.keys.sorted().joined(separator: ", ")))" }

    var customMirror: Mirror { Mirror(self, children: ["names": values.keys.sorted()]) }
}
