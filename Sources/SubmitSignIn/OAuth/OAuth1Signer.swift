public import Submit
public import SubmitHTTP

/// Signs requests by OAuth 1.0a for one application and one token (RFC 5849, section 3).
public struct OAuth1Signer: Sendable {
    private let client: OAuthClient
    private let token: OAuth1Token?
    private let method: OAuth1Signature.Method

    private let sendsVersion: Bool

    /// - Parameters:
    ///   - token: `nil` before there is one.
    ///   - sendsVersion: `oauth_version` goes along, which may be left out (section 3.1).
    public init(
        _ client: OAuthClient, token: OAuth1Token?, method: OAuth1Signature.Method = .hmacSHA1,
        sendsVersion: Bool = true
    ) {
        self.client = client
        self.token = token
        self.method = method
        self.sendsVersion = sendsVersion
    }

    /// The value of the `Authorization` header that makes a request a signed one.
    ///
    /// - Parameters:
    ///   - fields: the body's, where they count: those of a form always, those of a multipart body where the service
    ///     wants them signed.
    ///   - extra: more parameters of the protocol, such as `oauth_callback`.
    ///   - time: the service refuses requests that are far off.
    ///   - nonce: used once; `nil` for a new one.
    public func authorization(
        method name: String, url: String, fields: [WebForm.Field] = [], extra: [WebForm.Field] = [], at time: Timestamp,
        nonce: String? = nil
    ) -> String {
        var parameters: [WebForm.Field] = [("oauth_consumer_key", client.id)]
        if let token { parameters.append(("oauth_token", token.token)) }
        parameters += [("oauth_signature_method", method.rawValue), ("oauth_timestamp", String(time.seconds))]
        parameters.append(("oauth_nonce", nonce ?? SecretText.random()))
        parameters += extra
        if sendsVersion { parameters.append(("oauth_version", "1.0")) }
        let base = OAuth1Signature.baseString(method: name, url: url, parameters: parameters + fields)
        let signature = OAuth1Signature.signature(
            of: base, clientSecret: client.secret ?? "", tokenSecret: token?.secret ?? "", method: method)
        parameters.append(("oauth_signature", signature))
        return "OAuth "
            + parameters.map { "\(PercentEncoding.encode($0.name))=\"\(PercentEncoding.encode($0.value))\"" }
            .joined(separator: ", ")
    }
}

extension OAuth1Signer: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(method.rawValue) of \(client)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
