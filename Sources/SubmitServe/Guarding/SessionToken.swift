internal import HTTPTypes

/// Where a session's token stands in a request, and in the answer that gives it.
struct SessionToken: Sendable {
    /// The prefix has browsers refuse it from anything but this host, by TLS (RFC 6265bis).
    let cookie: String
    private let isSecure: Bool

    init(isSecure: Bool) {
        self.isSecure = isSecure
        cookie = isSecure ? "__Host-submit" : "submit"
    }

    /// A cookie, as `EventSource` can send nothing else; a header from programs.
    func find(in fields: HTTPFields) -> String? {
        if let authorization = fields[.authorization] {
            guard authorization.lowercased().hasPrefix("bearer ") else { return nil }
            return authorization.dropFirst("bearer ".count).trimmed
        }
        for field in fields[values: .cookie] {
            for pair in field.split(separator: ";") {
                let pair = pair.trimmed
                if pair.hasPrefix(cookie + "=") { return String(pair.dropFirst(cookie.count + 1)) }
            }
        }
        return nil
    }

    func setting(_ token: String, seconds: Int) -> String {
        "\(cookie)=\(token); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    /// Has the browser forget it.
    var forgetting: String { setting("", seconds: 0) }
}
