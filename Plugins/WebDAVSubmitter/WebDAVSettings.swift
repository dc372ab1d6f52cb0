public import Submit
public import SubmitHTTP
internal import SystemPackage

extension WebDAVSubmitter {
    /// The type `webdav`, to be registered.
    ///
    /// - Parameter transport: carries all requests of all destinations of this type. It must not follow redirects.
    public static func submitterType(transport: any HTTPTransport) -> SubmitterType {
        SubmitterType(
            name: "webdav", aliases: ["dav", "nextcloud", "owncloud"],
            summary: "a folder at a WebDAV server: a NAS, Nextcloud, ownCloud, a university, a box in a cupboard",
            capabilities: capabilities(jobs: mostJobs, usesCaptureTime: true), settings: keys,
            make: { (settings) throws(SubmitFailure) in try WebDAVSubmitter(settings, transport: transport) })
    }

    static let mostJobs = 64
    static let defaultJobs = 8

    /// How many items there are for each request at once, so that there always is one to be sent.
    static let waitingPerJob = 2
    /// How many items are taken on for each request at once, and how many small ones more in place of one: most of them
    /// wait for a look that tells of all, and use no connection. The more wait, the fewer looks there are.
    private static let waitingOnPerJob = 4
    private static let smallPerPlace = 4
    /// Each holds an open file.
    private static let mostWaiting = 32

    private static let keys = [
        SettingKey(
            "url", .url, summary: "where the server's WebDAV is, or the address of a Nextcloud or ownCloud",
            isRequired: true,
            environment: ["WEBDAV_URL"]),
        SettingKey("folder", .text, summary: "a folder there, such as photos/phone; it is made if it is not there"),
        SettingKey("user", .text, summary: "the user's name", environment: ["WEBDAV_USER"]),
        SettingKey(
            "password", .secret,
            summary: "the user's password; a password for this program alone, where the server has such",
            environment: ["WEBDAV_PASSWORD"]),
        SettingKey("token", .secret, summary: "a token, instead of a password", environment: ["WEBDAV_TOKEN"]),
        SettingKey(
            "template", .text,
            summary: "where items go below the folder, such as {year}/{month}/{name}; {name} if not set"),
        SettingKey(
            "insecure", .boolean,
            summary: "allow http to another computer, which shows all to the network; no if not set"),
        SettingKey("ca_file", .path, summary: "a file of certificates of the authorities to trust, in PEM form"),
        SettingKey("client_certificate", .path, summary: "a certificate to show, in PEM form"),
        SettingKey("client_key", .path, summary: "its key, in PEM form; in the same file if not set"),
        SettingKey("client_key_password", .secret, summary: "what the key is encrypted with"),
        SettingKey(
            "captions", .choice(Captions.allCases.map(\.rawValue)),
            summary:
                "where captions and tags go: nowhere (none), to properties of the file (properties) or to a file beside it "
                + "(sidecar); none if not set"),
        SettingKey(
            "dates", .choice(Dates.allCases.map(\.rawValue)),
            summary:
                "how files get their dates: as the server takes them (auto); where it takes none, as a property that Windows "
                + "reads, which costs a request for each (properties); or not at all (none); auto if not set"),
        SettingKey(
            "verify", .choice(Verification.allCases.map(\.rawValue)),
            summary: "how copies are proven: by what the server says (usual), or by reading them again (readback)"),
        SettingKey("jobs", .integer, summary: "how many requests at once, 1 to \(mostJobs); \(defaultJobs) if not set"),
        SettingKey(
            "parts_above", .text,
            summary: "the size above which an item is sent in parts, where it can be; 16MiB if not set"),
        SettingKey("part_size", .text, summary: "the size of a part; 8MiB if not set"),
    ]

    /// Where captions and tags go.
    enum Captions: String, Sendable, CaseIterable {
        case none, properties, sidecar
    }

    /// How files get their dates.
    enum Dates: String, Sendable, CaseIterable {
        case auto, properties, none
    }

    /// - Parameter captions: `nil` where that is not configured yet.
    static func capabilities(jobs: Int, captions: Captions? = nil, usesCaptureTime: Bool) -> Capabilities {
        Capabilities(
            ordering: .concurrent(max(waitingPerJob * jobs, min(mostWaiting, waitingOnPerJob * jobs))),
            smallPerPlace: smallPerPlace, captionLimit: captions == Captions.none ? 0 : nil, supportsAlbums: true,
            canResume: true,
            requiresNetwork: true, canReadBack: true, usesCaptureTime: usesCaptureTime)
    }

    init(_ settings: DestinationSettings, transport: any HTTPTransport) throws(SubmitFailure) {
        guard let endpoint = try settings.endpoint("url") else {
            throw settings.invalid("url", "is not set: give it the folder's address")
        }
        let allowsPlain = try settings.boolean("insecure") ?? false
        try settings.check(endpoint, of: "url", allowsPlain: allowsPlain)
        let options = try WebDAVOptions(settings)
        let certificates = try settings.certificates()
        let server = DAVServer(
            endpoint, destination: settings.destination,
            transport: try settings.signedIn(transport, at: endpoint, allowsPlain: allowsPlain), width: options.jobs,
            certificates: certificates, signsIn: settings["user"] != nil || settings.secret("token") != nil)
        // A token is no login's, and both at once are not understood.
        let login =
            settings.secret("token") == nil
            ? NextcloudLogin(
                destination: settings.destination, endpoint: endpoint, allowsPlain: allowsPlain,
                user: settings["user"], password: settings.secret("password"), certificates: certificates,
                transport: transport) : nil
        let collections = Collections(server)
        let discovery = DAVDiscovery(
            server, collections: collections, notes: settings.notes, folder: try settings.pathParts("folder"),
            user: settings["user"])
        self.init(
            server, discovery: discovery, collections: collections, options: options,
            capabilities: Self.capabilities(
                jobs: options.jobs, captions: options.wishes.captions,
                // A sidecar tells the date too.
                usesCaptureTime: options.template.usesCaptureTime || options.wishes.captions == .sidecar),
            facets: Facets(
                albums: CollectionAlbums(server: server, discovery: discovery, collections: collections),
                presence: DAVPresence(server: server, discovery: discovery),
                leftovers: DAVLeftovers(server: server, discovery: discovery),
                removal: ResourceRemoval(
                    server: server, discovery: discovery, collections: collections,
                    removesSidecars: options.wishes.captions == .sidecar),
                login: login,
                target: CollectionTarget(server: server, discovery: discovery, template: options.template),
                trial: SmallFileTrial(server: server, discovery: discovery)))
    }
}

/// What is configured of a destination besides the server.
struct WebDAVOptions: Sendable {
    let template: PathTemplate
    let verification: Verification
    let wishes: MetadataOptions
    /// How many items at once, and how many pieces.
    let jobs: Int
    /// Bytes.
    let partsAbove: Int64
    /// Bytes.
    let partSize: Int64

    init(_ settings: DestinationSettings) throws(SubmitFailure) {
        template = try settings.template("template")
        verification = try settings.choice("verify") ?? .usual
        wishes = MetadataOptions(
            captions: try settings.choice("captions") ?? .none, dates: try settings.choice("dates") ?? .auto)
        jobs = try settings.integer("jobs", in: 1...WebDAVSubmitter.mostJobs) ?? WebDAVSubmitter.defaultJobs
        partsAbove = try settings.size("parts_above") ?? 16 << 20
        partSize = try settings.size("part_size") ?? 8 << 20
    }
}

extension DestinationSettings {
    /// A transport that shows the server who we are.
    fileprivate func signedIn(
        _ transport: any HTTPTransport, at endpoint: Endpoint, allowsPlain: Bool
    ) throws(SubmitFailure) -> any HTTPTransport {
        if let credentials = try credentials() {
            return AuthenticatingTransport(
                transport, credentials: credentials, origin: endpoint,
                allowsBasic: endpoint.isSecure || endpoint.isLoopback || allowsPlain)
        }
        return self["user"].map { SignedOutTransport(user: $0, destination: destination) } ?? transport
    }

    /// What is shown to the server; `nil` where there is nothing, or nobody is signed in.
    fileprivate func credentials() throws(SubmitFailure) -> HTTPCredentials? {
        if let token = secret("token") {
            guard secret("password") == nil else {
                throw invalid("token", "is set, and “password” too: set one of them")
            }
            return .bearer(token: token)
        }
        guard let user = self["user"] else {
            if secret("password") != nil { throw invalid("user", "is not set, and “password” is") }
            return nil
        }
        guard let password = secret("password") else { return nil }
        return .password(user: user, password: password)
    }

    fileprivate func certificates() throws(SubmitFailure) -> DAVServer.Certificates {
        var certificates = DAVServer.Certificates(client: nil, authority: self["ca_file"])
        if let certificate = self["client_certificate"] {
            let key = self["client_key"] ?? certificate
            if let complaint = FileTrust.complaint(aboutKey: FilePath(key)) {
                throw invalid(
                    self["client_key"] == nil ? "client_certificate" : "client_key", "is not used: \(complaint)")
            }
            certificates.client = ClientCertificate(
                certificate: certificate, key: key, passphrase: secret("client_key_password"))
        } else if self["client_key"] != nil {
            throw invalid("client_certificate", "is not set, and “client_key” is")
        }
        return certificates
    }
}
