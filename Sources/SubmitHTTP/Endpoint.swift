public import Submit
internal import SubmitPlatform

/// Where a service is: the `http` or `https` URL that someone configured, without anything that belongs elsewhere.
public struct Endpoint: Sendable, Hashable {
    /// `https`, not `http`.
    public let isSecure: Bool
    /// In lower case; an IPv6 address without its brackets.
    public let host: String
    /// The one given, or the scheme's own: 443 or 80.
    public let port: Int
    /// Percent-encoded, as given but without slashes at its end: empty, or beginning with `/`.
    public let basePath: String

    /// What is wrong with a text that should be an endpoint.
    public struct Invalid: Error, Hashable {
        /// How a sentence about the setting goes on: “must begin with …”. It does not quote the text, which may hold a
        /// password.
        public let complaint: String
    }

    /// Reads `scheme://host[:port][/path]` (RFC 3986, section 3).
    ///
    /// - Throws: ``Invalid`` for other schemes, user names and passwords, queries, fragments, and for hosts, ports and
    ///   paths that are none.
    public init(_ text: String) throws(Invalid) {
        guard let colon = text.firstRange(of: "://"),
            let isSecure = Self.schemes[text[..<colon.lowerBound].lowercased()]
        else { throw Invalid(complaint: "must begin with https:// or http://") }
        guard !text.contains("?"), !text.contains("#") else {
            throw Invalid(complaint: "must be a URL without a query (?) and a fragment (#)")
        }
        let rest = text[colon.upperBound...]
        let authority = rest.prefix { $0 != "/" }
        guard !authority.contains("@") else {
            throw Invalid(
                complaint: "must be a URL without a user name and a password: they have settings of their own")
        }
        let (host, portText) = Self.split(authority)
        guard let host = Self.host(host) else {
            throw Invalid(complaint: "must name a host in ASCII (xn--… for other scripts) or an address")
        }
        let port = portText.count < 2 ? (isSecure ? 443 : 80) : Self.port(portText.dropFirst())
        guard let port else { throw Invalid(complaint: "must have a port from 1 to 65535, or none") }
        let path = rest.dropFirst(authority.count)
        guard Self.isPath(path) else {
            throw Invalid(complaint: "must have a percent-encoded path without . and .. in it")
        }
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.basePath = String(path.prefix(path.utf8.count - path.utf8.reversed().prefix { $0 == 0x2f }.count))
    }

    private static let schemes = ["https": true, "http": false]

    /// As in the `Host` header: the port only where it is not the scheme's own.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// `scheme://authority`.
    public var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// The URL of something below the base path.
    ///
    /// - Parameter path: percent-encoded, beginning with `/`, with its query if it has one; or empty.
    public func url(_ path: String) -> String { origin + basePath + path }

    /// This machine itself, whatever the network.
    public var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        var address = in_addr()
        return inet_pton(AF_INET, host, &address) == 1 && UInt32(bigEndian: address.s_addr) >> 24 == 127
    }

    /// The host, and the port with its colon; in `[::1]:80` the first colon after the bracket counts.
    private static func split(_ authority: Substring) -> (host: Substring, port: Substring) {
        let bracket = authority.firstIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[bracket...].firstIndex(of: ":") else { return (authority, "") }
        return (authority[..<colon], authority[colon...])
    }

    private static func host(_ text: Substring) -> String? {
        if text.hasPrefix("["), text.hasSuffix("]") {
            let inner = text.dropFirst().dropLast().lowercased()
            var address = in6_addr()
            return inet_pton(AF_INET6, inner, &address) == 1 ? inner : nil
        }
        let isName = text.utf8.allSatisfy { PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~") }
        return isName && text.utf8.contains { $0 != UInt8(ascii: ".") } ? text.lowercased() : nil
    }

    private static func port(_ digits: Substring) -> Int? {
        guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(digits),
            (1...65535).contains(port)
        else { return nil }
        return port
    }

    /// RFC 3986, section 3.3, without segments that a server or a proxy would resolve.
    private static func isPath(_ path: Substring) -> Bool {
        let bytes = Array(path.utf8)
        for (index, byte) in bytes.enumerated() where !PercentEncoding.isUnreserved(byte) {
            let isEscape =
                byte == UInt8(ascii: "%") && index + 2 < bytes.count
                && isHexadecimal(bytes[index + 1]) && isHexadecimal(bytes[index + 2])
            guard isEscape || "/!$&'()*+,;=:@".utf8.contains(byte) else { return false }
        }
        return !path.split(separator: "/").contains { $0 == "." || $0 == ".." }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...70, 97...102: true
        default: false
        }
    }
}

extension Endpoint {
    /// The scheme, host and port of any URL; `nil` where it is no `http` or `https` URL.
    public init?(originOf url: String) {
        let url = URLReference(url)
        guard let scheme = url.scheme, let authority = url.authority,
            let endpoint = try? Endpoint("\(scheme)://\(authority)")
        else { return nil }
        self = endpoint
    }

    /// Whether secrets may go there: nobody on the way can read them.
    public var isPrivate: Bool { isSecure || isLoopback }
}

extension DestinationSettings {
    /// The URL of a service.
    ///
    /// - Throws: a failure that names the setting when it is no ``Endpoint``.
    public func endpoint(_ name: String) throws(SubmitFailure) -> Endpoint? {
        guard let text = self[name] else { return nil }
        do throws(Endpoint.Invalid) {
            return try Endpoint(text)
        } catch {
            throw invalid(name, error.complaint)
        }
    }

    /// Refuses an endpoint that would show passwords and photos to the network.
    ///
    /// - Parameter allowsPlain: someone said aloud that it may.
    /// - Throws: a failure that names the setting `name`.
    public func check(_ endpoint: Endpoint, of name: String, allowsPlain: Bool) throws(SubmitFailure) {
        guard endpoint.isSecure || endpoint.isLoopback || allowsPlain else {
            throw invalid(
                name, "uses http, which shows everything to the network: use https, or set “insecure” to true")
        }
    }
}
