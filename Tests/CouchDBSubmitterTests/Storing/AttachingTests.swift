import Foundation
import Submit
import SubmitConcurrency
import SubmitDigest
import SubmitHTTP
import TestServers
import Testing

@Suite struct `Photos are attached where that is asked for` {
    private let attaching = ["attach": "original"]

    private func submit(
        _ photo: Photo, _ peer: CouchPeer, _ settings: [String: String], _ context: SubmissionContext? = nil
    ) async throws -> Receipt {
        try await peer.submitter(settings).submit(photo.item, bytes: photo.bytes, context: context ?? photo.context())
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `the photo and its document arrive in one request, verified by the digest of the server`(
        _ kind: CouchPeer.Kind
    ) async throws {
        let peer = try await CouchPeer.peer(kind)
        let photo = Photo(seed: 1)
        let counting = CountingTransport(peer.transport)
        let submitter = try peer.submitter(attaching, transport: counting)
        let receipt = try await submitter.submit(photo.item, bytes: photo.bytes, context: photo.context())
        #expect(receipt.evidence == .verified && !receipt.wasThere)
        #expect(counting.requests.count == 3)
        let again = try await submit(photo, peer, attaching)
        #expect(again.wasThere && again.evidence == .verified && again.note == nil)
        #expect(try await peer.attached() == [photo.document.id: try photo.bytes.bytes(in: 0..<photo.bytes.size)])
        #expect(receipt.url?.contains("@") == false && receipt.url?.contains(peer.password) == false)
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `a copy stays where its picture is forgotten, and is found when it is remembered`(
        _ kind: CouchPeer.Kind
    ) async throws {
        let peer = try await CouchPeer.peer(kind)
        let photo = Photo(seed: 1)
        let receipt = try await submit(photo, peer, attaching)
        let gone = photo.document.following(body: "{\"owner\":\"me\",\"type\":\"picture\"}", isGone: true)
        // Whichever destination of the same database says it.
        #expect(try await peer.tell([gone]) == [.told])
        #expect(try await peer.tell([gone], attaching) == [.wasThere])
        let there = try #require(try await peer.document(gone.id))
        #expect(Set(there.keys) == ["_id", "_rev", "_attachments", "owner", "type"], "\(there)")
        let presence = try #require(try peer.submitter(attaching).facets.presence)
        #expect(await presence.presence(of: photo.item, receipt: receipt) == .present(.verified))
        let back = gone.following(body: body("back"))
        #expect(try await peer.tell([back], attaching) == [.told])
        #expect(try await peer.document(back.id)?["caption"] as? String == "back")
        #expect(try await peer.attached() == [photo.document.id: try photo.bytes.bytes(in: 0..<photo.bytes.size)])
        #expect(try await peer.object("GET", "/\(PercentEncoding.encode(back.id))?conflicts=true")["_conflicts"] == nil)
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `edits keep what is attached, whether it was attached first or last`(_ kind: CouchPeer.Kind) async throws {
        let peer = try await CouchPeer.peer(kind)
        let photos = [Photo(seed: 1), Photo(seed: 2)]
        _ = try await submit(photos[0], peer, attaching)
        _ = try await peer.tell([photos[1].document])
        _ = try await submit(photos[1], peer, attaching)
        // Edited twice, of which once was not told; by a destination that attaches nothing, too.
        let edited = photos.map { $0.document.following(body: body("a")).following(body: body("b")) }
        #expect(try await peer.tell(edited) == [.told, .told])
        #expect(try await peer.tell(edited, attaching) == [.wasThere, .wasThere])
        for document in edited {
            let there = try #require(try await peer.document(document.id))
            #expect(there["caption"] as? String == "b")
        }
        #expect(try await peer.attached().count == 2)
        // What was edited before the photo was submitted again is told with it.
        let last = edited[0].following(body: body("c"))
        let receipt = try await submit(photos[0], peer, attaching, photos[0].context(last))
        #expect(receipt.wasThere && receipt.evidence == .verified)
        #expect(try await peer.document(last.id)?["caption"] as? String == "c")
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `what the server compresses is read back whole, as its digest is of something else`(
        _ kind: CouchPeer.Kind
    ) async throws {
        let peer = try await CouchPeer.peer(kind)
        let text = Photo(
            Array(String(repeating: "<x:xmpmeta/>\n", count: 900).utf8),
            type: MediaType(kind: .other, mime: "text/xml", filenameExtension: "xmp"))
        let counting = CountingTransport(peer.transport)
        let submitter = try peer.submitter(attaching, transport: counting)
        let receipt = try await submitter.submit(text.item, bytes: text.bytes, context: text.context())
        #expect(receipt.evidence == .verified)
        #expect(counting.requests.last == "media")
        let presence = try #require(submitter.facets.presence)
        #expect(await presence.presence(of: text.item, receipt: receipt) == .present(.verified))
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `a film is read back once if something before the server answers a range with everything`(
        _ kind: CouchPeer.Kind
    ) async throws {
        let peer = try await CouchPeer.peer(kind)
        let film = Photo(
            (0..<9 << 20).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) },
            type: MediaType(kind: .video, mime: "video/mp4", filenameExtension: "mp4"))
        let front = RangelessTransport(peer.transport)
        let submitter = try peer.submitter(attaching, transport: front)
        let context = film.context(verification: .readback)
        let receipt = try await submitter.submit(film.item, bytes: film.bytes, context: context)
        #expect(receipt.evidence == .verified && front.ranges == 1)
        let presence = try #require(submitter.facets.presence)
        #expect(await presence.presenceReadBack(of: film.item, receipt: receipt) == .present(.verified))
        #expect(front.ranges == 2)
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `a photo that somebody deleted there is not sent again`(_ kind: CouchPeer.Kind) async throws {
        let peer = try await CouchPeer.peer(kind)
        let photo = Photo(seed: 1)
        _ = try await submit(photo, peer, attaching)
        try await peer.edit(photo.document.id, "\"type\":\"picture\"", deletes: true)
        for policy in ConflictPolicy.allCases {
            var context = SubmissionContext(submission: "test-2", onConflict: policy)
            context.document = photo.document.following(body: body("edited"))
            await #expect {
                try await submit(photo, peer, attaching, context)
            } throws: { error in
                let failure = error as! SubmitFailure
                return failure.code == "removed-there" && failure.remedy == .giveUp
                    && failure.message.contains("“IMG_1.jpg”")
            }
        }
        #expect(try await peer.attached().isEmpty)
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `where somebody changed its document, a photo that is there counts, with a note`(
        _ kind: CouchPeer.Kind
    ) async throws {
        let peer = try await CouchPeer.peer(kind)
        let (photo, other) = (Photo(seed: 1), Photo(seed: 2))
        _ = try await submit(photo, peer, attaching)
        try await peer.edit(
            photo.document.id,
            "\"type\":\"picture\",\"caption\":\"theirs\",\"_attachments\":{\"media\":{\"stub\":true}}")
        let receipt = try await submit(photo, peer, attaching)
        #expect(receipt.wasThere && receipt.evidence == .verified)
        #expect(receipt.note?.contains("changed") == true)
        #expect(try await peer.document(photo.document.id)?["caption"] as? String == "theirs")
        // And one that is not there does not.
        try await peer.edit(other.document.id, "\"type\":\"picture\"")
        await #expect { try await submit(other, peer, attaching) } throws: {
            ($0 as! SubmitFailure).code == "changed-there"
        }
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `other bytes of the same length are never called verified`(_ kind: CouchPeer.Kind) async throws {
        let peer = try await CouchPeer.peer(kind)
        let photo = Photo(seed: 1)
        let receipt = try await submit(photo, peer, attaching)
        let presence = try #require(try peer.submitter(attaching).facets.presence)
        for (count, difference) in [(3000, Difference.digest), (2999, .size)] {
            let other = Data(repeating: 7, count: count).base64EncodedString()
            try await peer.edit(
                photo.document.id,
                "\"type\":\"picture\",\"_attachments\":{\"media\":{\"content_type\":\"image/jpeg\",\"data\":\"\(other)\"}}"
            )
            #expect(await presence.presence(of: photo.item, receipt: receipt) == .changed(difference))
            #expect(await presence.presenceReadBack(of: photo.item, receipt: receipt) == .changed(difference))
            await #expect { try await submit(photo, peer, attaching) } throws: {
                ($0 as! SubmitFailure).code == "changed-there"
            }
        }
        await peer.remove()
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `what somebody made of a document is no answer that was cut`(_ kind: CouchPeer.Kind) async throws {
        let peer = try await CouchPeer.peer(kind)
        let photo = Photo(seed: 1)
        _ = try await submit(photo, peer, attaching)
        try await peer.edit(photo.document.id, "\"type\":{\"a\":1},\"albums\":\"none\",\"name\":7")
        await #expect { try await submit(photo, peer, attaching) } throws: {
            ($0 as! SubmitFailure).code == "changed-there"
        }
        let submitter = try peer.submitter(attaching)
        let removal = try #require(submitter.facets.removal)
        try await submitter.facets.albums?.create("Summer")
        try await removal.removeAlbum("Summer")
        #expect(try await submitter.facets.albums?.list() == [])
        // It is no picture any more.
        await #expect { try await removal.remove(Receipt(remoteID: photo.document.id, evidence: .verified)) } throws: {
            ($0 as! SubmitFailure).remedy == .giveUp
        }
        await peer.remove()
    }

    @Test func `what a server stored damaged is taken back, and told`() async throws {
        let fake = FakeCouch { request, fake throws(HTTPFailure) in
            guard request.url.contains("new_edits=false") else { return nil }
            let answer = try await fake.answer(request)
            fake.state.withLock { state in
                for (id, document) in state.databases["photos"]! {
                    for revision in document.nodes.keys {
                        state.databases["photos"]![id]!.nodes[revision]!.attachments["media"]?.bytes[0] ^= 1
                    }
                }
            }
            return answer
        }
        let peer = CouchPeer.fake(fake)
        await #expect { try await submit(Photo(seed: 1), peer, attaching) } throws: {
            ($0 as! SubmitFailure).code == "damaged"
        }
        #expect(try await peer.attached().isEmpty)
    }

    @Test func `what somebody writes while a photo is uploaded stays, and nothing is put before it`() async throws {
        let hasWritten = Locked(false)
        let fake = FakeCouch { request, fake throws(HTTPFailure) in
            guard request.url.contains("new_edits=false"),
                !hasWritten.withLock({ done in
                    defer { done = true }
                    return done
                })
            else { return nil }
            let peer = CouchPeer.fake(fake)
            let id = Photo(seed: 1).document.id
            _ = try? await peer.edit(id, "\"type\":\"picture\",\"caption\":\"theirs\"")
            return nil
        }
        let peer = CouchPeer.fake(fake)
        let photo = Photo(seed: 1)
        await #expect { try await submit(photo, peer, attaching) } throws: {
            ($0 as! SubmitFailure).remedy == .retry(after: nil)
        }
        #expect(try await peer.document(photo.document.id)?["caption"] as? String == "theirs")
        await #expect { try await submit(photo, peer, attaching) } throws: {
            ($0 as! SubmitFailure).code == "changed-there"
        }
    }

    @Test(arguments: [409, 412, 413, 403, 429, 500, 503, 507])
    func `an upload that is refused is told as what it is, and leaves nothing`(_ status: Int) async throws {
        let fake = FakeCouch { request, _ in
            request.method == "PUT" ? .error(status, "some_error", "for a reason") : nil
        }
        let expected: Remedy =
            switch status {
            case 409, 412: .retry(after: nil)
            case 403, 413: .giveUp
            case 429: .hold(.throttled, after: nil)
            case 507: .hold(.full, after: nil)
            default: .tryAnother(after: nil)
            }
        await #expect { try await submit(Photo(seed: 1), .fake(fake), attaching) } throws: {
            ($0 as! SubmitFailure).remedy == expected && ($0 as! SubmitFailure).message.contains("“IMG_1.jpg”")
        }
        #expect(fake.state.withLock { $0.databases["photos"]!.isEmpty })
    }

    @Test func `what is told while its photo is uploaded is told later, and makes no conflict`() async throws {
        let photo = Photo(seed: 1)
        let edited = photo.document.following(body: body("edited"))
        let meanwhile = Locked<[CatalogueOutcome]>([])
        let fake = FakeCouch { request, fake throws(HTTPFailure) in
            guard request.url.contains("new_edits=false") else { return nil }
            let outcomes = try? await CouchPeer.fake(fake).tell([edited, picture(1)])
            meanwhile.withLock { $0 = outcomes ?? [] }
            return nil
        }
        let peer = CouchPeer.fake(fake)
        #expect(try await submit(photo, peer, attaching).evidence == .verified)
        let outcomes = meanwhile.withLock { $0 }
        guard case .failed(let failure)? = outcomes.first else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(failure.remedy == .retry(after: nil) && outcomes.last == .told)
        #expect(try await peer.tell([edited]) == [.told])
        #expect(try await peer.attached().count == 1)
        let leaves = fake.state.withLock { $0.databases["photos"]![photo.document.id]!.leaves }
        #expect(leaves.count == 1)
    }

    @Test func `a server in trouble that stored it all the same is believed by looking`() async throws {
        let fake = FakeCouch { request, fake throws(HTTPFailure) in
            guard request.method == "PUT" else { return nil }
            _ = try await fake.answer(request)
            return .error(500, "unknown_error", "function_clause")
        }
        let receipt = try await submit(Photo(seed: 1), .fake(fake), attaching)
        #expect(receipt.evidence == .verified)
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `without it the document alone is sent, and nothing there is called a copy`(
        _ kind: CouchPeer.Kind
    ) async throws {
        let peer = try await CouchPeer.peer(kind)
        let photo = Photo(seed: 1)
        let submitter = try peer.submitter()
        #expect(!submitter.capabilities.keepsBytes && submitter.capabilities.proves == .accepted)
        #expect(submitter.capabilities.maximumSize.isEmpty && !submitter.capabilities.canReadBack)
        // As library users submit, without a catalogue.
        let context = SubmissionContext(submission: "test-1", album: "Summer/Sea")
        let receipt = try await submitter.submit(photo.item, bytes: photo.bytes, context: context)
        #expect(receipt.evidence == .accepted && !receipt.wasThere)
        let again = try await submitter.submit(photo.item, bytes: photo.bytes, context: context)
        #expect(again.wasThere && again.remoteID == receipt.remoteID)
        let presence = try #require(submitter.facets.presence)
        #expect(await presence.presence(of: photo.item, receipt: receipt) == .present(.accepted))
        let there = try #require(try await peer.document(receipt.remoteID))
        #expect(there["albums"] as? [String] == ["Summer/Sea"] && there["_attachments"] == nil)
        #expect(there["sha256"] as? String == photo.item.digests.hexadecimal(.sha256))
        #expect(try await submitter.facets.albums?.list() == ["Summer/Sea"])
        let text = String(decoding: try JSONSerialization.data(withJSONObject: there), as: UTF8.self)
        #expect(!text.contains(peer.password) && !text.contains("/card"))
        await peer.remove()
    }

    @Test func `a target is told without a request, and is where the receipt says`() async throws {
        let peer = CouchPeer.fake()
        let photo = Photo(seed: 1)
        let submitter = try peer.submitter(attaching)
        let target = try await submitter.facets.target?.target(of: photo.item, album: nil)
        #expect(peer.fake?.log == [])
        let receipt = try await submitter.submit(photo.item, bytes: photo.bytes, context: photo.context())
        #expect(target?.remoteID == receipt.remoteID && target?.url == receipt.url)
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `an album that was removed can be made again, and one with pictures stays`(
        _ kind: CouchPeer.Kind
    ) async throws {
        let peer = try await CouchPeer.peer(kind)
        let submitter = try peer.submitter()
        let (albums, removal) = (try #require(submitter.facets.albums), try #require(submitter.facets.removal))
        let names = ["a/b", "Ä „x“", "z\u{10ffff}"] + (0..<5).map { "n\($0)" }
        for name in names + names { try await albums.create(name) }
        #expect(try await albums.list() == names.sorted())
        try await removal.removeAlbum("a/b")
        #expect(try await albums.list().contains("a/b") == false)
        for _ in 1...2 { try await albums.create("a/b") }
        #expect(try await albums.list().contains("a/b"))
        await peer.remove()
    }
}
