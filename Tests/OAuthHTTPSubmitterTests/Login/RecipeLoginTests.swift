import Submit
import SubmitConcurrency
import SubmitHTTP
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// A service that answers as it is told.
private final class ScriptedService: HTTPTransport {
    private let requests = Locked<[HTTPRequest]>([])
    private let answers: [String: String]

    /// - Parameter answers: bodies, by the ends of URLs without their queries; to all else it answers 404.
    init(_ answers: [String: String]) { self.answers = answers }

    var seen: [HTTPRequest] { requests.withLock { $0 } }

    /// The last request to a place.
    func last(_ end: String) -> HTTPRequest? { seen.last { Self.place($0).hasSuffix(end) } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        requests.withLock { $0.append(request) }
        guard let answer = answers.first(where: { Self.place(request).hasSuffix($0.key) })?.value else {
            return HTTPResponse(status: 404, headers: [("Content-Type", "application/json")], body: Array("{}".utf8))
        }
        return answer == "401"
            ? HTTPResponse(status: 401, headers: [("Content-Type", "application/json")], body: Array("{}".utf8))
            : HTTPResponse(status: 200, body: Array(answer.utf8))
    }

    private static func place(_ request: HTTPRequest) -> Substring { request.url.prefix { $0 != "?" } }
}

extension HTTPRequest {
    fileprivate subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    fileprivate var form: [String: String] {
        guard case .bytes(let bytes) = body else { return [:] }
        return Dictionary(
            WebForm.decode(String(decoding: bytes, as: UTF8.self)).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }
        )
    }
}

@Suite struct `signing in where a recipe says how` {
    private static func submitter(
        _ name: String, _ service: ScriptedService, values: [String: String] = [:], secrets: [String: String] = [:]
    ) throws -> RecipeSubmitter {
        let recipe = try Recipe(text: try #require(Recipe.shippedText(name)), path: "\(name).yaml")
        return try RecipeSubmitter(
            recipe, DestinationSettings(destination: "here", values: values, secrets: secrets), transport: service)
    }

    /// What a recipe makes an address of is looked at when it is used.
    @Test(arguments: ["token_url", "revoke_url", "device_url"])
    func `shows the application's secret to the recipe's hosts alone`(key: String) throws {
        let urls = ["token_url": "https://login.example/token", "revoke_url": "https://login.example/revoke"]
        let lines = urls.merging([key: "'{{ \"http://evil.example/steal\" }}'"]) { $1 }.map { "  \($0): \($1)\n" }
            .joined()
        let text = """
            recipe: 1
            service: demo
            title: Demo
            summary: A demo
            facts: { checked: 2026-11-21, sources: [https://example.com], tested: never }
            hosts: [https://login.example]
            auth:
              kind: oauth2
              authorize_url: https://login.example/authorize
            \(lines)limits: { kinds: [photo] }
            upload:
              - { id: up, request: { method: PUT, url: "/up/{{ file.sha256 }}", body: { raw: file } } }
            receipt: { id: "{{ file.sha256 }}", accepted_when: "true" }

            """
        let recipe = try Recipe(text: text, path: "demo.yaml")
        let settings = DestinationSettings(
            destination: "here", values: ["client_id": "me"], secrets: ["client_secret": "s"])
        let failure = #expect(throws: SubmitFailure.self) {
            try RecipeSubmitter(recipe, settings, transport: ScriptedService([:]))
        }
        #expect(failure?.message.contains("not one of “hosts”") ?? false, "\(failure?.message ?? "")")
    }

    @Test func `an application of one's own keeps its secret`() throws {
        let service = ScriptedService([:])
        let server = ["server": "https://mastodon.example"]
        let registered = try Self.submitter("mastodon", service, values: server)
        #expect(registered.facets.login?.secrets.contains("client_secret") == true)
        let own = try Self.submitter(
            "mastodon", service, values: server.merging(["client_id": "mine"]) { $1 }, secrets: ["client_secret": "s"])
        #expect(own.facets.login?.secrets.contains("client_secret") == false)
    }

    private static func granted(_ progress: LoginProgress) throws -> LoginGrant {
        guard case .done(let grant) = progress else { throw Unfinished() }
        return grant
    }

    private struct Unfinished: Error {}

    private static func query(_ url: String?, _ name: String) throws -> String {
        let query = try #require(url?.split(separator: "?", maxSplits: 1).last)
        return try #require(WebForm.decode(query).first { $0.name == name }?.value)
    }

    @Test func `at Mastodon, which is told of us first`() async throws {
        let service = ScriptedService([
            "/api/v1/apps": #"{"client_id":"reg","client_secret":"reg-secret"}"#,
            "/oauth/token": #"{"access_token":"acc","scope":"write:media write:statuses read:accounts"}"#,
            "/verify_credentials": #"{"id":"1","acct":"ada"}"#, "/oauth/revoke": "{}",
        ])
        let values = ["server": "https://social.example/"]
        let login = try #require(try Self.submitter("mastodon", service, values: values).facets.login)
        #expect(login.methods == [.browser, .paste])
        let redirect = login.redirect.url(port: 4711)
        let attempt = try await login.begin(LoginClient(name: "submit", method: .browser, redirect: redirect))
        #expect(service.seen[0].form["redirect_uris"] == redirect)
        #expect(service.seen[0].form["scopes"] == "write:media write:statuses read:accounts")
        #expect(attempt.prompt.url?.hasPrefix("https://social.example/oauth/authorize?") == true)
        let state = try Self.query(attempt.prompt.url, "state")
        let grant = try Self.granted(try await attempt.answer(.redirected("/callback?code=c&state=\(state)")))
        #expect(grant.account == "ada" && grant.notices.isEmpty)
        #expect(grant.secrets["access_token"] == "acc" && grant.secrets["client_secret"] == "reg-secret")
        #expect(login.secrets.isSuperset(of: grant.secrets.keys))
        #expect(service.last("/oauth/token")?.form["client_secret"] == "reg-secret")
        #expect(service.last("/verify_credentials")?["Authorization"] == "Bearer acc")

        let signedIn = try Self.submitter("mastodon", service, values: values, secrets: grant.secrets)
        let facet = try #require(signedIn.facets.login)
        #expect(try await facet.whoami() == LoginAccount(name: "ada", id: "1"))
        #expect(try await facet.revoke() == .revoked)
        #expect(service.last("/oauth/revoke")?.form["token"] == "acc")
        #expect(service.last("/oauth/revoke")?.form["client_id"] == "reg")
    }

    @Test func `at Facebook, whose Page has a token of its own`() async throws {
        let service = ScriptedService([
            "/oauth/access_token": #"{"access_token":"user-token","expires_in":3600}"#,
            "/me/permissions": #"{"success":true}"#,
            "/v26.0/7": #"{"id":"7","name":"Harbour","access_token":"page-token"}"#,
        ])
        let values = ["page": "7", "client_id": "app"]
        let login = try #require(
            try Self.submitter("facebook", service, values: values, secrets: ["client_secret": "app-secret"]).facets
                .login)
        #expect(login.redirect.port == 53682)
        let attempt = try await login.begin(LoginClient(name: "submit", method: .paste))
        #expect(try Self.query(attempt.prompt.url, "redirect_uri") == "http://127.0.0.1:53682/callback")
        let grant = try Self.granted(try await attempt.answer(.pasted("c0de")))
        #expect(grant.account == "Harbour" && grant.settings == ["account_page_name": "Harbour"])
        #expect(grant.secrets["page_token"] == "page-token")
        #expect(login.secrets.isSuperset(of: grant.secrets.keys))
        let exchange = try #require(service.seen.first { $0.form["grant_type"] == "fb_exchange_token" })
        #expect(exchange.form["client_id"] == "app" && exchange.form["client_secret"] == "app-secret")
        #expect(exchange.form["fb_exchange_token"] == "user-token" && exchange["Authorization"] == nil)
        #expect(service.last("/v26.0/7")?["Authorization"] == "OAuth page-token")

        // The first token is good for an hour, the long one for sixty days.
        let secrets = grant.secrets.merging(["long_token": "long-token", "access_token": "end3d"]) { $1 }
        let facet = try #require(
            try Self.submitter("facebook", service, values: values, secrets: secrets).facets.login)
        #expect(try await facet.revoke() == .revoked)
        #expect(service.last("/me/permissions")?.method == "DELETE")
        #expect(service.last("/me/permissions")?["Authorization"] == "OAuth long-token")
    }

    @Test func `at Flickr, by OAuth 1`() async throws {
        let service = ScriptedService([
            "/request_token": "oauth_token=t&oauth_token_secret=ts&oauth_callback_confirmed=true",
            "/access_token": "oauth_token=at&oauth_token_secret=as&username=ada",
            "/services/rest/": #"{"stat":"ok","user":{"id":"12@N00","username":{"_content":"Ada"}}}"#,
        ])
        let login = try #require(
            try Self.submitter("flickr", service, values: ["client_id": "k"], secrets: ["client_secret": "s"]).facets
                .login)
        let attempt = try await login.begin(LoginClient(name: "submit", method: .paste))
        #expect(attempt.prompt.url == "https://www.flickr.com/services/oauth/authorize?oauth_token=t&perms=write")
        let grant = try Self.granted(try await attempt.answer(.pasted("123-456-789")))
        #expect(grant.account == "Ada" && grant.settings == ["account_nsid": "12@N00"])
        #expect(grant.secrets == ["oauth_token": "at", "oauth_token_secret": "as"])
        #expect(service.last("/services/rest/")?["Authorization"]?.contains("oauth_token=\"at\"") == true)
    }

    @Test func `at mixi, whose own page shows the code`() async throws {
        let service = ScriptedService([
            "/2/token": #"{"access_token":"acc","refresh_token":"ref","expires_in":900}"#,
            "/2/people/@me/@self": #"{"entry":{"id":"u","displayName":"ada"}}"#,
        ])
        let login = try #require(
            try Self.submitter("mixi", service, values: ["client_id": "c"], secrets: ["client_secret": "s"]).facets
                .login)
        #expect(login.methods == [.paste])
        let attempt = try await login.begin(LoginClient(name: "submit", method: .paste))
        let page = "https://mixi.jp/connect_authorize_success.html"
        #expect(try Self.query(attempt.prompt.url, "redirect_uri") == page)
        let state = try Self.query(attempt.prompt.url, "state")
        let grant = try Self.granted(try await attempt.answer(.pasted("\(page)?code=c0de&state=\(state)")))
        #expect(grant.account == "ada" && grant.secrets["refresh_token"] == "ref")
        #expect(service.last("/2/token")?.form["redirect_uri"] == page)
    }

    @Test(arguments: [#"{"id":"1","email":"ada@example.org"}"#, "401"])
    func `at Immich, where a key is typed`(answer: String) async throws {
        let service = ScriptedService(["/api/users/me": answer])
        let login = try #require(
            try Self.submitter("immich", service, values: ["server": "https://photos.example"]).facets.login)
        let attempt = try await login.begin(LoginClient(name: "submit", method: .typed))
        guard case .fill(let fields) = attempt.prompt.task else { throw Unfinished() }
        #expect(fields.map(\.name) == ["api_key"])
        if answer == "401" {
            await #expect {
                _ = try await attempt.answer(.typed(["api_key": "key"]))
            } throws: { error in
                (error as? SubmitFailure)?.remedy == .retry(after: nil)
            }
        } else {
            let grant = try Self.granted(try await attempt.answer(.typed(["api_key": "key"])))
            #expect(grant.account == "ada@example.org" && grant.secrets == ["api_key": "key"])
        }
        #expect(service.seen.map { $0["x-api-key"] } == ["key"])
    }

    @Test func `nowhere without a client, and says what to set`() async throws {
        let service = ScriptedService([:])
        let login = try #require(try Self.submitter("dropbox", service).facets.login)
        await #expect {
            _ = try await login.begin(LoginClient(name: "submit", method: .paste))
        } throws: { error in
            (error as? SubmitFailure)?.message.contains("client_id") == true
        }
        #expect(service.seen.isEmpty)
    }

    @Test func `is had by every recipe that comes with submit`() throws {
        for name in Recipe.shipped {
            let recipe = try Recipe(text: try #require(Recipe.shippedText(name)), path: "\(name).yaml")
            var values = ["client_id": "x", "user": "x"]
            for setting in recipe.settings where setting.isRequired {
                values[setting.name] = setting.kind == .url ? "https://h.example" : "x"
            }
            let submitter = try RecipeSubmitter(
                recipe, DestinationSettings(destination: "here", values: values), transport: ScriptedService([:]))
            let login = try #require(submitter.facets.login, "\(name)")
            #expect(!login.methods.isEmpty && !login.secrets.isEmpty, "\(name)")
        }
    }
}
