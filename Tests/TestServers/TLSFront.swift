/// nginx that speaks https for a server that does not.
public final class TLSFront: Sendable {
    public let endpoint: String
    /// The path of a PEM file that vouches for ``endpoint``.
    public let certificateAuthority: String
    private let script: ServerScript

    /// - Parameter port: the server's, on the loopback.
    public init(to port: Int) async throws {
        script = try ServerScript("tls-front.sh")
        let values = try await script.start(["\(port)"])
        endpoint = try values.value("ENDPOINT")
        certificateAuthority = try values.value("CA")
    }
}
