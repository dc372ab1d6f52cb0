public import Submit
public import SubmitHTTP
internal import SubmitSignIn

extension CouchDBSubmitter {
    /// The type `couchdb`, to be registered.
    ///
    /// - Parameter transport: carries all requests of all destinations of this type. It must not follow redirects.
    public static func submitterType(transport: any HTTPTransport) -> SubmitterType {
        SubmitterType(
            name: "couchdb", aliases: ["couch", "cloudant"],
            summary: "a database of a CouchDB or Cloudant, which gets what is known of photos, and themselves if asked",
            capabilities: capabilities(nil), settings: keys,
            make: { (settings) throws(SubmitFailure) in try CouchDBSubmitter(settings, transport: transport) })
    }

    /// What of an item is attached to its document.
    enum Attach: String, Sendable, CaseIterable {
        case none, original
    }

    /// How a server is shown who asks.
    enum PasswordLogin: String, Sendable, CaseIterable {
        case basic, cookie
    }

    static let mostJobs = 32
    static let defaultJobs = 4

    private static let keys = [
        SettingKey(
            "url", .url, summary: "where the server is, such as https://couch.example.com:6984", isRequired: true,
            environment: ["COUCHDB_URL"]),
        SettingKey("database", .text, summary: "the database's name; it has to be there", isRequired: true),
        SettingKey("user", .text, summary: "the user's name", environment: ["COUCHDB_USER"]),
        SettingKey("password", .secret, summary: "the user's password", environment: ["COUCHDB_PASSWORD"]),
        SettingKey(
            "login", .choice(PasswordLogin.allCases.map(\.rawValue)),
            summary: "how the password is shown: with each request (basic), or for a cookie (cookie); basic if not set"),
        SettingKey("token", .secret, summary: "a token (JWT), instead of a password", environment: ["COUCHDB_TOKEN"]),
        SettingKey(
            "api_key", .secret, summary: "an API key of IBM Cloud, instead of a password",
            environment: ["CLOUDANT_APIKEY"]),
        SettingKey("iam_url", .url, summary: "where the API key gives a token; IBM Cloud's if not set"),
        SettingKey(
            "attach", .choice(Attach.allCases.map(\.rawValue)),
            summary: "whether photos themselves are attached: not (none), or as they come (original); none if not set"),
        SettingKey("attach_limit", .text, summary: "the largest photo that is attached; 100MiB if not set"),
        SettingKey(
            "document_limit", .text,
            summary: "the largest document that the server takes, such as 1000KiB of Cloudant; 7MiB if not set"),
        SettingKey(
            "verify", .choice(Verification.allCases.map(\.rawValue)),
            summary: "how attachments are proven: by the server's digest (usual), or by reading them again (readback)"),
        SettingKey("jobs", .integer, summary: "how many items at once, 1 to \(mostJobs); \(defaultJobs) if not set"),
        SettingKey(
            "insecure", .boolean,
            summary: "allow http to another computer, which shows all to the network; no if not set"),
        SettingKey("ca_file", .path, summary: "a file of certificates of the authorities to trust, in PEM form"),
    ]

    /// - Parameter options: `nil` where nothing is configured yet.
    static func capabilities(_ options: CouchDBOptions?) -> Capabilities {
        let attaches = options.map { $0.attach == .original } ?? true
        let limit = options.flatMap { attaches ? $0.attachLimit : nil }
        return Capabilities(
            ordering: .concurrent(options?.jobs ?? mostJobs),
            maximumSize: limit.map { limit in Dictionary(uniqueKeysWithValues: MediaKind.allCases.map { ($0, limit) }) }
                ?? [:],
            supportsAlbums: true, requiresNetwork: true, digests: attaches ? [.md5] : [], canReadBack: attaches,
            proves: options == nil ? nil : attaches ? .verified : .accepted, usesCaptureTime: true, keepsBytes: attaches
        )
    }

    init(_ settings: DestinationSettings, transport: any HTTPTransport) throws(SubmitFailure) {
        guard let endpoint = try settings.endpoint("url") else {
            throw settings.invalid("url", "is not set: give it the server's address")
        }
        let allowsPlain = try settings.boolean("insecure") ?? false
        try settings.check(endpoint, of: "url", allowsPlain: allowsPlain)
        let name = try settings.required("database")
        guard name.wholeMatch(of: /[a-z][a-z0-9_$()+\/-]*/) != nil, name.utf8.count <= 238 else {
            throw settings.invalid(
                "database",
                "must begin with a small letter and go on with small letters, digits and _$()+-/ (CouchDB's rule)")
        }
        let signedIn = try settings.signedIn(transport, at: endpoint, allowsPlain: allowsPlain)
        let database = CouchDatabase(
            endpoint: endpoint, name: name, destination: settings.destination,
            transport: RedirectingTransport(signedIn ?? transport), authority: settings["ca_file"],
            signsIn: signedIn != nil)
        self.init(database, options: try CouchDBOptions(settings))
    }
}

/// What is configured of a destination besides the database.
struct CouchDBOptions: Sendable {
    let attach: CouchDBSubmitter.Attach
    /// Bytes.
    let attachLimit: Int64
    /// Bytes.
    let documentLimit: Int64
    let verification: Verification
    let jobs: Int

    init(_ settings: DestinationSettings) throws(SubmitFailure) {
        attach = try settings.choice("attach") ?? .none
        attachLimit = try settings.size("attach_limit") ?? 100 << 20
        documentLimit = try settings.size("document_limit") ?? 7 << 20
        verification = try settings.choice("verify") ?? .usual
        jobs = try settings.integer("jobs", in: 1...CouchDBSubmitter.mostJobs) ?? CouchDBSubmitter.defaultJobs
    }
}

extension DestinationSettings {
    /// A transport that shows the server who we are; `nil` where nobody signs in.
    fileprivate func signedIn(
        _ transport: any HTTPTransport, at endpoint: Endpoint, allowsPlain: Bool
    ) throws(SubmitFailure) -> (any HTTPTransport)? {
        let given = ["password", "token", "api_key"].filter { secret($0) != nil }
        guard given.count < 2 else {
            throw invalid(given[1], "is set, and “\(given[0])” too: set one of them")
        }
        let isAllowed = endpoint.isPrivate || allowsPlain
        let login = try choice("login") ?? CouchDBSubmitter.PasswordLogin.basic
        if let key = secret("api_key") {
            // A token lasts for an hour, and the key gives another one: none is kept.
            let source = OAuth2TokenSource(
                destination: destination,
                service: .iam(key: key, tokenURL: self["iam_url"] ?? OAuth2Service.iamTokenURL), client: .iam,
                store: TransientSecrets(), isOwnAccount: true, transport: transport)
            return TokenTransport(
                transport, keeper: source, origins: AllowedOrigins(endpoint), allowsPlain: allowsPlain)
        }
        if let token = secret("token") {
            return AuthenticatingTransport(
                transport, credentials: .bearer(token: token), origin: endpoint, allowsBasic: isAllowed)
        }
        guard let password = secret("password") else { return nil }
        guard let user = self["user"] else { throw invalid("user", "is not set, and “password” is") }
        switch login {
        case .basic:
            return AuthenticatingTransport(
                transport, credentials: .basic(user: user, password: password), origin: endpoint, allowsBasic: isAllowed
            )
        case .cookie:
            return SessionTransport(
                transport, url: endpoint.url("/_session"), user: user, password: password, cookieName: "AuthSession",
                origin: endpoint, allowsPlain: allowsPlain)
        }
    }
}
