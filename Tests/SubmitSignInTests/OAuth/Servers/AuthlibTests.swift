import Crypto
import Submit
import SubmitCurl
import SubmitHTTP
import TestServers
import Testing

@testable import SubmitSignIn

/// OAuth 1.0a against a provider that none of us wrote.
@Suite struct `at Authlib's provider` {
    private static func transport() throws -> CurlTransport {
        try CurlTransport(CurlConfiguration(userAgent: "submit/test", proxy: ""))
    }

    private static func client(_ server: OAuth1Server) -> OAuthClient {
        OAuthClient(id: server.consumerKey, secret: server.consumerSecret)
    }

    private static func login(
        _ server: OAuth1Server, _ method: OAuth1Signature.Method = .hmacSHA1, clock: ServerClock = ServerClock()
    ) throws -> OAuth1Login {
        OAuth1Login(
            OAuth1Settings(
                destination: "photos",
                service: OAuth1Service(
                    requestURL: server.requestURL, authorizeURL: server.authorizeURL, accessURL: server.accessURL,
                    method: method),
                client: client(server)),
            store: TransientSecrets(), transport: try transport(), clock: clock)
    }

    /// Does on the page what a person does; what the browser, or the person, brings.
    private static func visit(_ url: String?, _ server: OAuth1Server) async throws -> String {
        let query = WebForm.decode(URLReference(try #require(url)).query ?? "")
        return try await server.grant(try #require(query[only: "oauth_token"]))
    }

    private static func granted(_ progress: LoginProgress) throws -> LoginGrant {
        guard case .done(let grant) = progress else { throw Unfinished() }
        return grant
    }

    private struct Unfinished: Error {}

    private static func secrets(
        _ server: OAuth1Server, _ method: OAuth1Signature.Method = .hmacSHA1, clock: ServerClock = ServerClock()
    ) async throws -> [String: String] {
        let attempt = try await login(server, method, clock: clock).begin(
            LoginClient(name: "submit", method: .browser, redirect: "http://127.0.0.1:9/callback"))
        let landing = try await visit(attempt.prompt.url, server)
        #expect(landing.hasPrefix("http://127.0.0.1:9/callback?"))
        return try granted(try await attempt.answer(.redirected(landing))).secrets
    }

    private static func signing(
        _ server: OAuth1Server, _ secrets: [String: String], _ method: OAuth1Signature.Method = .hmacSHA1,
        clock: ServerClock = ServerClock()
    ) throws -> OAuth1Transport {
        OAuth1Transport(
            try transport(), destination: "photos", client: client(server), store: TransientSecrets(secrets),
            method: method, origins: AllowedOrigins([server.endpoint])!, clock: clock)
    }

    private static let photo = Array("a photo \u{0}é".utf8)

    private static func upload(_ url: String, name: String, title: String, signsTexts: Bool) -> HTTPRequest {
        let head =
            "--border\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\n\(title)\r\n"
            + "--border\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"\(name)\"\r\n"
            + "Content-Type: image/jpeg\r\n\r\n"
        var request = HTTPRequest(
            method: "POST", url: url, headers: [("Content-Type", "multipart/form-data; boundary=border")],
            body: .bytes(Array(head.utf8) + photo + Array("\r\n--border--\r\n".utf8)))
        if signsTexts { request.signedFields = [("title", title)] }
        return request
    }

    @Test(arguments: [OAuth1Signature.Method.hmacSHA1, .hmacSHA256])
    func `photos go up with their texts signed and not, as the place wants it`(
        method: OAuth1Signature.Method
    ) async throws {
        let server = try await OAuth1Server()
        let transport = try Self.signing(server, try await Self.secrets(server, method), method)
        let title = "Ä + b & c=d %20 ~"
        func send(_ url: String, _ name: String, signsTexts: Bool) async throws -> Int {
            try await transport.send(Self.upload(url, name: name, title: title, signsTexts: signsTexts)).status
        }
        #expect(try await send(server.uploadURL, "plain.jpg", signsTexts: false) == 201)
        #expect(try await send(server.signedUploadURL, "signed.jpg", signsTexts: true) == 201)
        #expect(try await send(server.uploadURL, "no.jpg", signsTexts: true) == 401)
        #expect(try await send(server.signedUploadURL, "no.jpg", signsTexts: false) == 401)
        #expect(
            try await transport.send(
                HTTPRequest(
                    method: "PUT", url: "\(server.endpoint)/raw/r%20w.jpg?a=b%26c&d", body: .bytes(Self.photo))
            ).status == 201)
        let items = try server.items()
        #expect(items.map(\.name) == ["plain.jpg", "signed.jpg", "r w.jpg"])
        #expect(items.map { $0.texts["title"] } == [title, title, nil])
        let digest = SHA256.hash(data: Self.photo).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            .joined()
        #expect(items.allSatisfy { $0.sha256 == digest })
    }

    @Test func `a code that the page shows is as good as a redirect`() async throws {
        let server = try await OAuth1Server()
        let attempt = try await Self.login(server).begin(LoginClient(name: "submit", method: .paste))
        let code = try await Self.visit(attempt.prompt.url, server)
        await #expect {
            _ = try await attempt.answer(.pasted("wr0ng"))
        } throws: { error in
            (error as? SubmitFailure)?.remedy == .giveUp
        }
        let again = try await Self.login(server).begin(LoginClient(name: "submit", method: .paste))
        let second = try await Self.visit(again.prompt.url, server)
        #expect(code != second)
        let grant = try Self.granted(try await again.answer(.pasted(" \(second)\n")))
        let transport = try Self.signing(server, grant.secrets)
        #expect(try await transport.send(get("\(server.endpoint)/me?x=%2B&x=b")).status == 200)
    }

    @Test func `wrong secrets decrypt nothing`() async throws {
        let server = try await OAuth1Server()
        var secrets = try await Self.secrets(server)
        secrets["oauth_token_secret"] = "wr0ng"
        #expect(try await Self.signing(server, secrets).send(get("\(server.endpoint)/me")).status == 401)
        let stranger = OAuth1Exchange(
            OAuth1Service(
                requestURL: server.requestURL, authorizeURL: server.authorizeURL, accessURL: server.accessURL),
            client: OAuthClient(id: server.consumerKey, secret: "wr0ng"), transport: try Self.transport())
        await #expect(throws: OAuthFault.self) { try await stranger.begin(callback: nil) }
    }

    @Test func `a clock that is wrong by years is no hindrance`() async throws {
        let server = try await OAuth1Server()
        let clock = ServerClock(now: { Timestamp(nanoseconds: 1_000_000_000_000_000_000) })
        let secrets = try await Self.secrets(server, clock: clock)
        let fresh = ServerClock(now: { Timestamp(nanoseconds: 1_000_000_000_000_000_000) })
        #expect(try await Self.signing(server, secrets, clock: fresh).send(get("\(server.endpoint)/me")).status == 200)
    }
}
