/// nginx as a plain sink for PUT, GET, HEAD and DELETE.
public final class NginxServer: Sendable {
    public let endpoint: String
    /// With HTTP/2; `nil` unless asked for. `/connection` answers the connection's number, `r` where its TLS session was
    /// resumed and else `.`, and the protocol.
    public let secureEndpoint: String?
    /// The certificate of the authority that vouches for ``secureEndpoint``.
    public let certificateAuthority: String?
    /// Where what arrives lies.
    public let data: String
    private let script: ServerScript
    private let options: [String]

    /// - Parameter demandsCertificates: it speaks TLS with those only who show a certificate by its authority, such as
    ///   ``clientCertificate(_:)``; `/who` answers whose it was and the connection's number.
    public init(isSecure: Bool = false, demandsCertificates: Bool = false) async throws {
        script = try ServerScript("nginx-put.sh")
        options = demandsCertificates ? ["--client-certificates"] : isSecure ? ["--tls"] : []
        let values = try await script.start(options)
        endpoint = values["ENDPOINT"] ?? ""
        secureEndpoint = values["TLS_ENDPOINT"]
        certificateAuthority = values["CA"]
        data = script.folder + "/data"
    }

    /// The paths of the certificate and the key of `ann` or `bob`.
    public func clientCertificate(_ name: String) -> (certificate: String, key: String) {
        ("\(script.folder)/\(name).pem", "\(script.folder)/\(name).key")
    }

    /// Stops it; what it holds stays.
    public func stop() async throws { try await script.stop() }

    /// Starts it again, at the same address and with what it held.
    public func restart() async throws { _ = try await script.start(options) }
}
