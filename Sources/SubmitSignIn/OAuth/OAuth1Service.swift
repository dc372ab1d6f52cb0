public import SubmitHTTP

/// What has to be known of a service to get a token from it by OAuth 1.0a (RFC 5849, section 2).
public struct OAuth1Service: Sendable {
    /// Where a temporary token is had.
    public var requestURL: String
    /// Where the person lets us in.
    public var authorizeURL: String
    /// Where the lasting token is had.
    public var accessURL: String
    /// How the service wants requests signed.
    public var method: OAuth1Signature.Method
    /// More fields of the request for a temporary token; they are signed.
    public var extraRequest: [WebForm.Field]
    /// More parameters of the page where the person lets us in.
    public var extraAuthorize: [WebForm.Field]

    /// - Parameters: see the properties. The three URLs are absolute; requests go there by `https`, or to this computer.
    public init(
        requestURL: String, authorizeURL: String, accessURL: String, method: OAuth1Signature.Method = .hmacSHA1,
        extraRequest: [WebForm.Field] = [], extraAuthorize: [WebForm.Field] = []
    ) {
        self.requestURL = requestURL
        self.authorizeURL = authorizeURL
        self.accessURL = accessURL
        self.method = method
        self.extraRequest = extraRequest
        self.extraAuthorize = extraAuthorize
    }
}
