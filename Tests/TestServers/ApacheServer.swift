/// Apache with mod_dav: conditions, locks, properties of one's own, PUT of a range.
public final class ApacheServer: Sendable {
    /// Who may use it. With a client's certificate one always may, where one is asked for.
    public enum Access: Sendable, Hashable {
        case basic
        case digest
        case bearer(String)
    }

    /// The collection, with a slash at the end.
    public let endpoint: String
    /// A collection that takes no body of more than 64 KiB.
    public let smallEndpoint: String
    /// A collection on the disk that was given.
    public let fullEndpoint: String?
    /// The collection with HTTP/2; `nil` unless asked for.
    public let secureEndpoint: String?
    /// The collection for whoever has the client's certificate, and nobody else; `nil` unless asked for.
    public let certifiedEndpoint: String?
    /// The certificate of the authority that vouches for the secure ones.
    public let certificateAuthority: String?
    /// What ``certifiedEndpoint`` asks for.
    public let clientCertificate: ClientCertificate?
    /// `nil` with ``Access/bearer(_:)``.
    public let user: String?
    public let password: String?
    /// Where the collection lies.
    public let data: String
    private let script: ServerScript
    private let options: [String]

    /// A client's certificate and its key: paths of PEM files.
    public struct ClientCertificate: Sendable {
        public let certificate: String
        public let key: String
        /// The same key under ``keyPassword``.
        public let encryptedKey: String
        public let keyPassword: String
    }

    /// - Parameters:
    ///   - asksForCertificate: it has ``certifiedEndpoint`` as well.
    ///   - disk: where ``fullEndpoint`` lies.
    public init(
        access: Access = .basic, isSecure: Bool = false, asksForCertificate: Bool = false, disk: SmallDisk? = nil
    ) async throws {
        script = try ServerScript("apache-dav.sh")
        let accessOptions =
            switch access {
            case .basic: [String]()
            case .digest: ["--digest"]
            case .bearer(let token): ["--bearer", token]
            }
        options =
            accessOptions + (isSecure ? ["--tls"] : []) + (asksForCertificate ? ["--mtls"] : [])
            + (disk.map { ["--full", $0.path] } ?? [])
        let values = try await script.start(options)
        endpoint = try values.value("ENDPOINT")
        smallEndpoint = try values.value("SMALL_ENDPOINT")
        data = try values.value("DATA")
        fullEndpoint = values["FULL_ENDPOINT"]
        secureEndpoint = values["TLS_ENDPOINT"]
        certifiedEndpoint = values["MTLS_ENDPOINT"]
        certificateAuthority = values["CA"]
        user = values["USERNAME"]
        password = values["PASSWORD"]
        clientCertificate =
            !asksForCertificate
            ? nil
            : ClientCertificate(
                certificate: try values.value("CLIENT_CERTIFICATE"), key: try values.value("CLIENT_KEY"),
                encryptedKey: try values.value("ENCRYPTED_CLIENT_KEY"),
                keyPassword: try values.value("CLIENT_KEY_PASSWORD"))
    }

    /// Every request since the first start. One's line may come a moment after its answer; after ``stop()`` all are there.
    public func accessLog() throws -> [LoggedRequest] { try script.accessLog() }

    /// Stops it, with whatever it is doing; what it holds stays.
    public func stop() async throws { try await script.stop() }

    /// Starts it again, at the same address and with what it held.
    public func restart() async throws { _ = try await script.start(options) }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }
}
