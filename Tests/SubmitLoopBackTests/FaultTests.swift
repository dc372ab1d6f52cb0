import Submit
import SubmitCatalogue
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import SubmitLoopBack
import TestServers
import Testing

/// Services that do not do what they should.
@Suite struct FaultTests {
    @Test(arguments: [
        (401, "", Remedy.renewCredentials, "unauthorized", "wants to know who asks (401): sign in there first."),
        (
            403, #"{"error":{"message":"Not\nyours"}}"#, .giveUp, "forbidden",
            "does not let us ask that (403: Not yours): ask its owner to be allowed to."
        ),
        (
            404, "", .hold(.misconfigured, after: nil), "not-found",
            "has no records there (404): check the source's URL."
        ),
        (
            400, #"{"error":{"message":"order UP"}}"#, .giveUp, "refused",
            "does not take the question (400: order UP): ask in another way, or check the source's fields."
        ),
        (414, "", .giveUp, "too-long", "does not take a question as long as this (414): ask for less."),
        (429, "", .hold(.throttled, after: .seconds(7)), "throttled", "asks us to slow down (429): try again later."),
        (500, "<html>", .tryAnother(after: .seconds(7)), "server-error", "is in trouble (500): try again later."),
        (503, "", .tryAnother(after: .seconds(7)), "server-error", "is in trouble (503): try again later."),
    ])
    func `each refusal has its own sentence and remedy`(
        status: Int, body: String, remedy: Remedy, code: String, sentence: String
    ) async throws {
        let shop = try Shop(saying: body, status, ["Retry-After: 7"])
        let failure = try await shop.catalogue().refusal()
        #expect(failure?.remedy == remedy)
        #expect(failure?.code == code)
        #expect(failure?.message == "“127.0.0.1:\(shop.server.port)” \(sentence)")
    }

    @Test func `credentials that are refused are told apart from none`() async throws {
        let shop = try Shop(saying: "", 401)
        let failure = try await shop.catalogue { $0.access = .credentials(.bearer(token: "sesame-1234")) }.refusal()
        #expect(failure?.remedy == .renewCredentials)
        #expect(failure?.message.hasSuffix("does not take our credentials (401): sign in anew.") == true)
    }

    @Test(arguments: [
        ("", "[]"), (" \n", "[]"), ("null", "[]"), ("[]", "[]"), (#"{"id":1}"#, #"[{"id":1}]"#),
        (#"[{"id":1},{"id":2}]"#, #"[{"id":1},{"id":2}]"#), (#"[{"a":"\ud83d"}]"#, "[{\"a\":\"\u{FFFD}\"}]"),
    ])
    func `one object is a list of one, and nothing is none`(body: String, records: String) async throws {
        let shop = try Shop(saying: body)
        let page = try await shop.catalogue().page(try DatasourceQuestion(), after: nil)
        #expect(RecordValue.list(page.records.map { .object($0.members) }).json == records)
        #expect((page.next == nil) == (page.records.isEmpty || !body.hasPrefix("[")))
    }

    @Test(arguments: [
        ("[1]", "", "no-records"), (#""x""#, "", "no-records"), ("5", "", "no-records"),
        (#"[{"a":1},[]]"#, "", "no-records"),
        ("<!doctype html>", "text/html", "page"), ("<!doctype html>", "", "no-json"), ("[{]", "", "no-json"),
        (#"[{"a":1,"a":2}]"#, "", "no-json"), (String(repeating: "[", count: 9000), "", "no-json"),
        ("[" + String(repeating: "1,", count: 5000) + "1]", "", "bad-answer"),
    ])
    func `what is no list of records is none, and takes no more room than it may`(
        body: String, type: String, code: String
    ) async throws {
        let shop = try Shop(saying: body, 200, type.isEmpty ? [] : ["Content-Type: \(type)"])
        let failure = try await shop.catalogue { $0.largestAnswer = 10_000 }.refusal()
        #expect(failure?.code == code)
        #expect(failure?.message.hasPrefix("“127.0.0.1") == true)
    }

    @Test func `an answer that breaks off is none`() async throws {
        let server = ScriptedServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 X\r\nContent-Length: 100\r\nConnection: close\r\n\r\n[{\"id\":1}")
        }
        let transport = try CurlTransport(CurlConfiguration(userAgent: "test"))
        let catalogue = LoopBackCatalogue(LoopBackSettings(try Endpoint(server.endpoint)), transport: transport)
        #expect(await catalogue.refusal()?.remedy == .tryAnother(after: nil))
    }

    /// A server that never answers, and tells when it was asked.
    private func silent() -> (server: ScriptedServer, asked: AsyncEvent) {
        let asked = AsyncEvent()
        let server = ScriptedServer { connection in
            _ = connection.request()
            asked.signal()
            // Until the other side goes.
            _ = connection.request()
        }
        return (server, asked)
    }

    @Test func `an answer that does not come in its time is told`() async throws {
        let (server, _) = silent()
        var settings = LoopBackSettings(try Endpoint(server.endpoint))
        settings.limit = .milliseconds(100)
        let catalogue = LoopBackCatalogue(
            settings, transport: try CurlTransport(CurlConfiguration(userAgent: "test")))
        let failure = await catalogue.refusal()
        #expect(failure?.remedy == .tryAnother(after: nil))
        #expect(failure?.message.hasSuffix("did not answer within 0.1 s: try again later, or ask for less.") == true)
    }

    @Test func `a question that is cancelled ends at once`() async throws {
        let (server, asked) = silent()
        let settings = LoopBackSettings(try Endpoint(server.endpoint))
        let catalogue = LoopBackCatalogue(
            settings, transport: try CurlTransport(CurlConfiguration(userAgent: "test")))
        let task = Task { await catalogue.refusal() }
        await asked.wait(milliseconds: nil)
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test func `a redirect is followed on the same server only, and takes the secret nowhere else`() async throws {
        let other = try Shop(saying: "[]")
        let target = other.server.endpoint
        let shop = try Shop { request in
            switch request.target.prefix(5) {
            case "/api/": ScriptedServer.answer(302, ["Location: /own/"])
            case "/own/": ScriptedServer.answer(200, [], #"[{"id":1}]"#)
            case "/away": ScriptedServer.answer(302, ["Location: \(target)/"])
            case "/none": ScriptedServer.answer(302, ["Location: ftp://x/"])
            default: ScriptedServer.answer(302, ["Location: /loop/"])
            }
        }
        let access = LoopBackAccess.header(name: "X-Access-Token", secret: "sesame-1234")
        let page = try await shop.catalogue { $0.access = access }.page(try DatasourceQuestion(), after: nil)
        #expect(page.records.count == 1)
        #expect(shop.requests.last?["X-Access-Token"] == "sesame-1234")
        for path in ["/away", "/none", "/loop"] {
            let endpoint = try Endpoint(shop.server.endpoint + path)
            let failure = try await shop.catalogue {
                $0.access = access
                $0.endpoint = endpoint
            }.refusal()
            #expect(failure?.code == "redirected")
        }
        #expect(other.requests.isEmpty)
    }
}
