import Foundation
import Submit
import SubmitConcurrency
import SubmitDigest
import SubmitHTTP
import TestServers
import Testing

/// Tells until it is done, as the engine does: what it is told to try again is tried again.
func tellThrough(
    _ peer: CouchPeer, _ documents: [CatalogueDocument], transport: any HTTPTransport
) async throws -> [CatalogueOutcome] {
    for _ in 0..<200 {
        do throws(SubmitFailure) {
            let submitter = try peer.submitter(transport: transport)
            return try await submitter.facets.catalogue!.tell(documents)
        } catch {
            switch error.remedy {
            case .tryAnother, .retry, .hold(.throttled, _), .hold(.unreachable, _): continue
            default: throw error
            }
        }
    }
    throw SubmitFailure(.giveUp, code: "test", message: "It does not end.")
}

@Suite struct `What goes wrong on the way` {
    @Test func `answers that are cut at any byte are never taken for whole ones`() async throws {
        let documents = [picture(1).following(body: body("b")), picture(2), picture(3)]
        for step in ["_all_docs", "_revs_diff", "_bulk_docs"] {
            var length = 0
            while true {
                let fake = FakeCouch { [length] request, fake throws(HTTPFailure) in
                    guard request.url.hasSuffix(step) else { return nil }
                    var answer = try await fake.answer(request)
                    if answer.body.count > length { answer.body = Array(answer.body.prefix(length)) }
                    return answer
                }
                let peer = CouchPeer.fake(fake)
                do {
                    #expect(try await peer.tell(documents) == [.told, .told, .told])
                    break
                } catch let failure as SubmitFailure {
                    #expect(failure.code == "bad-answer")
                    length += 1
                }
            }
            #expect(length > 1)
        }
    }

    @Test func `a lock after wrong passwords passes by itself, and is no missing right`() async throws {
        // As CouchDB 3.5.0 says it.
        let fake = FakeCouch { _, _ in
            .json(
                403,
                [
                    "error": "forbidden",
                    "reason": "Account is temporarily locked due to multiple authentication failures",
                ])
        }
        await #expect { try await CouchPeer.fake(fake).tell([picture(1)]) } throws: {
            let failure = $0 as? SubmitFailure
            return failure?.code == "locked-out" && failure?.remedy == .hold(.throttled, after: .seconds(300))
        }
    }

    @Test func `what the server could not look at is not taken for absent`() async throws {
        let fake = FakeCouch { request, _ in
            guard request.url.hasSuffix("_all_docs") else { return nil }
            return .json(200, ["rows": [["key": picture(1).id, "error": "timeout"]]])
        }
        await #expect { try await CouchPeer.fake(fake).tell([picture(1)]) } throws: {
            ($0 as? SubmitFailure)?.remedy == .tryAnother(after: nil)
        }
        // Nor is one of which it says nothing, or another of which it was not asked.
        for rows in [[], [["key": picture(2).id, "error": "not_found"]]] {
            let other = FakeCouch { request, _ in
                request.url.hasSuffix("_all_docs") ? .json(200, ["rows": rows]) : nil
            }
            await #expect(throws: SubmitFailure.self) { try await CouchPeer.fake(other).tell([picture(1)]) }
            #expect(other.sentBodies == 0)
        }
    }

    @Test(arguments: [429, 500, 502, 503, 504, 401, 404])
    func `a server in trouble is told as what it is`(_ status: Int) async throws {
        let fake = FakeCouch { request, _ in
            request.url.hasSuffix("_bulk_docs")
                ? HTTPResponse(status: status, headers: [("Retry-After", "7")], body: Array("oops".utf8)) : nil
        }
        let expected: Remedy =
            switch status {
            case 429: .hold(.throttled, after: .seconds(7))
            case 401: .renewCredentials
            case 404: .hold(.misconfigured, after: nil)
            default: .tryAnother(after: .seconds(7))
            }
        await #expect { try await CouchPeer.fake(fake).tell([picture(1)]) } throws: {
            ($0 as? SubmitFailure)?.remedy == expected
        }
    }

    @Test func `a login page is no database, and a secret that a server says again is not shown`() async throws {
        let page = FakeCouch { _, _ in
            HTTPResponse(status: 200, headers: [("Content-Type", "text/html")], body: Array("<html>Sign in".utf8))
        }
        await #expect { try await CouchPeer.fake(page).tell([picture(1)]) } throws: {
            ($0 as? SubmitFailure)?.remedy == .hold(.misconfigured, after: nil)
        }
        let echo = FakeCouch { _, _ in
            .error(400, "bad_request", "you are \(FakeCouch.user):\(FakeCouch.secret)")
        }
        await #expect { try await CouchPeer.fake(echo).tell([picture(1)]) } throws: {
            !($0 as! SubmitFailure).message.contains(FakeCouch.secret)
        }
    }

    @Test func `an attachment that is gone under a stub fails its own edit, and the others are told`() async throws {
        let losing = FakeCouch { request, fake throws(HTTPFailure) in
            // Somebody's compaction has taken the attachment.
            if request.url.hasSuffix("_bulk_docs") {
                fake.state.withLock { state in
                    for (id, document) in state.databases["photos"]! {
                        for revision in document.nodes.keys {
                            state.databases["photos"]![id]!.nodes[revision]!.attachments = [:]
                        }
                    }
                }
            }
            return nil
        }
        let peer = CouchPeer.fake(losing)
        let photo = Photo(seed: 1)
        let submitter = try peer.submitter(["attach": "original"])
        _ = try await submitter.submit(photo.item, bytes: photo.bytes, context: photo.context())
        let edited = photo.document.following(body: body("edited"))
        let outcomes = try await peer.tell([picture(1), edited, picture(2)])
        #expect(outcomes[0] == .told && outcomes[2] == .told)
        guard case .failed(let failure) = outcomes[1] else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(failure.remedy == .retry(after: nil))
    }

    /// All faults at random: what comes of it is what comes of none.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `random faults change nothing of what comes of it`(_ seed: UInt64) async throws {
        let numbers = Locked(SeededNumbers(seed: seed))
        @Sendable func draw(_ range: Range<Int>) -> Int { numbers.withLock { Int.random(in: range, using: &$0) } }
        let fake = FakeCouch { request, fake throws(HTTPFailure) in
            switch draw(0..<12) {
            case 0: return HTTPResponse(status: 429, headers: [("Retry-After", "0")])
            case 1: return .error(500, "unknown_error", "function_clause")
            case 2:
                _ = try await fake.answer(request)
                return .error(500, "unknown_error", "after it was done")
            case 3:
                _ = try await fake.answer(request)
                throw .broken("Connection reset by peer", afterBody: true)
            case 4: throw .broken("Connection reset by peer", afterBody: false)
            case 5: return .error(503, "service_unvailable", "")
            case 6:
                var answer = try await fake.answer(request)
                answer.body = Array(answer.body.prefix(draw(0..<max(1, answer.body.count - 1))))
                // Nothing but a whole answer can be read as one.
                return answer
            default: return nil
            }
        }
        let peer = CouchPeer.fake(fake)
        var documents = (0..<20).map { picture($0) }
        for _ in 0..<5 {
            for index in documents.indices where draw(0..<3) == 0 {
                documents[index] = documents[index].following(body: body("\(draw(0..<1000))"), isGone: draw(0..<6) == 0)
            }
            let outcomes = try await tellThrough(peer, documents, transport: fake)
            #expect(outcomes.allSatisfy { $0 == .told || $0 == .wasThere })
            let winners = fake.state.withLock { state in
                state.databases["photos"]!.mapValues { ($0.winner!, $0.leaves.count) }
            }
            for document in documents {
                #expect(winners[document.id]?.0 == document.revisions[0])
                #expect(winners[document.id]?.1 == 1)
            }
        }
    }
}
