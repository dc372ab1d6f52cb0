internal import Foundation

/// Glewlwyd, a server of OAuth 2 and OpenID Connect that none of us wrote, over http on the loopback.
///
/// The code flow asks for PKCE (S256), a refresh token is good for once unless asked otherwise, and a wrong verifier is
/// answered with 403. Redirects go to the addresses it knows, exactly: see ``allowRedirects(to:)``.
public final class GlewlwydServer: Sendable {
    /// Without a slash at the end, as `iss` says it.
    public let issuer: String
    public let authorizeURL: String
    public let tokenURL: String
    public let revokeURL: String
    public let deviceURL: String
    public let introspectURL: String
    /// Who the token is of; needs the scope `openid`.
    public let userinfoURL: String
    /// One that it knows, where nobody listens.
    public let redirectURL: String
    public let redirectPort: Int
    /// Has no secret.
    public let publicClient: String
    /// May also ask for tokens of its own.
    public let confidentialClient: String
    public let clientSecret: String
    /// May grant `upload` and `profile`.
    public let user: String
    public let password: String
    let port: String
    private let api: String
    private let script: ServerScript
    private let options: [String]

    /// - Parameters:
    ///   - tokenLife: seconds until an access token ends; an hour by default. Likewise the others.
    ///   - deviceInterval: seconds that a device waits between two questions.
    ///   - keepsRefreshTokens: they may be used again and again.
    public init(
        tokenLife: Int? = nil, refreshLife: Int? = nil, codeLife: Int? = nil, deviceInterval: Int? = nil,
        keepsRefreshTokens: Bool = false
    ) async throws {
        script = try ServerScript("glewlwyd.sh")
        let lives = [
            ("--token-life", tokenLife), ("--refresh-life", refreshLife), ("--code-life", codeLife),
            ("--device-interval", deviceInterval),
        ]
        options =
            lives.flatMap { name, seconds in seconds.map { [name, "\($0)"] } ?? [] }
            + (keepsRefreshTokens ? ["--keep-refresh-tokens"] : [])
        let values = try await script.start(options)
        issuer = try values.value("ISSUER")
        api = try values.value("API")
        port = try values.value("PORT")
        authorizeURL = try values.value("AUTHORIZE_URL")
        tokenURL = try values.value("TOKEN_URL")
        revokeURL = try values.value("REVOKE_URL")
        deviceURL = try values.value("DEVICE_URL")
        introspectURL = try values.value("INTROSPECT_URL")
        userinfoURL = try values.value("USERINFO_URL")
        redirectURL = try values.value("REDIRECT_URI")
        redirectPort = Int(try values.value("REDIRECT_PORT")) ?? 0
        publicClient = try values.value("PUBLIC_CLIENT")
        confidentialClient = try values.value("CONFIDENTIAL_CLIENT")
        clientSecret = try values.value("CLIENT_SECRET")
        user = try values.value("USERNAME")
        password = try values.value("PASSWORD")
    }

    /// Stops it; its tokens stay good.
    public func stop() async throws { try await script.stop() }

    /// Starts it again, at the same address.
    public func restart() async throws { _ = try await script.start(options) }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }

    // MARK: What a person does in a browser

    /// Signs in, consents to the scopes that an authorization asks for, and goes on to it.
    ///
    /// - Parameter authorization: the address that a program opens in the browser.
    /// - Returns: where the browser is sent then, with `code`, `state` and `iss`, or with `error`.
    public func grant(_ authorization: String) async throws -> String {
        let query = URLComponents(string: authorization)?.queryItems ?? []
        func item(_ name: String) -> String { query.first { $0.name == name }?.value ?? "" }
        let person = Person(api)
        try await person.signIn(user, password)
        try await person.consent(to: item("scope").replacing("+", with: " "), for: item("client_id"))
        return try await person.curl([
            "-o", "/dev/null", "-w", "%{redirect_url}", authorization + "&g_continue",
        ])
    }

    /// Signs in and types the code that a device shows.
    ///
    /// - Parameters:
    ///   - scope: what the device has asked for.
    ///   - client: as whom; the public one where it is `nil`.
    public func approveDevice(_ userCode: String, scope: String = "upload", client: String? = nil) async throws {
        let person = Person(api)
        try await person.signIn(user, password)
        try await person.consent(to: scope, for: client ?? publicClient)
        try await person.curl(["-f", "-o", "/dev/null", "\(api)/oidc/device?code=\(userCode)&g_continue"])
    }

    // MARK: What its administrator does

    /// Both clients may send a browser there, too.
    public func allowRedirects(to addresses: [String]) async throws {
        let person = Person(api)
        try await person.signIn("admin", "password")
        for client in [publicClient, confidentialClient] {
            let found = try await person.curl(["-f", "\(api)/client/\(client)"])
            guard var fields = try JSONSerialization.jsonObject(with: Data(found.utf8)) as? [String: Any] else {
                throw CocoaError(.coderReadCorrupt)
            }
            fields["redirect_uri"] = (fields["redirect_uri"] as? [String] ?? []) + addresses
            let text = String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
            try await person.send("PUT", "client/\(client)", text)
        }
    }

    // MARK: What its clients do

    /// A token of the confidential client's own.
    public func clientToken(scope: String = "upload") async throws -> String {
        struct Answer: Decodable { let access_token: String }
        let answer = try await asClient([
            "--data-urlencode", "grant_type=client_credentials", "--data-urlencode", "scope=\(scope)", tokenURL,
        ])
        return try JSONDecoder().decode(Answer.self, from: Data(answer.utf8)).access_token
    }

    /// Whether a token is good now.
    public func isActive(_ token: String) async throws -> Bool {
        struct Answer: Decodable { let active: Bool }
        let answer = try await asClient(["--data-urlencode", "token=\(token)", introspectURL])
        return try JSONDecoder().decode(Answer.self, from: Data(answer.utf8)).active
    }

    /// An access token ends, whoever has it.
    public func revoke(_ token: String) async throws {
        _ = try await asClient(["--data-urlencode", "token=\(token)", revokeURL])
    }

    private func asClient(_ arguments: [String]) async throws -> String {
        try await ChildProcess.output(
            of: ["curl", "-sSf", "--noproxy", "*", "-u", "\(confidentialClient):\(clientSecret)"] + arguments)
    }

    /// Somebody at a browser.
    private struct Person {
        let api: String
        let cookies = TemporaryFolder()

        init(_ api: String) { self.api = api }

        @discardableResult
        func curl(_ arguments: [String]) async throws -> String {
            let jar = cookies.path("jar")
            return try await ChildProcess.output(
                of: ["curl", "-sS", "--noproxy", "*", "--max-time", "60", "-b", jar, "-c", jar] + arguments)
        }

        func send(_ method: String, _ path: String, _ json: String) async throws {
            try await curl([
                "-f", "-o", "/dev/null", "-X", method, "-H", "Content-Type: application/json", "-d", json,
                "\(api)/\(path)",
            ])
        }

        func signIn(_ user: String, _ password: String) async throws {
            try await send("POST", "auth/", #"{"username":\#(quoted(user)),"password":\#(quoted(password))}"#)
        }

        func consent(to scope: String, for client: String) async throws {
            try await send("PUT", "auth/grant/\(client)", #"{"scope":\#(quoted(scope))}"#)
        }
    }
}
