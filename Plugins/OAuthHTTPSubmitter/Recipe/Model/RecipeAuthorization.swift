extension Recipe {
    enum Authorization: Sendable {
        case none
        case oauth2(OAuth2)
        case oauth1(OAuth1)
        /// A header with a secret in it. Names: `secret.*`, `settings.*`.
        case header(name: String, value: RecipeTemplate)
        /// Settings `user` and the secret `password`.
        case basic
        /// Settings `user` and the secret `api_key`.
        case wsse
    }

    /// How people are asked to sign in.
    enum Flow: String, Sendable, Hashable, CaseIterable {
        /// A browser on this machine, which comes back to a loopback address.
        case browser
        /// A code or a URL is pasted.
        case paste
        /// A code is typed elsewhere (RFC 8628).
        case device
        /// Nobody is asked (client credentials).
        case client
    }

    /// Settings `client_id` and the secret `client_secret` come by themselves, or by ``registration``.
    struct OAuth2: Sendable {
        enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
            case none, post, basic
        }

        enum RedirectKind: Sendable, Hashable {
            case anyPort
            case port(Int)
            /// Out of band: the code is shown to the person.
            case manual
            /// The service's own page, which shows the code or has it in its address.
            case page(String)
        }

        let place: RecipePlace
        let authorizeURL: RecipeTemplate?
        let tokenURL: RecipeTemplate
        let revokeURL: RecipeTemplate?
        /// Where revoking is no RFC 7009.
        let revocation: Request?
        let deviceURL: RecipeTemplate?
        /// What the service calls itself in answers (RFC 9207).
        let issuer: RecipeTemplate?
        let scopes: [String]
        let scopeSeparator: String
        /// PKCE with S256.
        let usesPKCE: Bool
        let clientAuthentication: ClientAuthentication
        let extraAuthorize: [Field]
        let redirect: RedirectKind
        /// At least one, best first.
        let flows: [Flow]
        let tokenHeader: (name: String, prefix: String)
        let registration: Registration?
        /// Captures are kept as `account.NAME`, secret ones in the secret store under their names. Names: `secret.*` too.
        let afterLogin: [Step]

        /// Captures `client_id` and perhaps `client_secret`. Names: `settings.*`, `redirect.uri`, `auth.scopes`.
        struct Registration: Sendable {
            let place: RecipePlace
            let request: Request
            let captures: [Capture]
        }
    }

    /// Settings `client_id` and the secret `client_secret` come by themselves.
    struct OAuth1: Sendable {
        enum Signature: String, Sendable, Hashable, CaseIterable {
            case sha1 = "HMAC-SHA1"
            case sha256 = "HMAC-SHA256"
        }

        let place: RecipePlace
        let requestURL: RecipeTemplate
        let authorizeURL: RecipeTemplate
        let accessURL: RecipeTemplate
        let signature: Signature
        /// Signed parameters of the first request.
        let extraRequest: [Field]
        /// Parameters of the page that the person opens.
        let extraAuthorize: [Field]
        /// The text fields of multipart bodies are signed, against RFC 5849.
        let signsMultipartText: Bool
        let flows: [Flow]
        let afterLogin: [Step]
    }
}
