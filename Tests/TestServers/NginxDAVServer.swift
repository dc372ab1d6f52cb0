/// nginx as a WebDAV server, with dav-ext: no partial PUT, no conditions, no properties of one's own.
public final class NginxDAVServer: Sendable {
    /// The collection, with a slash at the end.
    public let endpoint: String
    /// With HTTP/2; `nil` unless asked for.
    public let secureEndpoint: String?
    /// The certificate of the authority that vouches for ``secureEndpoint``.
    public let certificateAuthority: String?
    /// `nil` where anybody may; basic authentication otherwise.
    public let user: String?
    public let password: String?
    /// Where the collection lies.
    public let data: String
    private let script: ServerScript
    private let options: [String]

    /// Of ``endpoint``.
    public var port: Int { endpoint.split { ":/".contains($0) }.dropFirst(2).first.flatMap { Int($0) } ?? 0 }

    /// How often it lets itself be asked.
    public struct Limit: Sendable {
        /// Requests a second.
        var rate: Int
        /// What others are refused with.
        var status: Int
        /// Seconds that a refusal asks to wait for; `nil`: it does not say.
        var retryAfter: Int?

        public init(rate: Int, status: Int = 429, retryAfter: Int? = nil) {
            self.rate = rate
            self.status = status
            self.retryAfter = retryAfter
        }

        fileprivate var options: [String] {
            ["--limit", "\(rate)r/s", "--status", "\(status)"] + (retryAfter.map { ["--retry-after", "\($0)"] } ?? [])
        }
    }

    /// - Parameter before: what is not in the collection comes from this port.
    public init(
        isSecure: Bool = false, isAnonymous: Bool = false, limit: Limit? = nil, before port: Int? = nil
    ) async throws {
        script = try ServerScript("nginx-dav.sh")
        options =
            (isSecure ? ["--tls"] : []) + (isAnonymous ? ["--anonymous"] : []) + (limit?.options ?? [])
            + (port.map { ["--before", "\($0)"] } ?? [])
        let values = try await script.start(options)
        endpoint = try values.value("ENDPOINT")
        data = try values.value("DATA")
        secureEndpoint = values["TLS_ENDPOINT"]
        certificateAuthority = values["CA"]
        user = values["USERNAME"]
        password = values["PASSWORD"]
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
