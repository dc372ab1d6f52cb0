/// Who signs in at OpenStack's identity service, with the secret that proves it. Nothing that prints it shows that.
///
/// Source: "Authentication and token management" in the Identity API v3 reference; "TempAuth" in the Swift
/// documentation for v1 authentication.
enum KeystoneIdentity: Sendable, Hashable {
    enum Domain: Sendable, Hashable {
        case id(String)
        case name(String)

        /// The one that Keystone makes at its installation, and what clients assume where none is named.
        static let standard = Domain.id("default")
    }

    /// A user or a project: names are unique within their domain only.
    enum Member: Sendable, Hashable {
        case id(String)
        case name(String, Domain)

        var text: String {
            switch self {
            case .id(let id): id
            case .name(let name, _): name
            }
        }
    }

    enum ApplicationCredential: Sendable, Hashable {
        case id(String)
        case name(String, of: Member)

        var text: String {
            switch self {
            case .id(let id): id
            case .name(let name, _): name
            }
        }
    }

    /// Without a project Keystone takes the user's default one.
    case password(Member, password: String, project: Member?)
    /// It stands for a user and a project both.
    case applicationCredential(ApplicationCredential, secret: String)
    /// A token that is exchanged for one of the project.
    case token(String, project: Member?)
    /// v1 authentication, as tempauth, Ceph and older services have it.
    case v1(user: String, key: String)
    /// A token of the object store, got elsewhere; it cannot be renewed.
    case issued(token: String)

    var secret: String {
        switch self {
        case .password(_, let secret, _), .applicationCredential(_, let secret), .token(let secret, _),
            .v1(_, let secret), .issued(let secret):
            secret
        }
    }
}

extension KeystoneIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What a service may refuse, as a sentence goes on.
    var description: String {
        switch self {
        case .password(let user, _, _): "the password of the user “\(user.text)”"
        case .applicationCredential(let credential, _): "the application credential “\(credential.text)”"
        case .token, .issued: "the token"
        case .v1(let user, _): "the key of the user “\(user)”"
        }
    }

    var debugDescription: String { description }

    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
