/// The origins to which credentials may go: scheme, host and port, where `*.example.org` stands for every host below
/// `example.org`.
public struct AllowedOrigins: Sendable, Hashable {
    private struct Origin: Hashable {
        var endpoint: Endpoint
        /// Hosts below this one, and not this one.
        var isBelow: Bool
    }

    private let origins: [Origin]

    /// - Returns: `nil` when one of them is no `http` or `https` origin.
    public init?(_ origins: [String]) {
        var read: [Origin] = []
        for origin in origins {
            let isBelow = origin.contains("://*.")
            guard let endpoint = Endpoint(originOf: isBelow ? origin.replacing("://*.", with: "://") : origin) else {
                return nil
            }
            read.append(Origin(endpoint: endpoint, isBelow: isBelow))
        }
        self.origins = read
    }

    /// One origin alone.
    public init(_ endpoint: Endpoint) {
        origins = [Origin(endpoint: endpoint, isBelow: false)]
    }

    /// Whether a URL leads to one of them.
    public func contains(_ url: String) -> Bool {
        guard let endpoint = Endpoint(originOf: url) else { return false }
        return origins.contains { origin in
            guard origin.endpoint.isSecure == endpoint.isSecure, origin.endpoint.port == endpoint.port else {
                return false
            }
            return origin.isBelow
                ? endpoint.host.hasSuffix(".\(origin.endpoint.host)") : endpoint.host == origin.endpoint.host
        }
    }
}
