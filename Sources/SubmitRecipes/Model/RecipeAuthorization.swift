extension Recipe {
    package enum Authorization: Sendable {
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
    package enum Flow: String, Sendable, Hashable, CaseIterable {
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
    package struct OAuth2: Sendable {
        package enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
            case none, post, basic
        }

        package enum RedirectKind: Sendable, Hashable {
            case anyPort
            case port(Int)
            /// Out of band: the code is shown to the person.
            case manual
            /// The service's own page, which shows the code or has it in its address.
            case page(String)
        }

        package let place: RecipePlace
        package let authorizeURL: RecipeTemplate?
        package let tokenURL: RecipeTemplate
        package let revokeURL: RecipeTemplate?
        /// Where revoking is no RFC 7009.
        package let revocation: Request?
        package let deviceURL: RecipeTemplate?
        /// What the service calls itself in answers (RFC 9207).
        package let issuer: RecipeTemplate?
        package let scopes: [String]
        package let scopeSeparator: String
        /// PKCE with S256.
        package let usesPKCE: Bool
        package let clientAuthentication: ClientAuthentication
        package let extraAuthorize: [Field]
        package let redirect: RedirectKind
        /// At least one, best first.
        package let flows: [Flow]
        package let tokenHeader: (name: String, prefix: String)
        package let registration: Registration?
        /// Captures are kept as `account.NAME`, secret ones in the secret store under their names. Names: `secret.*` too.
        package let afterLogin: [Step]

        /// Captures `client_id` and perhaps `client_secret`. Names: `settings.*`, `redirect.uri`, `auth.scopes`.
        package struct Registration: Sendable {
            package let place: RecipePlace
            package let request: Request
            package let captures: [Capture]
        }
    }

    /// Settings `client_id` and the secret `client_secret` come by themselves.
    package struct OAuth1: Sendable {
        package enum Signature: String, Sendable, Hashable, CaseIterable {
            case sha1 = "HMAC-SHA1"
            case sha256 = "HMAC-SHA256"
        }

        package let place: RecipePlace
        package let requestURL: RecipeTemplate
        package let authorizeURL: RecipeTemplate
        package let accessURL: RecipeTemplate
        package let signature: Signature
        /// Signed parameters of the first request.
        package let extraRequest: [Field]
        /// Parameters of the page that the person opens.
        package let extraAuthorize: [Field]
        /// The text fields of multipart bodies are signed, against RFC 5849.
        package let signsMultipartText: Bool
        package let flows: [Flow]
        package let afterLogin: [Step]
    }
}
