internal import SubmitHTTP

extension SignIn {
    /// - Throws: a failure that names what is missing or wrong, and where it belongs.
    init(_ values: SignInValues, allowsPlain: Bool) throws(OpenStackFailure) {
        let kind = try Kind(values)
        identity = try Self.identity(kind, values)
        authURL = kind == .issued ? nil : try Self.authURL(kind, values, allowsPlain: allowsPlain)
        storageURL = try Self.endpoint("storage_url", values, allowsPlain: allowsPlain)
        if kind == .issued, storageURL == nil { throw values.missing("storage_url") }
        region = values["region_name"]
        guard let interface = Interface(text: values["interface"] ?? "public") else {
            throw values.invalid("interface", "must be public, internal or admin")
        }
        self.interface = interface
        self.allowsPlain = allowsPlain
        certificateAuthority = values["cacert"]
    }

    private enum Kind {
        case password, applicationCredential, token, v1, issued

        /// By `auth_type`, and by what there is where that is not set.
        init(_ values: SignInValues) throws(OpenStackFailure) {
            let version = values["identity_api_version"] ?? "3"
            switch values["auth_type"]?.lowercased() {
            case nil:
                if values["application_credential_id"] ?? values["application_credential_name"] != nil {
                    self = .applicationCredential
                } else if values["token"] != nil {
                    self = values["storage_url"] != nil ? .issued : .token
                } else if version.hasPrefix("1") || Self.endsInV1(values["auth_url"]) {
                    self = .v1
                } else {
                    self = .password
                }
            case "password", "v3password": self = .password
            case "v3applicationcredential": self = .applicationCredential
            case "token", "v3token": self = .token
            case "v1password": self = .v1
            default:
                throw values.invalid(
                    "auth_type",
                    "is not known to submit; use one of \(SignIn.authTypes.joined(separator: ", "))")
            }
        }

        private static func endsInV1(_ url: String?) -> Bool {
            guard let last = url?.split(separator: "/").last else { return false }
            return last == "v1.0" || last == "v1" || last == "1.0"
        }
    }

    static let authTypes = ["password", "v3password", "v3applicationcredential", "token", "v3token", "v1password"]

    private static func identity(_ kind: Kind, _ values: SignInValues) throws(OpenStackFailure) -> KeystoneIdentity {
        func needed(_ key: String) throws(OpenStackFailure) -> String {
            guard let value = values[key] else { throw values.missing(key) }
            return value
        }
        func domain(_ of: String) -> KeystoneIdentity.Domain {
            let id = values["\(of)_domain_id"]
            let name = values["\(of)_domain_name"]
            if let id { return .id(id) }
            if let name { return .name(name) }
            return values["domain_id"].map { .id($0) } ?? values["domain_name"].map { .name($0) } ?? .standard
        }
        func user() throws(OpenStackFailure) -> KeystoneIdentity.Member {
            if let id = values["user_id"] { return .id(id) }
            return .name(try needed("username"), domain("user"))
        }
        let project =
            values["project_id"].map { KeystoneIdentity.Member.id($0) }
            ?? values["project_name"].map { .name($0, domain("project")) }
        switch kind {
        case .password: return .password(try user(), password: try needed("password"), project: project)
        case .applicationCredential:
            let credential: KeystoneIdentity.ApplicationCredential =
                if let id = values["application_credential_id"] {
                    .id(id)
                } else {
                    .name(try needed("application_credential_name"), of: try user())
                }
            return .applicationCredential(credential, secret: try needed("application_credential_secret"))
        case .token: return .token(try inHeader("token", values), project: project)
        case .v1: return .v1(user: try inHeader("username", values), key: try inHeader("password", values))
        case .issued: return .issued(token: try inHeader("token", values))
        }
    }

    /// A value that is sent as a header's.
    private static func inHeader(_ key: String, _ values: SignInValues) throws(OpenStackFailure) -> String {
        guard let value = values[key] else { throw values.missing(key) }
        guard value.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }) else {
            throw values.invalid(key, "has line breaks or other strange characters in it; correct it")
        }
        return value
    }

    private static func authURL(
        _ kind: Kind, _ values: SignInValues, allowsPlain: Bool
    ) throws(OpenStackFailure) -> Endpoint {
        guard let given = try endpoint("auth_url", values, allowsPlain: allowsPlain) else {
            throw values.missing("auth_url")
        }
        if kind == .v1 { return given }
        switch given.basePath.split(separator: "/").last {
        case "v3": return given
        case "v2.0", "v2":
            throw values.invalid("auth_url", "names version 2 of the identity service; set it to that of version 3")
        default:
            do throws(Endpoint.Invalid) {
                return try Endpoint(given.url("/v3"))
            } catch {
                throw values.invalid("auth_url", error.complaint)
            }
        }
    }

    private static func endpoint(
        _ key: String, _ values: SignInValues, allowsPlain: Bool
    ) throws(OpenStackFailure) -> Endpoint? {
        guard let text = values[key] else { return nil }
        let endpoint: Endpoint
        do throws(Endpoint.Invalid) {
            endpoint = try Endpoint(text)
        } catch {
            throw values.invalid(key, error.complaint)
        }
        guard endpoint.isSecure || endpoint.isLoopback || allowsPlain else {
            throw values.invalid(
                key, "uses http, which shows everything to the network; use https, or set “insecure” to true")
        }
        return endpoint
    }
}
