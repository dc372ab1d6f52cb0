internal import Submit

extension OAuth2Service {
    /// IBM's IAM, where an API key gives a token for an hour (cloud.ibm.com/docs/account, “Generating an IAM token by using an
    /// API key”). It goes with ``OAuthClient/iam``, to an `OAuth2TokenSource` for the application's own account.
    ///
    /// - Parameters:
    ///   - key: the API key. From now on no text shows it.
    ///   - tokenURL: where tokens are had.
    public static func iam(key: String, tokenURL: String = iamTokenURL) -> OAuth2Service {
        KnownSecrets.add(key, isConfigured: true)
        var service = OAuth2Service(tokenURL: tokenURL, usesProofKey: false, clientAuthentication: .basic)
        service.ownGrant = [
            ("grant_type", "urn:ibm:params:oauth:grant-type:apikey"), ("apikey", key), ("response_type", "cloud_iam"),
        ]
        return service
    }

    /// Of IBM Cloud.
    public static let iamTokenURL = "https://iam.cloud.ibm.com/identity/token"
}

extension OAuthClient {
    /// The client that IBM's IAM knows all programs by: both its words are public.
    public static let iam = OAuthClient(id: "bx", secret: "bx")
}
