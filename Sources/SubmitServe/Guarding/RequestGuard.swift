internal import HTTPTypes

/// What every request has to be like, whoever sends it and whatever it asks for.
struct RequestGuard: Sendable {
    /// `host:port` as they stand in the links that we print, and those of this machine, in lower case.
    let hosts: Set<String>
    /// What an `Origin` may be.
    let origins: Set<String>

    /// - Parameters:
    ///   - names: addresses and names by which we may be called.
    ///   - port: ours. The usual one of the scheme is not told by browsers.
    init(names: [String], port: Int, isSecure: Bool) {
        let scheme = isSecure ? "https" : "http"
        let usual = isSecure ? 443 : 80
        var hosts: Set<String> = []
        for name in names {
            let name = (name.contains(":") ? "[\(name)]" : name).lowercased()
            hosts.insert("\(name):\(port)")
            if port == usual { hosts.insert(name) }
        }
        self.hosts = hosts
        origins = Set(hosts.map { "\(scheme)://\($0)" })
    }

    /// Why a request is not even looked at; `nil` if it is.
    func refusal(_ head: HTTPRequest) -> WebRefusal? {
        if Self.mayHoldSecret(head.path ?? "") {
            return WebRefusal(
                .badRequest, "secret-in-address",
                "Something on the way changed the link: scan the code with the camera, or type the link as it is shown."
            )
        }
        // A page of a stranger whose name leads here has another one.
        guard let host = head.authority?.lowercased(), hosts.contains(host) else {
            return WebRefusal(
                .misdirectedRequest, "other-host", "This computer is not called so: use the link as it is shown.")
        }
        guard Self.isUnsafe(head.method) else { return nil }
        guard isOwn(head.headerFields) else {
            return WebRefusal(.forbidden, "other-origin", "A page of somebody else asked for this: it is not done.")
        }
        return nil
    }

    /// What changes something.
    static func isUnsafe(_ method: HTTPRequest.Method) -> Bool {
        method != .get && method != .head && method != .options
    }

    /// Browsers say from where a request comes, and nothing else does.
    private func isOwn(_ fields: HTTPFields) -> Bool {
        if let site = fields[.secFetchSite] { return site == "same-origin" || site == "none" }
        guard let origin = fields[.origin] else { return true }
        return origins.contains(origin.lowercased())
    }

    /// Whoever wraps links makes `#` a part of the path, and the secret behind it with it.
    static func mayHoldSecret(_ path: String) -> Bool {
        path.contains("#") || path.lowercased().contains("%23")
    }
}

extension HTTPField.Name {
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
