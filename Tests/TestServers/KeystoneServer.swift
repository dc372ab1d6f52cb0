/// OpenStack Keystone (Identity v3) with a Swift that trusts it.
///
/// The object store is in the catalogue with public and internal addresses in ``region`` and a public one in
/// `RegionTwo`. Swift refuses a revoked token at once.
public final class KeystoneServer: ObjectServer {
    /// Ends in `/v3`.
    public let authURL: String
    public let user: String
    public let userID: String
    public let password: String
    /// Of the user and of the project.
    public let domain: String
    public let domainID: String
    public let project: String
    public let projectID: String
    /// A name.
    public let applicationCredential: String
    public let applicationCredentialID: String
    public let applicationCredentialSecret: String
    public let region: String
    /// The public one in ``region``.
    public let storageURL: String
    public let internalStorageURL: String
    /// The public one in `RegionTwo`, which has no internal one.
    public let regionTwoStorageURL: String
    /// Where the S3 front is.
    public let endpoint: String
    /// Of S3: an EC2 credential of the user.
    public let accessKey: String
    public let secretKey: String
    private let script: ServerScript
    private let options: [String]

    private static let running = Task { try await KeystoneServer() }

    /// The one that tests share, each with containers of its own. Nobody stops it.
    public static func shared() async throws -> KeystoneServer { try await running.value }

    /// Starts one of one's own, which takes ten seconds.
    ///
    /// - Parameters:
    ///   - maximumFileSize: bytes of the largest object that is not made of segments; Swift's 5 GiB by default.
    ///   - tokenLife: seconds until a token ends; an hour by default.
    public init(maximumFileSize: Int? = nil, tokenLife: Int? = nil) async throws {
        script = try ServerScript("keystone.sh")
        options = ServerScript.swiftOptions(maximumFileSize: maximumFileSize, tokenLife: tokenLife)
        let values = try await script.start(options)
        authURL = try values.value("AUTH_URL")
        user = try values.value("USER")
        userID = try values.value("USER_ID")
        password = try values.value("PASSWORD")
        domain = try values.value("DOMAIN")
        domainID = try values.value("DOMAIN_ID")
        project = try values.value("PROJECT")
        projectID = try values.value("PROJECT_ID")
        applicationCredential = try values.value("APPLICATION_CREDENTIAL")
        applicationCredentialID = try values.value("APPLICATION_CREDENTIAL_ID")
        applicationCredentialSecret = try values.value("APPLICATION_CREDENTIAL_SECRET")
        region = try values.value("REGION")
        storageURL = try values.value("STORAGE_URL")
        internalStorageURL = try values.value("INTERNAL_STORAGE_URL")
        regionTwoStorageURL = try values.value("REGION_TWO_STORAGE_URL")
        endpoint = try values.value("ENDPOINT")
        accessKey = try values.value("ACCESS_KEY")
        secretKey = try values.value("SECRET_KEY")
    }

    /// Stops both; what they hold stays.
    public func stop() async throws { try await script.stop() }

    /// Stops both and removes what they hold.
    public func remove() async { await script.remove() }

    public func token() async throws -> String {
        let body = """
            {"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"\(userID)",
            "password":"\(password)"}}},"scope":{"project":{"id":"\(projectID)"}}}}
            """
        return try await signIn(["-H", "Content-Type: application/json", "-d", body, authURL + "/auth/tokens"])
    }

    /// Starts both again, at the same addresses and with what they held.
    public func restart() async throws { _ = try await script.start(options) }
}
