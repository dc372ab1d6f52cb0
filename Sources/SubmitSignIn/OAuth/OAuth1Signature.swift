internal import Crypto
internal import Submit
public import SubmitHTTP

/// The steps of OAuth 1.0a's signatures (RFC 5849, section 3.4): pure functions, without a clock and without state.
public enum OAuth1Signature {
    /// How requests are signed, as `oauth_signature_method` says it.
    public enum Method: String, Sendable, Hashable, CaseIterable {
        /// HMAC with SHA-1 (RFC 5849, section 3.4.2).
        case hmacSHA1 = "HMAC-SHA1"
        /// The same with SHA-256. No RFC has it; some services do.
        case hmacSHA256 = "HMAC-SHA256"
        /// The secrets themselves (section 3.4.4): over TLS only.
        case plaintext = "PLAINTEXT"
    }

    /// What is signed of a request (section 3.4.1).
    ///
    /// - Parameters:
    ///   - method: as it is sent, in upper case.
    ///   - url: as it is sent, with its query.
    ///   - parameters: decoded: those of the header but `realm` and `oauth_signature`, and those of the body that count.
    public static func baseString(method: String, url: String, parameters: [WebForm.Field]) -> String {
        let url = URLReference(url)
        let all = WebForm.decode(url.query ?? "") + parameters
        return [method.uppercased(), baseURI(url), normalized(all)].map(PercentEncoding.encode).joined(separator: "&")
    }

    /// The signature (sections 3.4.2 and 3.4.4), not yet encoded for a header.
    public static func signature(
        of baseString: String, clientSecret: String, tokenSecret: String, method: Method
    ) -> String {
        let key = "\(PercentEncoding.encode(clientSecret))&\(PercentEncoding.encode(tokenSecret))"
        let symmetric = SymmetricKey(data: Array(key.utf8))
        let text = Array(baseString.utf8)
        return switch method {
        case .hmacSHA1: Base64.text(of: HMAC<Insecure.SHA1>.authenticationCode(for: text, using: symmetric))
        case .hmacSHA256: Base64.text(of: HMAC<SHA256>.authenticationCode(for: text, using: symmetric))
        case .plaintext: key
        }
    }

    /// Scheme and host in lower case, the port unless it is the scheme's own, the path as sent (section 3.4.1.2).
    private static func baseURI(_ url: URLReference) -> String {
        let scheme = url.scheme ?? ""
        var authority = (url.authority ?? "").lowercased()
        for (own, port) in [("https", ":443"), ("http", ":80")] where scheme == own && authority.hasSuffix(port) {
            authority.removeLast(port.count)
        }
        return "\(scheme)://\(authority)\(url.path.isEmpty ? "/" : url.path)"
    }

    /// Encoded, then sorted by their bytes (section 3.4.1.3.2).
    private static func normalized(_ parameters: [WebForm.Field]) -> String {
        parameters.map { (name: PercentEncoding.encode($0.name), value: PercentEncoding.encode($0.value)) }
            .sorted {
                $0.name == $1.name
                    ? $0.value.utf8.lexicographicallyPrecedes($1.value.utf8)
                    : $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
            }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }
}
