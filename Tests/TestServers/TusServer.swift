/// tuspyserver, for tus 1.0. It keeps what it got of a PATCH that breaks off.
public final class TusServer: Sendable {
    /// Where uploads are made, with a slash at the end.
    public let endpoint: String
    /// `nil` unless asked for.
    public let secureEndpoint: String?
    /// The certificate of the authority that vouches for ``secureEndpoint``.
    public let certificateAuthority: String?
    /// `nil` where a token is asked for; basic authentication otherwise.
    public let user: String?
    public let password: String?
    /// Where finished uploads lie, by the file name of their metadata.
    public let data: String
    /// Where all uploads lie, by their identifiers.
    public let uploads: String
    private let script: ServerScript
    private let options: [String]

    /// - Parameters:
    ///   - bearerToken: asks for it instead of user and password.
    ///   - maximumSize: bytes of the largest upload; 120 GiB by default.
    public init(bearerToken: String? = nil, maximumSize: Int? = nil, isSecure: Bool = false) async throws {
        script = try ServerScript("tus.sh")
        options =
            (bearerToken.map { ["--bearer", $0] } ?? []) + (maximumSize.map { ["--max-size", "\($0)"] } ?? [])
            + (isSecure ? ["--tls"] : [])
        let values = try await script.start(options)
        endpoint = try values.value("ENDPOINT")
        data = try values.value("DATA")
        uploads = script.folder + "/uploads"
        secureEndpoint = values["TLS_ENDPOINT"]
        certificateAuthority = values["CA"]
        user = values["USERNAME"]
        password = values["PASSWORD"]
    }

    /// Every request since the first start. One's line may come a moment after its answer.
    public func accessLog() throws -> [LoggedRequest] { try script.accessLog() }

    /// Stops it, with whatever it is doing; what it holds stays.
    public func stop() async throws { try await script.stop() }

    /// Starts it again, at the same address and with what it held.
    public func restart() async throws { _ = try await script.start(options) }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }
}
