import Submit
import SubmitCatalogue
import SubmitStore
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The catalogue, at every store,` {
    private func all(_ store: any Store) async throws -> [CataloguePicture] {
        try await store.pictures(try CatalogueQuery(order: [.newest])).pictures
    }

    private func accept(
        _ store: any Store, _ digest: UInt8, caption: String? = nil, tags: [String] = [], album: String? = nil,
        to destinations: [String] = ["a"]
    ) async throws {
        try await store.accept([.published(digest, caption: caption, tags: tags, album: album, to: destinations)])
    }

    @Test(arguments: StoreMaker.all)
    func `has a picture with its first receipt, and its copies with theirs`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        store.owner = "anna"
        try await accept(store, 1, caption: "Am Hafen", tags: ["sea", "boat"], album: "Hamburg", to: ["a", "b"])
        let worker = try await store.makeWorker()
        #expect(try await all(store).isEmpty, "it waits")
        let first = try #require(try await worker.take("a").first)
        let facts = PictureFacts(
            width: 640, height: 480, place: CataloguePlace(latitude: 53.5, longitude: 9.9),
            captured: CaptureTime("2026-05-17T18:42:07+02:00"))
        try await store.settle(
            first, .done(Receipt(remoteID: "x", url: "https://a/x", evidence: .verified), facts: facts))
        let picture = try #require(try await all(store).first)
        #expect(picture.caption == "Am Hafen" && picture.tags == ["sea", "boat"] && picture.albums == ["Hamburg"])
        #expect(picture.owner == "anna" && picture.width == 640 && picture.place?.longitude == 9.9)
        #expect(picture.captured == WallClockTime(CaptureTime("2026-05-17T18:42:07+02:00")!))
        #expect(picture.copies == [CatalogueCopy(destination: "a", evidence: "verified", url: "https://a/x")])
        let second = try #require(try await worker.take("b").first)
        try await store.settle(second, .done(.stored("y", .size)))
        #expect(try await all(store).map { $0.copies.map(\.destination) } == [["a", "b"]])
        #expect(try await store.catalogueFlaws().isEmpty)
    }

    @Test(arguments: StoreMaker.all)
    func `has nothing of what failed, was cancelled or is another file of its name`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        for digest in 1...3 { try await accept(store, UInt8(digest)) }
        let claims = try await store.makeWorker().take()
        try await store.settle(claims[0], .failed(.scripted))
        try await store.settle(claims[1], .cancelled)
        try await store.settle(
            claims[2],
            .done(Receipt(remoteID: "x", evidence: .unknown, wasThere: true, note: "Something else is there.")))
        #expect(try await all(store).isEmpty)
        #expect(try await store.catalogueFlaws().isEmpty)
    }

    @Test(arguments: StoreMaker.all)
    func `has the same bytes once, and what is said of them first`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let worker = try await store.makeWorker()
        for (caption, tag, album) in [("One", "x", "A"), ("Two", "y", "B")] {
            try await accept(store, 1, caption: caption, tags: [tag], album: album)
            for claim in try await worker.take() { try await store.settle(claim, .done(.stored(album))) }
        }
        let pictures = try await all(store)
        #expect(pictures.map(\.caption) == ["One"])
        #expect(pictures.map(\.tags) == [["x", "y"]] && pictures.map(\.albums) == [["A", "B"]])
        #expect(pictures.map { $0.copies.map(\.destination) } == [["a", "a"]])
    }

    @Test(arguments: StoreMaker.all)
    func `tells a copy once, however many submissions speak of it, as what proves it`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let worker = try await store.makeWorker()
        for evidence in [Evidence.size, .verified, .size] {
            try await accept(store, 1)
            for claim in try await worker.take() { try await store.settle(claim, .done(.stored("x", evidence))) }
        }
        #expect(try await all(store).map(\.copies) == [[CatalogueCopy(destination: "a", evidence: "verified")]])
    }

    @Test(arguments: StoreMaker.all)
    func `is edited by revisions, of which each tells what it changed`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        try await accept(store, 1, caption: "Before", tags: ["x", "y"])
        for claim in try await store.makeWorker().take() { try await store.settle(claim, .done(.stored())) }
        let id = try #require(try await all(store).first?.id)
        var change = PictureChange()
        change.title = .replaced("Harbour")
        change.caption = .removed
        change.tags = PictureChange.Names(added: ["z", "y"], removed: ["x"])
        change.isPlaceShown = true
        let changed = try await store.describe([id, id + 1], change, by: "bert")
        if place.remembers { #expect(changed.map(\.title) == ["Harbour"]) }
        place.clock.advance(by: .seconds(1))
        var again = PictureChange()
        again.albums.added = ["Best of"]
        again.title = .replaced("Harbour")
        _ = try await store.describe([id], again, by: "carla")
        let picture = try #require(try await all(store).first)
        #expect(picture.title == "Harbour" && picture.caption == nil && picture.tags == ["y", "z"])
        #expect(picture.albums == ["Best of"] && picture.isPlaceShown)
        let revisions = try await store.revisions(of: id)
        #expect(revisions.map(\.number) == [2, 3] && revisions.map(\.editor) == ["bert", "carla"])
        #expect(
            revisions.map { $0.differences.keys.sorted() } == [["caption", "placeShown", "tags", "title"], ["albums"]])
        #expect(revisions[0].differences["tags"].map { [$0.was, $0.now] } == [["x", "y"], ["y", "z"]])
        #expect(revisions[1].edited - revisions[0].edited == 1_000_000_000)
        #expect(try await store.describe([id], again, by: "carla").isEmpty, "nothing is changed by it")
        #expect(try await store.catalogueFlaws().isEmpty)
    }

    @Test(arguments: StoreMaker.all)
    func `leaves out what was forgotten, also when it is sent again, until it is recalled`(
        maker: StoreMaker
    ) async throws {
        let place = maker.place()
        let store = try place.open()
        let worker = try await store.makeWorker()
        for digest in 1...2 { try await accept(store, UInt8(digest), caption: "\(digest)", tags: ["x"]) }
        for claim in try await worker.take() { try await store.settle(claim, .done(.stored())) }
        let ids = try await all(store).map(\.id)
        let forgotten = Array(repeating: UInt8(2), count: 32)
        #expect(try await !store.isForgotten(forgotten))
        let count = try await store.forget([ids[0], 999])
        #expect(try await store.isForgotten(forgotten))
        if place.remembers { #expect(count == 1) }
        try await accept(store, 2, to: ["b"])
        for claim in try await worker.take("b") { try await store.settle(claim, .done(.stored())) }
        #expect(try await all(store).map(\.caption) == ["1"])
        #expect(try await store.catalogueFlaws().isEmpty)
        let recalled = try await store.recall([Array(repeating: 2, count: 32), Array(repeating: 9, count: 32)])
        if place.remembers { #expect(recalled == 1) }
        let pictures = try await all(store)
        #expect(pictures.map(\.caption) == ["2", "1"])
        #expect(pictures[0].copies.map(\.destination) == ["a", "b"])
        #expect(try await store.catalogueFlaws().isEmpty)
    }

    @Test(arguments: StoreMaker.all)
    func `finds words behind the receipts, and looks all through anew without losing what people say`(
        maker: StoreMaker
    ) async throws {
        let store = try maker.place().open()
        let worker = try await store.makeWorker()
        for digest in 1...5 { try await accept(store, UInt8(digest), caption: "Harbour \(digest)") }
        for claim in try await worker.take() { try await store.settle(claim, .done(.stored())) }
        func found(_ words: String) async throws -> Int {
            try await store.countPictures(.everything, try SearchWords(words))
        }
        #expect(try await found("harbour") == 0)
        while try await store.catchUp() {}
        #expect(try await found("harbour") == 5)
        var change = PictureChange()
        change.caption = .replaced("Lighthouse")
        _ = try await store.describe([try await all(store)[0].id], change, by: "anna")
        for _ in 0..<2 {
            while try await store.catchUp() {}
            #expect(try await found("harbour") == 4)
            #expect(try await found("lighthouse") == 1)
            #expect(try await store.catalogueFlaws().isEmpty)
            try await store.rebuildCatalogue()
        }
        #expect(try await store.distinct(.caption, .everything, nil, after: nil, limit: 1) == [.text("Harbour 1")])
    }

    @Test(arguments: StoreMaker.all)
    func `tells those who keep one what they have yet to hear, with a chain of revisions, and nobody else`(
        maker: StoreMaker
    ) async throws {
        let store = try maker.place().open()
        store.owner = "anna"
        let worker = try await store.makeWorker()
        try await accept(store, 1, caption: "One", album: "A", to: ["a", "b"])
        try await accept(store, 2, caption: "Two", to: ["b"])
        let claim = try #require(try await worker.take("a").first)
        let facts = PictureFacts(place: CataloguePlace(latitude: 53, longitude: 9))
        let first = try #require(try await store.document(of: claim, facts))
        #expect(try await store.document(of: claim, facts) == first, "nothing has changed")
        #expect(first.revisions.count == 1 && first.revisions[0].hasPrefix("1-"))
        #expect(!first.body.contains("53") && first.body.contains(#""owner":"anna""#), "\(first.body)")
        try await store.settle(claim, .done(.stored(), facts: facts))
        for claim in try await worker.take("b") {
            try await store.settle(claim, .done(Receipt(remoteID: "x", url: "https://b/x", evidence: .verified)))
        }
        #expect(try await store.untold(at: "b", limit: 9).isEmpty, "it keeps none")
        let untold = try await store.untold(at: "a", limit: 9)
        let second = try #require(untold.first?.documents.last)
        #expect(untold.count == 1 && untold[0].documents.map(\.id) == ["person:anna", "album:A", first.id])
        #expect(second.revisions.count == 2 && second.revisions[1] == first.revisions[0])
        #expect(second.body.contains("https://b/x"))
        #expect(try await store.untoldTallies().map(\.waiting) == [1])
        // Somebody edits it while it is told.
        let id = untold[0].picture
        var change = PictureChange()
        change.isPlaceShown = true
        _ = try await store.describe([id], change, by: "bert")
        try await store.noteTold(untold, at: "a", troubles: [:])
        let edited = try await store.untold(at: "a", limit: 9)
        #expect(edited.first?.documents.last?.revisions.count == 3)
        #expect(edited.first?.documents.last?.body.contains(#""location":{"lat":53.0,"lng":9.0}"#) == true)
        try await store.noteTold(edited, at: "a", troubles: [id: .scripted])
        #expect(try await store.untold(at: "a", limit: 9).isEmpty, "it waits for somebody")
        #expect(try await store.untoldTallies().map(\.sentence) == ["It failed."])
        try await store.tellAgain(at: ["a"])
        #expect(try await store.untold(at: "a", limit: 9).map(\.picture) == [id])
        _ = try await store.forget([id])
        let gone = try await store.untold(at: "a", limit: 9)
        let tombstone = try #require(gone.first?.documents.last)
        #expect(gone.count == 1 && gone[0].documents.count == 1 && tombstone.isGone && tombstone.id == first.id)
        #expect(tombstone.revisions.count == 4 && !tombstone.body.contains("One"))
        try await store.noteTold(gone, at: "a", troubles: [:])
        #expect(try await store.untoldTallies().isEmpty)
    }
}

extension NewItem {
    /// A photo of its own bytes.
    static func published(
        _ digest: UInt8, caption: String? = nil, tags: [String] = [], album: String? = nil, to destinations: [String]
    ) -> NewItem {
        var new = NewItem.photo("\(digest).jpg", to: destinations)
        new.item.digests = Digests([.sha256: Array(repeating: digest, count: 32)])
        (new.item.caption, new.item.tags, new.item.captured) = (caption, tags, nil)
        for index in new.submissions.indices { new.submissions[index].album = album }
        return new
    }
}
