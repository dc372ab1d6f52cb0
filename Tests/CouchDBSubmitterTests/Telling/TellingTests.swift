import Foundation
import Submit
import SubmitConcurrency
import SubmitDigest
import SubmitHTTP
import TestServers
import Testing

/// A picture's document, as a catalogue has it.
func picture(_ number: Int, _ caption: String = "harbour") -> CatalogueDocument {
    let digits = String(number, radix: 16)
    return CatalogueDocument(
        id: "picture:" + String(repeating: "0", count: 64 - digits.count) + digits, body: body(caption))
}

func body(_ caption: String) -> String {
    "{\"caption\":\"\(caption)\",\"name\":\"IMG_1.jpg\",\"owner\":\"me\",\"type\":\"picture\"}"
}

@Suite struct `Documents are told` {
    @Test(arguments: CouchPeer.Kind.there)
    func `once, and a second time no body is sent`(_ kind: CouchPeer.Kind) async throws {
        let peer = try await CouchPeer.peer(kind)
        let documents =
            (0..<1200).map { picture($0) } + [
                CatalogueDocument(id: "person:Zoë “Z” / 港", body: "{\"name\":\"Zoë\",\"type\":\"person\"}"),
                CatalogueDocument(id: "album:Journeys/2024", body: "{}"),
            ]
        #expect(Set(try await peer.tell(documents)) == [.told])
        let counting = CountingTransport(peer.transport)
        #expect(Set(try await peer.tell(documents, transport: counting)) == [.wasThere])
        #expect(counting.requests == Array(repeating: "_all_docs", count: 3))
        for document in [documents[0], documents[1200], documents[1201]] {
            #expect(try await peer.document(document.id)?["_rev"] as? String == document.revisions[0])
        }
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `an edit follows what it edited, also where some edits were never told`(_ kind: CouchPeer.Kind) async throws {
        let peer = try await CouchPeer.peer(kind)
        var document = picture(1)
        #expect(try await peer.tell([document]) == [.told])
        for caption in ["a", "b", "c"] { document = document.following(body: body(caption)) }
        #expect(try await peer.tell([document]) == [.told])
        let there = try await peer.object("GET", "/\(PercentEncoding.encode(document.id))?revs=true&conflicts=true")
        #expect(there["caption"] as? String == "c")
        #expect(there["_conflicts"] == nil)
        let history = try #require(there["_revisions"] as? [String: Any])
        #expect(history["start"] as? Int == 4)
        #expect(history["ids"] as? [String] == document.revisions.map { String($0.dropFirst(2)) })
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `what somebody changed is told of and not overwritten, the others are told`(
        _ kind: CouchPeer.Kind
    ) async throws {
        let peer = try await CouchPeer.peer(kind)
        let documents = [picture(1), picture(2)]
        _ = try await peer.tell(documents)
        let theirs = try await peer.edit(documents[0].id, "\"type\":\"picture\",\"caption\":\"theirs\"")
        let outcomes = try await peer.tell(documents.map { $0.following(body: body("ours")) })
        guard case .conflict(let sentence) = outcomes[0] else {
            Issue.record("\(outcomes[0])")
            return
        }
        #expect(sentence.contains("“IMG_1.jpg”") && sentence.contains("“couch”") && sentence.hasSuffix("."))
        #expect(outcomes[1] == .told)
        #expect(try await peer.document(documents[0].id)?["_rev"] as? String == theirs)
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `a conflict ends when both say the same, whoever says it and in whatever order`(
        _ kind: CouchPeer.Kind
    ) async throws {
        let peer = try await CouchPeer.peer(kind)
        let document = picture(1)
        _ = try await peer.tell([document])
        let theirs = try await peer.edit(
            document.id,
            #""type":"picture","owner":"me","name":"IMG_1.jpg","caption":"the same \u2603","sizes":[1,2.50,{"b":null,"a":true}]"#
        )
        for members in [
            #""caption":"the same ☃","name":"IMG_1.jpg","owner":"me","sizes":[1,2.5,{"a":true}],"type":"picture""#,
            #""caption":"the same ☃","name":"IMG_1.jpg","owner":"me","sizes":[2.5,1,{"a":true,"b":null}],"type":"picture""#,
        ] {
            guard case .conflict(let sentence) = try await peer.tell([document.following(body: "{\(members)}")])[0]
            else {
                Issue.record("\(members)")
                continue
            }
            #expect(sentence.contains("when both say the same"))
        }
        let same = document.following(
            body:
                #"{"caption":"the same ☃","name":"IMG_1.jpg","owner":"me","sizes":[1,2.5,{"a":true,"b":null}],"type":"picture"}"#
        )
        #expect(try await peer.tell([same, picture(2)]) == [.wasThere, .told])
        #expect(try await peer.document(document.id)?["_rev"] as? String == theirs)
        guard case .conflict = try await peer.tell([same.following(body: body("not the same"))])[0] else {
            Issue.record("ours was told")
            return
        }
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `what loses against ours is told of, too, before an edit hides it, and not once it is deleted`(
        _ kind: CouchPeer.Kind
    ) async throws {
        let peer = try await CouchPeer.peer(kind)
        let first = picture(1)
        let second = first.following(body: body("second"))
        _ = try await peer.tell([second])
        // The least of its generation.
        let theirs = "2-" + String(repeating: "0", count: 32)
        try await peer.merge(first.id, [theirs, first.revisions[0]])
        let third = second.following(body: body("third"))
        guard case .conflict(let sentence) = try await peer.tell([third, picture(2)])[0] else {
            Issue.record("no conflict")
            return
        }
        #expect(sentence.contains("revision 2-000"))
        #expect(try await peer.document(first.id)?["_rev"] as? String == second.revisions[0])
        try await peer.merge(first.id, ["3-" + String(repeating: "f", count: 32), theirs], isDeleted: true)
        let fourth = third.following(body: body("fourth"))
        #expect(try await peer.tell([fourth, picture(2)]) == [.told, .wasThere])
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `what somebody deleted is not brought back`(_ kind: CouchPeer.Kind) async throws {
        let peer = try await CouchPeer.peer(kind)
        let document = picture(1)
        _ = try await peer.tell([document])
        try await peer.edit(document.id, "\"type\":\"picture\"", deletes: true)
        #expect(try await peer.tell([document]) == [.removedThere])
        #expect(try await peer.tell([document.following(body: body("again"))]) == [.removedThere])
        #expect(try await peer.document(document.id) == nil)
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `a tombstone keeps type and owner, and what is remembered again comes back`(
        _ kind: CouchPeer.Kind
    ) async throws {
        let peer = try await CouchPeer.peer(kind)
        let document = picture(1)
        let gone = document.following(body: "{\"owner\":\"me\",\"type\":\"picture\"}", isGone: true)
        // One that was never there, too.
        let never = picture(2).following(body: "{\"owner\":\"me\",\"type\":\"picture\"}", isGone: true)
        _ = try await peer.tell([document])
        #expect(try await peer.tell([gone, never]) == [.told, .told])
        #expect(try await peer.tell([gone, never]) == [.wasThere, .wasThere])
        for one in [gone, never] {
            let there = try await peer.object("GET", "/\(PercentEncoding.encode(one.id))?rev=\(one.revisions[0])")
            #expect(there["_deleted"] as? Bool == true)
            #expect(there["type"] as? String == "picture" && there["owner"] as? String == "me")
        }
        let back = gone.following(body: body("back"))
        #expect(try await peer.tell([back]) == [.told])
        #expect(try await peer.document(back.id)?["caption"] as? String == "back")
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `one that is too large or malformed is refused alone`(_ kind: CouchPeer.Kind) async throws {
        let peer = try await CouchPeer.peer(kind)
        var documents = (0..<9).map { picture($0) }
        documents[2] = CatalogueDocument(id: "_wrong", body: body("x"))
        documents[5] = CatalogueDocument(id: documents[5].id, body: "{\"_secret\":1,\"type\":\"picture\"}")
        documents[7] = CatalogueDocument(
            id: documents[7].id, body: body(String(repeating: "x", count: 8_100_000)))
        let outcomes = try await peer.tell(documents, ["document_limit": "1GiB"])
        for (index, outcome) in outcomes.enumerated() {
            switch (index, outcome) {
            case (2, .failed(let failure)), (5, .failed(let failure)):
                #expect(failure.remedy == .giveUp)
            case (7, .failed(let failure)):
                #expect(failure.code == "too-large" && failure.message.contains("“IMG_1.jpg”"))
            default: #expect(outcome == .told, "\(index)")
            }
        }
        #expect(try await peer.winners(documents.map(\.id)).count == 6)
        // Known beforehand, it costs no request.
        let counting = CountingTransport(peer.transport)
        let outcome = try await peer.tell([documents[7]], transport: counting)
        guard case .failed(let failure) = outcome[0] else { throw failure("\(outcome)") }
        #expect(failure.code == "too-large")
        #expect(counting.requests == ["_all_docs"])
        await peer.remove()
    }

    @Test func `rows with errors are those documents' alone, whatever the status says`() async throws {
        let peer = CouchPeer.fake()
        let forbidden = CatalogueDocument(id: picture(2).id, body: "{\"forbidden\":1,\"type\":\"picture\"}")
        let outcomes = try await peer.tell([picture(1), forbidden, picture(3)])
        #expect(outcomes[0] == .told && outcomes[2] == .told)
        guard case .failed(let refusal) = outcomes[1] else { throw failure("\(outcomes)") }
        #expect(refusal.remedy == .giveUp && refusal.code == "denied")
    }

    @Test func `an id that occurs twice is told in its order`() async throws {
        let peer = CouchPeer.fake()
        let first = picture(1)
        let second = first.following(body: body("second"))
        #expect(try await peer.tell([first, second, second]) == [.told, .told, .wasThere])
        #expect(try await peer.document(first.id)?["caption"] as? String == "second")
    }

    @Test func `a thousand revisions are told, and of a longer history what is known joins them`() async throws {
        let peer = CouchPeer.fake()
        var document = picture(1)
        for number in 0..<1005 { document = document.following(body: body("\(number)")) }
        #expect(document.revisions.count == 1000)
        #expect(document.revisions[0].hasPrefix("1006-"))
        #expect(try await peer.tell([document]) == [.told])
        document = document.following(body: body("last"))
        #expect(try await peer.tell([document]) == [.told])
        #expect(try await peer.document(document.id)?["caption"] as? String == "last")
    }

    @Test func `a body cannot say what it is under`() async throws {
        let peer = CouchPeer.fake()
        let document = CatalogueDocument(
            id: picture(1).id, body: "{\"_id\":\"picture:other\",\"_deleted\":true,\"type\":\"picture\"}")
        _ = try await peer.tell([document])
        #expect(try await peer.winners(["picture:other"]).isEmpty)
    }

    @Test func `a database that is not there is waited for`() async throws {
        let peer = CouchPeer.fake(FakeCouch(databases: []))
        await #expect { try await peer.tell([picture(1)]) } throws: { error in
            (error as? SubmitFailure)?.remedy == .hold(.misconfigured, after: nil)
        }
    }

    private func failure(_ text: String) -> SubmitFailure { SubmitFailure(.giveUp, code: "test", message: text) }
}

/// Counts what goes to a database.
final class CountingTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let seen = Locked<[String]>([])

    init(_ transport: any HTTPTransport) { self.transport = transport }

    /// The last parts of the paths.
    var requests: [String] { seen.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        seen.withLock { $0.append(String(request.url.split(separator: "?")[0].split(separator: "/").last ?? "")) }
        return try await transport.send(request)
    }
}
