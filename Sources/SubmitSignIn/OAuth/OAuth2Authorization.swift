internal import Submit
internal import SubmitHTTP
/// A request for a code that was begun: the page where the person lets us in, and what its answer is held against.
///
/// Sources: RFC 6749, section 4.1.1; RFC 7636, section 4.3; RFC 9700, section 2.1.
public struct OAuth2Authorization: Sendable {
    /// The page. It holds no secret.
    public let url: String
    /// As the page got it, and as the code has to be brought; `nil` where it got none.
    public let redirect: String?
    let state: String
    let proofKey: PKCE?
    let issuer: String?

    /// - Returns: `nil` where the service offers no such page, or one that is no `https` URL or of this machine.
    public init?(_ service: OAuth2Service, client: OAuthClient, redirect: String?) {
        self.init(
            service, client: client, redirect: redirect, state: SecretText.random(),
            proofKey: service.usesProofKey ? PKCE() : nil)
    }

    init?(
        _ service: OAuth2Service, client: OAuthClient, redirect: String?, state: String, proofKey: PKCE?
    ) {
        guard let page = service.authorizeURL, let origin = Endpoint(originOf: page), origin.isPrivate else {
            return nil
        }
        var query: [WebForm.Field] = [("response_type", "code"), ("client_id", client.id)]
        if let redirect { query.append(("redirect_uri", redirect)) }
        if let scope = service.scope { query.append(("scope", scope)) }
        query.append(("state", state))
        if let proofKey {
            query += [("code_challenge", proofKey.challenge), ("code_challenge_method", "S256")]
        }
        // Some demand it where an ID token is asked for (OpenID Connect Core 1.0, section 3.1.2.1), which nobody reads here.
        if service.scopes.contains("openid"), !service.extraAuthorize.contains(where: { $0.name == "nonce" }) {
            query.append(("nonce", SecretText.random()))
        }
        query += service.extraAuthorize
        let encoded = query.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
        var url = URLReference(page)
        url.query = ((url.query.map { $0.isEmpty ? [] : [$0] } ?? []) + encoded).joined(separator: "&")
        self.url = url.text
        self.redirect = redirect
        self.state = state
        KnownSecrets.add(state)
        self.proofKey = proofKey
        issuer = service.issuer
    }

    /// Why an answer brings no code.
    public enum Refusal: Error, Sendable, Hashable {
        /// It belongs to something else, or to nobody: the wait for the right one goes on.
        case foreign(String)
        /// The service or the person said no.
        case refused(code: String, explanation: String)
    }

    /// The code that a redirect brings.
    ///
    /// - Parameter url: what the browser asked for: a URL, or its path and query.
    /// - Throws: ``Refusal``. What the redirect says counts only when its `state` is ours, and who answers is who was
    ///   asked, where it says (RFC 9207).
    public func code(redirected url: String) throws(Refusal) -> String {
        let fields = WebForm.decode(URLReference(url).query ?? "")
        guard let answered = fields[only: "state"], SecretText.areSame(answered, state) else {
            throw .foreign("This answer belongs to another login")
        }
        return try code(in: fields)
    }

    /// The code in what a person pasted: the code alone, or the URL that their browser ended at.
    ///
    /// - Throws: as ``code(redirected:)``; a URL without any `state` is taken.
    public func code(pasted text: String) throws(Refusal) -> String {
        let text = text.trimmingBlanks
        let isURL = text.contains("://") || text.hasPrefix("/") || text.hasPrefix("?") || text.hasPrefix("code=")
        guard isURL else {
            guard (1...4096).contains(text.utf8.count), SecretText.isToken(text) else {
                throw .foreign("This is no code and no address with one")
            }
            return text
        }
        let query = URLReference(text).query ?? (text.hasPrefix("code=") ? text : "")
        let fields = WebForm.decode(query)
        if fields.contains(where: { $0.name == "state" }) {
            guard let answered = fields[only: "state"], SecretText.areSame(answered, state) else {
                throw .foreign("This address belongs to another login")
            }
        } else if !fields.contains(where: { $0.name == "code" || $0.name == "error" }) {
            throw .foreign("This address has no code in it: take the one that the browser ended at")
        }
        return try code(in: fields)
    }

    private func code(in fields: [WebForm.Field]) throws(Refusal) -> String {
        let answering = fields.filter { $0.name == "iss" }.map(\.value)
        if let issuer, !answering.isEmpty {
            guard answering.count == 1, SecretText.areSame(answering[0], issuer) else {
                throw .foreign("This answer comes from another service")
            }
        }
        if let error = fields[only: "error"] {
            throw .refused(
                code: ForeignText.code(error),
                explanation: ForeignText.line(fields[only: "error_description"] ?? ""))
        }
        guard let code = fields[only: "code"], (1...4096).contains(code.utf8.count) else {
            throw .foreign("This answer has no code in it")
        }
        KnownSecrets.add(code)
        return code
    }
}

extension OAuth2Authorization: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without what its answer is held against.
    public var description: String { "authorization at \(Endpoint(originOf: url)?.origin ?? "")" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
    var trimmingBlanks: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
