internal import Submit
internal import SubmitHTTP

/// A login by OAuth 1.0a that was begun (RFC 5849, section 2.2).
public struct OAuth1Authorization: Sendable {
    /// The page where the person lets us in. The temporary token in it opens nothing without its secret.
    public let url: String
    let token: OAuth1Token

    init(_ service: OAuth1Service, token: OAuth1Token) {
        var url = URLReference(service.authorizeURL)
        let query = [("oauth_token", token.token)] + service.extraAuthorize
        let encoded = query.map { "\(PercentEncoding.encode($0.0))=\(PercentEncoding.encode($0.1))" }
        url.query = ((url.query.map { $0.isEmpty ? [] : [$0] } ?? []) + encoded).joined(separator: "&")
        self.url = url.text
        self.token = token
    }

    /// The verifier that a redirect brings.
    ///
    /// - Parameter url: what the browser asked for: a URL, or its path and query.
    /// - Throws: ``OAuth2Authorization/Refusal``. What it says counts only when it names our temporary token.
    public func verifier(redirected url: String) throws(OAuth2Authorization.Refusal) -> String {
        let fields = WebForm.decode(URLReference(url).query ?? "")
        // X names the token that was denied in place of any other.
        if let denied = fields[only: "denied"], SecretText.areSame(denied, token.token) {
            throw .refused(code: "access_denied", explanation: "")
        }
        guard let answered = fields[only: "oauth_token"], SecretText.areSame(answered, token.token) else {
            throw .foreign("This answer belongs to another login")
        }
        if let problem = fields[only: "oauth_problem"] {
            throw .refused(code: ForeignText.code(problem), explanation: "")
        }
        guard let verifier = fields[only: "oauth_verifier"], (1...4096).contains(verifier.utf8.count) else {
            throw .foreign("This answer has no verifier in it")
        }
        return verifier
    }

    /// The verifier in what a person pasted: the code that the page shows, or the URL that their browser ended at.
    ///
    /// - Throws: as ``verifier(redirected:)``.
    public func verifier(pasted text: String) throws(OAuth2Authorization.Refusal) -> String {
        let text = text.trimmingBlanks
        if text.contains("oauth_verifier=") || text.contains("://") {
            return try verifier(redirected: text.contains("?") ? text : "?" + text)
        }
        // Codes of several groups are shown with blanks or hyphens; the hyphens belong to them.
        let code = text.filter { !$0.isWhitespace }
        guard (1...4096).contains(code.utf8.count), SecretText.isToken(code) else {
            throw .foreign("This is no code and no address with one")
        }
        return code
    }
}

extension OAuth1Authorization: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "authorization at \(Endpoint(originOf: url)?.origin ?? "")" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a service answered to a request for a lasting token.
public struct OAuth1Grant: Sendable {
    /// The lasting token (RFC 5849, section 2.3).
    public var token: OAuth1Token
    /// All fields of the answer, the token too.
    public var fields: [String: String]
    /// The client it belongs to.
    public var client: OAuthClient
}

extension OAuth1Grant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "token of \(client)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
