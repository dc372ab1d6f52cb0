import Submit
import SubmitStore
import Testing

@Suite(.timeLimit(.minutes(2))) struct `What is made for a destination, at every store,` {
    private func rendition(_ byte: UInt8, engine: String = "test 1") -> Rendition {
        var digests = Digests()
        digests[.sha256] = [UInt8](repeating: byte, count: 32)
        digests[.md5] = [UInt8](repeating: byte, count: 16)
        return Rendition(
            engine: engine, size: 7, type: MediaType(kind: .photo, mime: "image/webp", filenameExtension: "webp"),
            digests: digests)
    }

    @Test(arguments: StoreMaker.all)
    func `is kept under its recipe, and shown with what was accepted`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        var photo = NewItem.photo(to: ["a", "b"])
        photo.submissions[0].recipe = "strip=gps"
        try await store.accept([photo])
        let worker = try await store.makeWorker()
        let claim = try #require(try await worker.take("a").first)
        #expect(claim.recipe == "strip=gps")
        #expect(try await store.rendition(of: claim.id) == nil)
        #expect(try await store.keep(rendition(1), by: "strip=gps", for: claim))
        #expect(try await store.rendition(of: claim.id) == rendition(1))
        try await store.settle(claim, .done(.stored()))
        let record = try #require(try await store.record(claim.id))
        #expect(record.recipe == "strip=gps" && record.rendition == rendition(1))
        #expect(record.content.size == 7 && record.content.type == rendition(1).type)
        let other = try #require(try await worker.take("b").first)
        #expect(other.recipe == nil)
        #expect(try #require(try await store.record(other.id)).content == other.item)
    }

    @Test(arguments: StoreMaker.all)
    func `tallies count the bytes of renditions in place of their originals`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        var photo = NewItem.photo(to: ["a", "b"])
        photo.submissions[0].recipe = "strip=gps"
        let original = photo.item.size
        #expect(original != rendition(1).size)
        let batch = try await store.accept([photo]).batch
        let other = try await store.accept([.photo(to: ["a"])]).batch
        let worker = try await store.makeWorker()
        let claim = try #require(try await worker.take("a", limit: 1).first)
        let selections = [SubmissionSelection(batch: batch), SubmissionSelection()]
        func sizes(_ selection: SubmissionSelection) async throws -> [String: Int64] {
            let tallies = try await store.tallies(selection).filter { $0.batch == batch }
            return Dictionary(uniqueKeysWithValues: tallies.map { ("\($0.destination) \($0.state.name)", $0.bytes) })
        }
        for selection in selections {
            #expect(try await sizes(selection) == ["a running": original, "b waiting": original])
        }
        #expect(try await store.keep(rendition(1), by: "strip=gps", for: claim))
        for selection in selections { #expect(try await sizes(selection) == ["a running": 7, "b waiting": original]) }
        try await store.settle(claim, .done(.stored()))
        for selection in selections { #expect(try await sizes(selection) == ["a done": 7, "b waiting": original]) }
        #expect(try await store.tallies(SubmissionSelection(submission: claim.id)).map(\.bytes) == [7])
        #expect(try await store.tallies(SubmissionSelection(batch: other)).map(\.bytes) == [original])
    }

    @Test(arguments: StoreMaker.all)
    func `lets a checkpoint of other bytes go, and nobody keep it without the claim`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        try await store.accept([.photo(to: ["a"])])
        let worker = try await store.makeWorker()
        let stale = try #require(try await worker.take("a").first)
        #expect(try await store.keep(rendition(1), by: "strip=gps", for: stale))
        #expect(try await store.keep(Checkpoint(data: [9]), for: stale))
        try await store.settle(stale, .released)
        let claim = try #require(try await worker.take("a").first)
        #expect(try await store.keep(rendition(2), by: "strip=gps", for: stale) == false)
        #expect(try await store.keep(rendition(1, engine: "test 2"), by: "strip=gps", for: claim))
        #expect(try await store.checkpoints(destination: "a", of: claim.id).count == 1, "the same bytes")
        #expect(try await store.keep(rendition(2), by: "strip=gps", for: claim))
        #expect(try await store.checkpoints(destination: "a", of: claim.id).isEmpty)
        #expect(try await store.rendition(of: claim.id) == rendition(2))
    }

    @Test(arguments: StoreMaker.all)
    func `is another wish than the original, and than another recipe`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        var photo = NewItem.photo(to: ["a"])
        photo.submissions[0].recipe = "strip=gps"
        try await store.accept([photo])
        let digest = try #require(photo.item.digests[.sha256])
        let known = try await store.known(
            sources: [SourceQuery(path: photo.item.source, likeness: .bytes(digest))])
        func isKnown(_ recipe: String?, isUsual: Bool = false) -> Bool {
            var wish = NewSubmission(destination: "a", recipe: recipe)
            wish.isRecipeUsual = isUsual
            return known.first?.submission(insteadOf: wish, caption: photo.item.caption, tags: photo.item.tags) != nil
        }
        #expect(
            isKnown("strip=gps") && !isKnown(nil) && !isKnown("original") && !isKnown("strip=all")
                && !isKnown("strip=all", isUsual: true))
    }
}
