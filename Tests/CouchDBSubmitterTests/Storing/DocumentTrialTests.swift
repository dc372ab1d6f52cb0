import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@Suite struct `A trial of a CouchDB database` {
    private func trial(_ submitter: any Submitter) async throws -> TrialResult {
        let photo = Photo(seed: 1)
        return try await #require(submitter.facets.trial).trial(after: photo.item, context: photo.context())
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `stores a local document and removes it`(_ kind: CouchPeer.Kind) async throws {
        let peer = try await CouchPeer.peer(kind)
        let submitter = try peer.submitter()
        for _ in 0..<2 { #expect(try await trial(submitter) == .stored) }
        let id = Photo(seed: 1).context().submission
        #expect(try await peer.object("GET", "/_local/submit-trial-\(id)")["error"] as? String == "not_found")
        await peer.remove()
    }

    @Test func `says that a server is in trouble`() async throws {
        let fake = FakeCouch { request, _ in request.method == "PUT" ? HTTPResponse(status: 503) : nil }
        let submitter = try CouchPeer.fake(fake).submitter()
        let failure = await #expect(throws: SubmitFailure.self) { try await trial(submitter) }
        #expect(failure?.remedy == .tryAnother(after: nil))
    }
}
