internal import Foundation
internal import Submit

/// The passwords in the URLs of proxies.
enum ProxyPassword {
    private static let variables = ["http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"]

    /// From now on no text shows that of this proxy, or of those that libcurl takes from the environment (curl(1),
    /// “ENVIRONMENT”).
    static func makeKnown(of proxy: String?) {
        let environment = proxy == nil ? variables.compactMap { getenv($0).map { String(cString: $0) } } : []
        for url in [proxy].compactMap(\.self) + environment {
            let authority = (url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]).prefix { $0 != "/" }
            guard let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") else {
                continue
            }
            let password = String(authority[authority.index(after: colon)..<at])
            KnownSecrets.add(password, isConfigured: true)
            // As it stands in the URL, and as the proxy is told it.
            password.removingPercentEncoding.map { KnownSecrets.add($0, isConfigured: true) }
        }
    }
}
