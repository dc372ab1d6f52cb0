import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import OAuthHTTPSubmitter

/// A service that takes files by tus, and forgets an upload once it is a medium.
private final class TusService: Sendable {
    struct State {
        var uploads: [String: [UInt8]] = [:]
        var media: [String] = []
        /// Looks that show nothing of a medium yet.
        var unseen = 0
        /// Bytes that were sent.
        var taken = 0
    }

    let state = Locked(State())
    private let gone: Int

    /// - Parameter gone: the status of an upload that is unknown.
    init(gone: Int, unseen: Int = 0) {
        self.gone = gone
        state.withLock { $0.unseen = unseen }
    }

    static let recipe = """
        recipe: 1
        service: fake
        title: Fake
        summary: A fake service
        facts: { checked: 2026-11-21, sources: ["https://example.org/"], tested: "against a stand-in" }
        settings:
          server: { kind: url, summary: "Its address", required: true }
          api_key: { kind: secret, summary: "Its key" }
        hosts: ["{{ settings.server }}"]
        auth: { kind: header, name: x-key, value: "{{ secret.api_key }}" }
        identity: { request: { method: GET, url: /me }, capture: { id: { json: /id }, name: { json: /id } } }
        upload:
          - id: start
            request:
              method: POST
              url: /files
              headers: { Upload-Length: "{{ file.size }}", Upload-Name: "{{ job.id }}" }
            capture: { url: { header: Location } }
            repeat: safe
          - id: send
            request:
              method: PATCH
              url: "{{ start.url }}"
              headers: { Upload-Offset: "{{ chunk.offset }}" }
              body: { raw: range, type: application/offset+octet-stream }
            chunks: { size: 400, most: 1000 }
            resume:
              ask: { request: { method: HEAD, url: "{{ start.url }}" }, capture: { got: { header: Upload-Offset } } }
              offset: send.got
            capture: { medium: { header: Medium, optional: true } }
            repeat: safe
            look:
              request: { method: GET, url: /media, query: { name: "{{ job.id }}" } }
              capture: { medium: { json: /0 } }
              found: body['/0'] != null
              settles: 30s
        receipt: { id: "{{ send.medium ?? 'nothing' }}", accepted_when: send.medium != null }
        """

    func answer(_ seen: Seen) -> HTTPResponse {
        state.withLock { state in
            switch seen.method {
            case "POST":
                let name = seen["Upload-Name"] ?? ""
                state.uploads["/files/\(name)"] = []
                return plain(201, "", [("Location", "\(FakeService.url)/files/\(name)")])
            case "HEAD":
                guard let there = state.uploads[seen.path] else { return plain(gone) }
                return plain(200, "", [("Upload-Offset", "\(there.count)")])
            case "PATCH":
                guard state.uploads[seen.path] != nil else { return plain(gone) }
                state.taken += seen.body.count
                state.uploads[seen.path]! += seen.body
                guard state.uploads[seen.path]!.count == 1000 else { return plain(204) }
                state.uploads[seen.path] = nil
                state.media.append(String(seen.path.dropFirst("/files/".count)))
                return plain(204, "", [("Medium", "medium of \(state.media.last!)")])
            default:
                if seen.path == "/me" { return json(200, #"{"id": "me"}"#) }
                state.unseen -= 1
                let shown = state.unseen < 0 ? state.media.filter { $0 == seen.query["name"] } : []
                return json(200, "[\(shown.map { "\"medium of \($0)\"" }.joined(separator: ","))]")
            }
        }
    }
}

@Suite struct `An upload in pieces that the service no longer knows` {
    /// Requests: POST, and PATCH for each of three pieces. The last answer is lost.
    private func run(_ tus: TusService) async throws -> Receipt {
        let service = FakeService { tus.answer($0) }
        service.fail(at: 3, .lostAfter)
        return try await Endeavour(TusService.recipe).run(at: service).get()
    }

    @Test(arguments: [404, 410])
    func `is found as what it became, and not sent again`(_ status: Int) async throws {
        let tus = TusService(gone: status)
        #expect(try await run(tus).remoteID == "medium of job-1")
        #expect(tus.state.withLock { $0.media } == ["job-1"] && tus.state.withLock { $0.taken } == 1000)
    }

    @Test func `is looked for again for as long as the service may not show it yet`() async throws {
        let tus = TusService(gone: 404, unseen: 2)
        #expect(try await run(tus).remoteID == "medium of job-1")
        #expect(tus.state.withLock { $0.media } == ["job-1"] && tus.state.withLock { $0.taken } == 1000)
    }

    @Test func `is begun again if it became nothing`() async throws {
        let tus = TusService(gone: 404)
        let service = FakeService { seen in
            // Somebody removes it in the middle.
            if seen.method == "HEAD" { tus.state.withLock { $0.uploads = [:] } }
            return tus.answer(seen)
        }
        service.fail(at: 2, .lostAfter)
        let endeavour = try Endeavour(TusService.recipe)
        #expect(try await endeavour.run(at: service).get().remoteID == "medium of job-1")
        #expect(tus.state.withLock { $0.taken } == 1800)
    }

    @Test func `a trial of the service asks whose the credentials are`() async throws {
        let tus = TusService(gone: 404)
        let service = FakeService { tus.answer($0) }
        let endeavour = try Endeavour(TusService.recipe)
        let trial = try #require(try endeavour.submitter(service).facets.trial)
        let context = SubmissionContext(submission: "job-1", attempt: 2)
        #expect(try await trial.trial(after: endeavour.item, context: context) == .answered)
        #expect(service.requests.map(\.path) == ["/me"])
        service.fail(at: 1, .busy)
        let failure = await #expect(throws: SubmitFailure.self) {
            try await trial.trial(after: endeavour.item, context: context)
        }
        #expect(failure?.remedy == .tryAnother(after: nil))
    }
}
