/// What to do about an answer that may send a request elsewhere (RFC 9110, section 15.4).
public enum Redirect: Sendable {
    /// It sends us nowhere: the answer stands.
    case none
    /// Send this instead.
    case follow(HTTPRequest)
    /// It must not be followed. One sentence that says why and what to do.
    case refuse(String)

    /// Decides without asking anyone.
    ///
    /// GET and HEAD are followed everywhere but from https to http. All other requests are followed only where method
    /// and body stay (307, 308) and only on the same host: to no one else goes a photo. From http to https on the
    /// usual ports a host stays the same.
    ///
    /// On another host only headers that say what is wanted go along: credentials and signatures have many names. A
    /// certificate of ours does not; what is trusted stays the same.
    public init(_ request: HTTPRequest, _ response: HTTPResponse) {
        guard [301, 302, 303, 307, 308].contains(response.status), let location = response["Location"] else {
            self = .none
            return
        }
        let old = URLReference(request.url)
        let new = URLReference(location).resolved(against: old)
        guard let from = Self.endpoint(old), let to = Self.endpoint(new) else {
            self = .refuse(
                "“\(Self.endpoint(old)?.authority ?? "The server")” sends us on to something that is no web address: "
                    + "check the destination's URL.")
            return
        }
        let isSame =
            from.host == to.host
            && (from.port == to.port && from.isSecure == to.isSecure
                || !from.isSecure && from.port == 80 && to.isSecure && to.port == 443)
        let onlyAsks = request.method == "GET" || request.method == "HEAD"
        if from.isSecure && !to.isSecure {
            self = .refuse(
                "“\(from.authority)” sends us on to “\(to.authority)” without TLS, which is not done: "
                    + "check the destination's URL.")
        } else if !onlyAsks && !(isSame && [307, 308].contains(response.status)) {
            self = .refuse(
                "“\(from.authority)” sends uploads on to “\(to.origin)”, which is not followed: "
                    + "if the destination has moved there, change its URL.")
        } else {
            var next = request
            next.url = new.text
            if !isSame {
                next.headers.removeAll { !Self.mayGoAnywhere($0.name) }
                next.clientCertificate = nil
            }
            self = .follow(next)
        }
    }

    private static func endpoint(_ url: URLReference) -> Endpoint? {
        guard let scheme = url.scheme, let authority = url.authority else { return nil }
        return try? Endpoint("\(scheme)://\(authority)")
    }

    private static func mayGoAnywhere(_ header: String) -> Bool {
        let name = header.lowercased()
        return ["accept", "cache-control", "range", "user-agent"].contains(name) || name.hasPrefix("accept-")
            || name.hasPrefix("if-")
    }
}
