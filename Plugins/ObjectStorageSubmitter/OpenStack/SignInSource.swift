internal import FoundationEssentials
internal import Submit

/// Where a destination's sign-in comes from. Nothing that prints it shows a secret.
///
/// The first of these holds:
/// 1. The cloud of a clouds.yaml that the setting `cloud` names.
/// 2. The settings, where they say who signs in or where. The environment has no part in it then: half of one sign-in
///    and half of another would send a password to strangers.
/// 3. The cloud that `OS_CLOUD` names; `OS_REGION_NAME`, `OS_INTERFACE` and `OS_CACERT` stand before what it says.
/// 4. The variables `OS_…`, or `ST_…` of v1 authentication.
/// 5. The only cloud of a clouds.yaml.
///
/// Other settings stand before what any of them says. openstacksdk goes the same way: arguments, `OS_CLOUD`, variables,
/// the only cloud (`OpenStackConfig` of its `config/loader.py`).
struct SignInSource: Sendable {
    private enum Origin: Sendable {
        case complete(SignInValues)
        /// `nil` for the only one.
        case cloud(String?, before: SignInValues)
    }

    private let origin: Origin
    private let environment: [String: String]
    private let allowsPlain: Bool
    let destination: String

    /// Reads no file.
    ///
    /// - Parameter settings: of the keys of ``OpenStackSettings``, and `insecure`.
    /// - Throws: a failure that names the setting or the variable that is missing or wrong.
    init(
        _ settings: DestinationSettings, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SubmitFailure) {
        destination = settings.destination
        self.environment = environment
        allowsPlain = try settings.boolean("insecure") ?? false
        let own = OpenStackSettings.values(settings)
        if let cloud = settings["cloud"] {
            origin = .cloud(cloud, before: own)
        } else if own.namesSomeone {
            origin = .complete(own)
        } else if let cloud = environment["OS_CLOUD"], !cloud.isEmpty {
            let chosen = SignInValues(environment: environment, keeping: ["region_name", "interface", "cacert"])
            origin = .cloud(cloud, before: chosen.overlaid(with: own))
        } else if let variables = SignInValues(environment: environment) {
            origin = .complete(variables.overlaid(with: own))
        } else {
            origin = .cloud(nil, before: own)
        }
        guard case .complete(let values) = origin else { return }
        do throws(OpenStackFailure) {
            _ = try SignIn(values, allowsPlain: allowsPlain)
        } catch {
            throw error.submitFailure(destination: destination)
        }
    }

    /// The sign-in as it is now: a clouds.yaml is read each time.
    func signIn() throws(OpenStackFailure) -> SignIn {
        switch origin {
        case .complete(let values): try SignIn(values, allowsPlain: allowsPlain)
        case .cloud(let name, let before):
            try SignIn(values(ofCloud: name).overlaid(with: before), allowsPlain: allowsPlain)
        }
    }

    private func values(ofCloud name: String?) throws(OpenStackFailure) -> SignInValues {
        let file = try CloudsFile.read(environment: environment)
        if let name {
            guard let file else {
                throw .misconfigured(
                    "there is no clouds.yaml that could have the cloud “\(name)”; write one into ~/.config/openstack, "
                        + "or name it in OS_CLIENT_CONFIG_FILE")
            }
            return try file.values(of: name)
        }
        guard let file else {
            throw .misconfigured(
                "nothing says how; set “cloud” to the name of a cloud in clouds.yaml, or “auth_url”, “username”, "
                    + "“password” and “project_name”, or the variables OS_AUTH_URL, OS_USERNAME, OS_PASSWORD and "
                    + "OS_PROJECT_NAME")
        }
        guard file.names.count == 1 else {
            throw .misconfigured("\(file.path) has the clouds \(file.names.quotedList); set “cloud” to one of them")
        }
        return try file.values(of: file.names[0])
    }
}

extension SignInSource: CustomStringConvertible, CustomReflectable {
    var description: String { "sign-in of \(destination)" }

    var customMirror: Mirror { Mirror(self, children: ["destination": destination]) }
}
