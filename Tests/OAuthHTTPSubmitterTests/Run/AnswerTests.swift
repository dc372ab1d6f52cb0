import Foundation
import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// One step, whose answer a test decides.
struct OneStep {
    static func recipe(_ step: String = "", more: String = "", receipt: String = "{{ up.id ?? 'none' }}") -> String {
        """
        recipe: 1
        service: fake
        title: Fake
        summary: A fake service
        facts: { checked: 2026-11-21, sources: ["https://example.org/"], tested: "against a stand-in" }
        settings:
          server: { kind: url, summary: "Its address", required: true }
          api_key: { kind: secret, summary: "Its key" }
        hosts: ["{{ settings.server }}", "https://media.service.example"]
        auth: { kind: header, name: x-key, value: "Key {{ secret.api_key }}" }
        upload:
          - id: up
            request: { method: POST, url: /up, body: { raw: file } }
            capture: { id: { json: /id, optional: true } }
            \(step.isEmpty ? "repeat: safe" : step)
        receipt: { id: "\(receipt)" }
        \(more)
        """
    }

    static func failure(_ recipe: String, _ answer: HTTPResponse) async throws -> SubmitFailure {
        let endeavour = try Endeavour(recipe)
        let outcome = await endeavour.attempt(at: FakeService { _ in answer })
        guard case .failure(let failure) = outcome else {
            Issue.record("it is done")
            return .cancelled
        }
        return failure
    }
}

@Suite
struct AnswerTests {
    static let answers: [(HTTPResponse, Remedy)] = [
        (json(400, "{}"), .giveUp), (json(401, "{}"), .renewCredentials), (json(403, "{}"), .giveUp),
        (plain(408), .retry(after: nil)), (plain(413), .giveUp), (plain(415), .giveUp),
        (plain(425), .retry(after: nil)), (plain(429), .hold(.throttled, after: nil)),
        (plain(500), .tryAnother(after: nil)),
        (plain(503, "", [("Retry-After", "9")]), .tryAnother(after: .seconds(9))),
        (plain(507), .hold(.full, after: nil)),
        (
            HTTPResponse(status: 404, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8)),
            .hold(.misconfigured, after: nil)
        ),
        (
            HTTPResponse(status: 502, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8)),
            .tryAnother(after: nil)
        ),
    ]

    /// Google's uploads have been answered so, and rclone looks for it.
    @Test func `an empty text in place of a token is asked for again`() async throws {
        let recipe = OneStep.recipe().replacing("{ json: /id, optional: true }", with: "{ text: true }")
        let failure = try await OneStep.failure(recipe, plain(200))
        #expect(failure.remedy == .retry(after: nil) && failure.code == "bad-answer", "\(failure)")
    }

    @Test func `a web page whose text is captured is called one that no recipe can read`() async throws {
        let page = HTTPResponse(
            status: 200, headers: [("Content-Type", "text/html")], body: Array("<!DOCTYPE html>token".utf8))
        let words = "a recipe can't read web pages, not even by “text: true”"
        for capture in ["{ text: true }", "{ text: true, optional: true }"] {
            let recipe = OneStep.recipe().replacing("{ json: /id, optional: true }", with: capture)
            #expect(try await OneStep.failure(recipe, page).message.contains(words))
        }
        #expect(try await !OneStep.failure(OneStep.recipe(), page).message.contains(words))
    }

    @Test(arguments: answers.indices)
    func `an answer that no rule is about has its remedy`(index: Int) async throws {
        let (answer, remedy) = Self.answers[index]
        let failure = try await OneStep.failure(OneStep.recipe(), answer)
        #expect(failure.remedy == remedy, "\(answer.status): \(failure)")
        #expect(failure.message.contains("photo.jpg"))
    }

    @Test(
        arguments: [
            (("Retry-After", "15"), .seconds(15)), (("Retry-After", "Fri, 15 Jan 2027 08:01:00 GMT"), .seconds(60)),
            (("x-rate-limit-reset", "1800000030"), .seconds(30)),
            (("X-RateLimit-Reset", "2027-01-15T08:02:00.000000Z"), .seconds(120)),
            (("X-RateLimit-Reset", "45"), .seconds(45)),
        ] as [((String, String), Duration)])
    func `how long to wait is understood in each form`(header: (String, String), wait: Duration) async throws {
        // The test's clock stands at 2027-01-15T08:00:00Z.
        let failure = try await OneStep.failure(OneStep.recipe(), plain(429, "", [(header.0, header.1)]))
        #expect(failure.remedy == .hold(.throttled, after: wait))
    }

    @Test(arguments: [
        ("retry", Remedy.retry(after: .seconds(12))), ("throttle", .hold(.throttled, after: .seconds(12))),
        ("refresh", .renewCredentials), ("relogin", .renewCredentials), ("quota", .hold(.full, after: .seconds(12))),
        ("too_large", .giveUp), ("unsupported", .giveUp), ("fatal", .giveUp),
    ])
    func `a rule says what an answer means, how long to wait and what to do`(kind: String, remedy: Remedy) async throws
    {
        let rule = """
            errors:
              - { status: [400], when: "body['/error/code'] == 3", class: fatal }
              - status: 4xx
                when: body['/error/code'] in [4, 17]
                class: \(kind)
                wait: body['/error/wait']
                say: Mend it
            """
        let failure = try await OneStep.failure(
            OneStep.recipe(more: rule), json(400, #"{"error":{"code":"4","wait":12,"message":"no more"}}"#))
        #expect(failure.remedy == remedy)
        #expect(failure.message.contains("Mend it"))
        #expect(failure.message.contains("no more"))
    }

    @Test func `a duplicate is done, and nothing is claimed that the service does not say`() async throws {
        let rule = "errors: [ { status: 409, class: duplicate } ]"
        let endeavour = try Endeavour(
            OneStep.recipe(more: rule, receipt: "{{ up.id }}").replacing(", optional: true", with: ""))
        let receipt = try await endeavour.attempt(at: FakeService { _ in json(409, "{}") }).get()
        #expect(receipt.wasThere && receipt.evidence == .accepted && receipt.note != nil)
        // The same bytes are there: it is neither skipped nor called as here.
        #expect(receipt.remoteID.hasPrefix("sha256:"), "\(receipt)")
        let removes =
            "presence: { request: { method: GET, url: /x }, gone: [404] }\nremove: { request: { method: DELETE, url: /x } }"
        let service = FakeService { $0.method == "POST" ? json(409, "{}") : json(404, "{}") }
        let other = try Endeavour(
            OneStep.recipe(more: "\(rule)\n\(removes)", receipt: "{{ up.id }}").replacing(", optional: true", with: ""))
        let submitter = try other.submitter(service)
        let found = try await other.attempt(at: service).get()
        let sent = service.requests.count
        guard case .unknown = await submitter.facets.presence?.presence(of: other.item, receipt: found) else {
            return #expect(Bool(false), "what has no name is looked for")
        }
        await #expect(throws: SubmitFailure.self) { try await submitter.facets.removal?.remove(found) }
        #expect(service.requests.count == sent)
    }

    @Test func `a success that is none fails by its rules, or for good`() async throws {
        let recipe = OneStep.recipe("ok_when: body['/stat'] == 'ok'\n    repeat: safe")
        let answer = json(200, #"{"stat":"fail","message":"odd"}"#)
        #expect(try await OneStep.failure(recipe, answer).remedy == .giveUp)
        let ruled = OneStep.recipe(
            "ok_when: body['/stat'] == 'ok'\n    repeat: safe",
            more: "errors: [ { when: \"body['/message'] == 'odd'\", class: retry } ]")
        #expect(try await OneStep.failure(ruled, answer).remedy == .retry(after: nil))
    }

    @Test func `an error that is none is a success`() async throws {
        let recipe = OneStep.recipe(
            "treat_as_ok: [ { status: 409, when: \"body['/error'] == 'exists'\" } ]\n    repeat: safe")
        let service = FakeService { _ in json(409, #"{"error":"exists","id":"x"}"#) }
        #expect(try await Endeavour(recipe).attempt(at: service).get().remoteID == "x")
        #expect(try await OneStep.failure(recipe, json(409, #"{"error":"other"}"#)).remedy == .giveUp)
    }

    @Test func `what must be captured and is missing is told`() async throws {
        let recipe = OneStep.recipe(receipt: "{{ up.id }}").replacing(", optional: true", with: "")
        let failure = try await OneStep.failure(recipe, json(200, "{}"))
        #expect(failure.remedy == .giveUp)
        #expect(failure.message.contains("“id”"))
        let page = HTTPResponse(
            status: 200, headers: [("Content-Type", "text/html; charset=utf-8")], body: Array("<!DOCTYPE html>".utf8))
        #expect(try await OneStep.failure(recipe, page).remedy == .hold(.misconfigured, after: nil))
    }

    @Test func `what a service says of our secrets does not show`() async throws {
        let failure = try await OneStep.failure(
            OneStep.recipe(), json(400, #"{"message":"bad key hunter2-hunter2\u0007 given"}"#))
        #expect(!failure.message.contains("hunter2"))
        #expect(failure.message.contains("bad key"))
        #expect(!failure.message.contains("\u{7}"))
    }

    /// What a login has kept, each in its own kind of header, and the service says it again.
    @Test(arguments: [
        ("immich", ["api_key": "k3y-0f-4-l0g1n"]), ("mastodon", ["access_token": "t0k3n/0f+4-l0g1n"]),
        ("flickr", ["oauth_token": "t0k3n-0f-4-l0g1n", "oauth_token_secret": "s3cr3t", "client_secret": "c"]),
        ("wordpress", ["user": "ada", "password": "p4ss w0rd"]), ("hatena-fotolife", ["api_key": "k3y-0f-4-l0g1n"]),
    ])
    func `nor does what a login has kept`(name: String, secrets: [String: String]) async throws {
        let service = FakeService { seen in
            json(400, #"{"message":"no: \#(secrets.values.sorted().joined(separator: " "))"}"#)
        }
        var text = try #require(Recipe.shippedText(name))
        for host in [
            "https://api.flickr.com", "https://up.flickr.com", "https://www.flickr.com", "https://f.hatena.ne.jp",
        ] {
            text = text.replacing(host, with: FakeService.url)
        }
        let values = [
            "server": FakeService.url, "site": FakeService.url, "client_id": "c", "user": "ada", "account_id": "1",
        ]
        let submitter = try RecipeSubmitter(
            try Recipe(text: text, path: "\(name).yaml"),
            DestinationSettings(destination: "mine", values: values, secretStore: TransientSecrets(secrets)),
            transport: service)
        do throws(SubmitFailure) {
            _ = try await submitter.whoami()
            Issue.record("it answered")
        } catch {
            #expect(!service.requests.isEmpty && error.message.contains("400"), "\(error)")
            for (key, secret) in secrets where key != "user" && key != "client_secret" && key != "oauth_token_secret" {
                #expect(!error.message.contains(secret), "\(error)")
            }
        }
    }

    @Test func `without the key nobody is asked, and it waits for a login`() async throws {
        let recipe = try Recipe(text: OneStep.recipe(), path: "test.yaml")
        let service = FakeService { _ in json(200, "{}") }
        let settings = DestinationSettings(destination: "mine", values: ["server": FakeService.url])
        let submitter = try RecipeSubmitter(recipe, settings, transport: service)
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 10))
        do throws(SubmitFailure) {
            _ = try await submitter.submit(
                bytes.item(named: "a.jpg"), bytes: bytes, context: SubmissionContext(submission: "j"))
            Issue.record("it is done")
        } catch {
            #expect(error.remedy == .renewCredentials)
        }
        #expect(service.requests.isEmpty)
    }
}

@Suite
struct HostTests {
    /// Redirects of the first request; what is sent after that is recorded.
    private func outcome(
        _ status: Int, to location: String
    ) async throws -> (Result<Receipt, SubmitFailure>, [Seen]) {
        let service = FakeService { seen in
            seen.path == "/up" ? plain(status, "", [("Location", location)]) : json(200, #"{"id":"x"}"#)
        }
        return (await (try Endeavour(OneStep.recipe())).attempt(at: service), service.requests)
    }

    @Test(arguments: [307, 308])
    func `an upload is sent on within its host, with its credentials and all its bytes`(status: Int) async throws {
        let (result, requests) = try await outcome(status, to: "/there")
        #expect(try result.get().remoteID == "x")
        #expect(requests.map(\.path) == ["/up", "/there"])
        #expect(requests[1].body.count == 1000)
        #expect(requests[1]["x-key"] == "Key hunter2-hunter2")
    }

    @Test(arguments: [
        (301, "/there"), (302, "/there"), (303, "/there"), (307, "https://evil.example/up"),
        (307, "http://service.example/up"), (308, "https://media.service.example/up"),
    ])
    func `an upload is sent on nowhere else`(status: Int, location: String) async throws {
        let (result, requests) = try await outcome(status, to: location)
        guard case .failure(let failure) = result else {
            Issue.record("it is done")
            return
        }
        #expect(failure.remedy == .hold(.misconfigured, after: nil))
        #expect(requests.count == 1)
    }

    @Test(arguments: [
        "https://evil.example/x", "https://service.example.evil.example/", "http://service.example/",
        "https://service.example:444/",
        "https://service.example@evil.example/", "//evil.example/x", "file:///etc/passwd", "https:evil", "",
    ])
    func `a URL that a service gives is not followed elsewhere`(url: String) async throws {
        let recipe = OneStep.recipe(
            "repeat: safe", receipt: "{{ next.id }}"
        ).replacing("id: { json: /id, optional: true }", with: "url: { json: /url }")
            .replacing(
                "receipt:",
                with: """
                      - id: next
                        request: { method: PUT, url: "{{ up.url }}", body: { raw: file } }
                        capture: { id: { json: /id } }
                    receipt:
                    """)
        let service = FakeService { _ in json(200, "{\"url\":\"\(url)\",\"id\":\"x\"}") }
        let outcome = await (try Endeavour(recipe)).attempt(at: service)
        guard case .failure(let failure) = outcome else {
            Issue.record("it is done")
            return
        }
        #expect(failure.remedy == .giveUp)
        #expect(service.requests.count == 1)
    }

    @Test func `one that stays is`() async throws {
        let recipe = OneStep.recipe("repeat: safe", receipt: "{{ next.id }}")
            .replacing("id: { json: /id, optional: true }", with: "url: { json: /url }")
            .replacing(
                "receipt:",
                with: """
                      - id: next
                        request: { method: PUT, url: "{{ up.url }}", body: { raw: file } }
                        capture: { id: { json: /id } }
                    receipt:
                    """)
        let service = FakeService { _ in json(200, #"{"url":"https://service.example/a?b=c%2Fd","id":"x"}"#) }
        #expect(try await Endeavour(recipe).attempt(at: service).get().remoteID == "x")
        #expect(service.requests.last?.path == "/a")
        #expect(service.requests.last?.query == ["b": "c/d"])
    }
}
