/// One way in which a server wants to be told who asks (RFC 9110, section 11.3).
public struct AuthenticationChallenge: Sendable, Hashable {
    /// In lower case: `basic`, `digest`, `bearer`, `negotiate`.
    public var scheme: String
    /// Names in lower case; values without their quotes. Of a name that is there twice, the first.
    public var parameters: [String: String]
    /// What some schemes send in place of parameters.
    public var token68: String?

    /// - Parameters:
    ///   - scheme: lower case.
    ///   - parameters: names in lower case; values without quotes.
    public init(scheme: String, parameters: [String: String] = [:], token68: String? = nil) {
        self.scheme = scheme
        self.parameters = parameters
        self.token68 = token68
    }

    /// Reads the value of one `WWW-Authenticate` header, in the order of the server.
    ///
    /// What makes no sense is left out with the challenge it stands in, and so is what comes after 32 challenges or 32
    /// parameters of one.
    public static func parse(_ value: String) -> [AuthenticationChallenge] {
        var parser = ChallengeParser(value)
        return parser.challenges()
    }
}

extension HTTPResponse {
    /// The ways in which the server wants to be told who asks, in its order, from all its `WWW-Authenticate` headers.
    public var authenticationChallenges: [AuthenticationChallenge] {
        headers.lazy.filter { $0.name.isName("www-authenticate") }
            .flatMap { AuthenticationChallenge.parse($0.value) }
    }
}
