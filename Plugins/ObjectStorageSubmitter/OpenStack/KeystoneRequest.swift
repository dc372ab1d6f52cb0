internal import FoundationEssentials
internal import SubmitHTTP

/// The request of Identity v3 for a token, as JSON.
///
/// Source: "Password authentication with scoped authorization", "Token authentication with scoped authorization" and
/// "Authenticating with an Application Credential" in the Identity API v3 reference.
struct KeystoneRequest: Encodable {
    private let auth: Auth

    private struct Auth: Encodable {
        let identity: Proof
        let scope: Scope?
    }

    private struct Proof: Encodable {
        let methods: [String]
        var password: Password?
        var token: Token?
        var applicationCredential: ApplicationCredential?
    }

    private struct Password: Encodable { let user: Named }
    private struct Token: Encodable { let id: String }
    private struct Scope: Encodable { let project: Named }

    private struct ApplicationCredential: Encodable {
        var id: String?
        var name: String?
        var user: Named?
        let secret: String

        init(_ credential: KeystoneIdentity.ApplicationCredential, secret: String) {
            switch credential {
            case .id(let id): self.id = id
            case .name(let name, let user):
                self.name = name
                self.user = Named(user)
            }
            self.secret = secret
        }
    }

    private struct Named: Encodable {
        var id: String?
        var name: String?
        var domain: Domain?
        var password: String?

        init(_ member: KeystoneIdentity.Member, password: String? = nil) {
            switch member {
            case .id(let id): self.id = id
            case .name(let name, let domain):
                self.name = name
                self.domain = Domain(domain)
            }
            self.password = password
        }
    }

    private struct Domain: Encodable {
        var id: String?
        var name: String?

        init(_ domain: KeystoneIdentity.Domain) {
            switch domain {
            case .id(let id): self.id = id
            case .name(let name): self.name = name
            }
        }
    }

    /// - Parameter identity: one of Identity v3.
    init(_ identity: KeystoneIdentity) {
        var scope: KeystoneIdentity.Member?
        let proof: Proof
        switch identity {
        case .password(let user, let password, let project):
            proof = Proof(methods: ["password"], password: Password(user: Named(user, password: password)))
            scope = project
        case .token(let token, let project):
            proof = Proof(methods: ["token"], token: Token(id: token))
            scope = project
        case .applicationCredential(let credential, let secret):
            // It has its project; a scope besides is refused.
            proof = Proof(
                methods: ["application_credential"],
                applicationCredential: ApplicationCredential(credential, secret: secret))
        case .v1, .issued: proof = Proof(methods: [])
        }
        auth = Auth(identity: proof, scope: scope.map { Scope(project: Named($0)) })
    }

    var body: [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        // Texts and lists of texts can always be encoded.
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }
}
