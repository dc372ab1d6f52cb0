/// Apache with mod_dav for whoever has a token of a ``GlewlwydServer`` with the scope `upload`. It asks about the token
/// at every request, so one that was revoked or is too old is refused at once, with 401 and `WWW-Authenticate: Bearer`.
public final class BearerServer: Sendable {
    /// The collection, with a slash at the end.
    public let endpoint: String
    /// The same by https.
    public let secureEndpoint: String
    /// The path of a PEM file that vouches for ``secureEndpoint``.
    public let certificateAuthority: String
    /// Where the collection lies.
    public let data: String
    private let script: ServerScript
    private let options: [String]

    /// - Parameter isSmall: it takes no body of more than 64 KiB.
    public init(asking glewlwyd: GlewlwydServer, isSmall: Bool = false) async throws {
        script = try ServerScript("apache-bearer.sh")
        options =
            [glewlwyd.port, glewlwyd.confidentialClient, glewlwyd.clientSecret] + (isSmall ? ["--small"] : [])
        let values = try await script.start(options)
        endpoint = try values.value("ENDPOINT")
        secureEndpoint = try values.value("TLS_ENDPOINT")
        certificateAuthority = try values.value("CA")
        data = try values.value("DATA")
    }

    /// Every request since the first start. One's line may come a moment after its answer; after ``stop()`` all are
    /// there.
    public func accessLog() throws -> [LoggedRequest] { try script.accessLog() }

    /// Stops it, with whatever it is doing; what it holds stays.
    public func stop() async throws { try await script.stop() }

    /// Starts it again, at the same address and with what it held.
    public func restart() async throws { _ = try await script.start(options) }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }
}
