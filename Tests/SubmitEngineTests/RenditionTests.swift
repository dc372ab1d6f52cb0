import Foundation
import Submit
import SubmitConcurrency
import SubmitDigest
import SubmitJournal
import SubmitStore
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitEngine

/// `a` is public, `b` is not.
@Suite struct RenditionTests {
    private static var seen: Capabilities {
        var capabilities = InMemorySubmitter.capabilities
        capabilities.visibility = .public
        return capabilities
    }

    private func shop() throws -> Workshop { try Workshop(["a": Self.seen, "b": InMemorySubmitter.capabilities]) }

    /// A photo with a place, of Tests/Media.
    private func photo(_ shop: Workshop, _ name: String = "harbour.jpg", from source: String = "harbour.jpg") throws {
        let media = ("\(#filePath)/../../Media" as NSString).standardizingPath
        try FileManager.default.copyItem(
            atPath: "\(media)/\(source)", toPath: shop.folder.appending("photos").appending(name).string)
    }

    private func request(_ shop: Workshop, to names: [String] = ["a", "b"]) -> SubmitRequest {
        SubmitRequest(paths: [shop.folder.appending("photos")], destinations: names, skipsUnchanged: true)
    }

    private func digest(_ bytes: [UInt8]?) async throws -> [UInt8]? {
        guard let bytes else { return nil }
        return try await Digests.computed([.sha256], of: MemoryBytes(bytes))[.sha256]
    }

    private func leftovers(_ shop: Workshop) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: shop.journal.renditions.string)) ?? []
    }

    @Test
    func `what is public gets no place, what is private the original, and the journal knew before the first byte`()
        async throws
    {
        let shop = try shop()
        try photo(shop)
        let known = Locked<Rendition?>(nil)
        shop["a"].script = { [journal = shop.journal] moment, item, _ in
            guard moment == .beforeSending else { return .success(()) }
            let record = try? await journal.submissions(SubmissionSelection(destination: "a")).first
            known.withLock { $0 = record?.rendition }
            // Who reads the source by its path is not to get the original.
            let there = try? Data(contentsOf: URL(fileURLWithPath: item.source.string))
            return there?.count == Int(item.size) ? .success(()) : .failure(.cancelled)
        }
        let batch = try await shop.manager.accept(request(shop)).batch
        try await shop.run(batch)
        let original = try Array(Data(contentsOf: shop.source("harbour.jpg")))
        let copy = try #require(shop["a"].contents["harbour.jpg"])
        #expect(shop["b"].contents["harbour.jpg"] == original)
        #expect(copy.count < original.count && Data(copy).range(of: Data("GPS".utf8)) == nil)

        let record = try await shop.record(batch, at: "a", named: "harbour.jpg")
        #expect(record.state == .done && record.receipt?.evidence == .verified)
        #expect(record.recipe == "strip=gps" && record.rendition == known.withLock { $0 })
        #expect(try await record.rendition?.digests[.sha256] == digest(copy))
        #expect(record.rendition?.size == Int64(copy.count) && record.item.size == Int64(original.count))
        #expect(try await shop.record(batch, at: "b", named: "harbour.jpg").recipe == nil)
        #expect(leftovers(shop).isEmpty)
    }

    @Test func `a later attempt sends the very file of the first, or the same bytes made anew`() async throws {
        for isTaken in [false, true] {
            let shop = try shop()
            try photo(shop)
            let folder = shop.journal.renditions
            let seen = Locked<[UInt64]>([])
            shop["a"].script = { moment, item, context in
                guard moment == .beforeSending else { return .success(()) }
                var status = stat()
                _ = item.source.withPlatformString { stat($0, &status) }
                seen.withLock { $0.append(UInt64(status.st_ino)) }
                if context.attempt > 1 { return .success(()) }
                if isTaken { try? FileManager.default.removeItem(atPath: folder.string) }
                return .failure(SubmitFailure(.retry(after: .zero), code: "test", message: "Once more."))
            }
            let batch = try await shop.manager.accept(request(shop, to: ["a"])).batch
            try await shop.run(batch)
            let record = try await shop.record(batch, at: "a", named: "harbour.jpg")
            #expect(record.state == .done && record.tries == 2)
            #expect(try await record.rendition?.digests[.sha256] == digest(shop["a"].contents["harbour.jpg"]))
            let files = seen.withLock { $0 }
            #expect(isTaken || files[0] == files[1])
        }
    }

    @Test func `what was made by another recipe is made anew, and the recipe that counted is the one that is known`()
        async throws
    {
        let shop = try shop()
        try photo(shop)
        var asked = request(shop, to: ["b"])
        asked.rendition = try RenditionPolicy("write=caption")
        asked.caption = "Harbour"
        shop["b"].script = { moment, _, context in
            guard moment == .beforeSending, context.attempt == 1 else { return .success(()) }
            return .failure(SubmitFailure(.giveUp, code: "test", message: "Not yet."))
        }
        let batch = try await shop.manager.accept(asked).batch
        try await shop.run(batch)
        #expect(try await shop.record(batch, at: "b", named: "harbour.jpg").recipe == "write=caption")
        var seen = try #require(shop.manager.destinations.first { $0.name == "b" })
        seen.visibility = .public
        shop.manager.add(seen)
        _ = try await shop.manager.retry(SubmissionSelection(batch: batch))
        try await shop.run(batch)
        let copy = try #require(shop["b"].contents["harbour.jpg"])
        #expect(Data(copy).range(of: Data("Harbour</rdf:li>".utf8)) != nil)
        #expect(Data(copy).range(of: Data([0x88, 0x25, 0, 4])) == nil, "no directory of a place")
        #expect(try await shop.record(batch, at: "b", named: "harbour.jpg").recipe == "strip=gps write=caption")
        #expect(try await shop.manager.accept(asked).accepted == 0, "it is known by what was sent")
    }

    @Test(arguments: [nil, RenditionPolicy.original])
    func `a photo that a server would run by its name is called otherwise where anybody sees it`(
        policy: RenditionPolicy?
    ) async throws {
        let shop = try shop()
        try photo(shop, "scan.php")
        var request = request(shop)
        request.rendition = policy
        let batch = try await shop.manager.accept(request).batch
        try await shop.run(batch)
        #expect(Set(shop["a"].contents.keys) == ["scan_php.jpg"])
        #expect(Set(shop["b"].contents.keys) == ["scan.php"])
        let item = try await shop.record(batch, at: "a", named: "scan.php").item
        #expect(try await shop.manager.preview(rendition: item, at: "a").content.name == "scan_php.jpg")
    }

    @Test func `another recipe of a destination publishes nothing twice, but the original is sent that is wanted now`()
        async throws
    {
        let shop = try shop()
        try photo(shop)
        func sent(by recipe: String) async throws -> Int {
            var destination = try #require(shop.manager.destinations.first { $0.name == "b" })
            destination.rendition = try RenditionPolicy(recipe)
            shop.manager.add(destination)
            let acceptance = try await shop.manager.accept(request(shop, to: ["b"]))
            try await shop.run(acceptance.batch)
            return acceptance.accepted
        }
        #expect(try await sent(by: "strip=gps") == 1)
        #expect(try await sent(by: "strip=all") == 0)
        #expect(try await sent(by: "original") == 1)
        #expect(try await sent(by: "strip=all") == 0)
    }

    @Test func `what was broken off in the midst is tidied up, and no file is left of what has ended`() async throws {
        let shop = try shop()
        try photo(shop)
        let batch = try await shop.manager.accept(request(shop, to: ["a"])).batch
        try await shop.run(batch)
        let id = try await shop.record(batch, at: "a", named: "harbour.jpg").id
        let folder = shop.journal.renditions
        for name in ["\(id)", "\(id)-3.part", "77-1.part"] {
            try Data([1]).write(to: URL(fileURLWithPath: folder.appending(name).string))
        }
        // Of one that waits the whole is kept, and no part.
        try photo(shop, "later.jpg")
        let waiting = try await shop.manager.accept(request(shop, to: ["a"])).batch
        let open = try await shop.record(waiting, at: "a", named: "later.jpg").id
        for name in ["\(open)", "\(open)-1.part"] {
            try Data([1]).write(to: URL(fileURLWithPath: folder.appending(name).string))
        }
        await RenditionFolder(shop.journal).tidy()
        #expect(leftovers(shop) == ["\(open)"])
        try await shop.run(waiting)
        #expect(leftovers(shop).isEmpty && shop["a"].contents["later.jpg"] == shop["a"].contents["harbour.jpg"])
    }

    @Test func `a rendition is no copy: no source is removed for it, no card is safe by it`() async throws {
        let shop = try shop()
        try photo(shop)
        try await shop.run(try await shop.manager.accept(request(shop)).batch)
        let report = try await shop.manager.safety(of: request(shop, to: ["a", "b"])) { _ in }
        #expect(report.safe == 0 && report.copies == ["b": 1])
        var removing = request(shop)
        removing.removal = SourceRemoval(copies: 2, manner: .delete)
        #expect(throws: SubmitFailure.self) { try shop.manager.check(removing) }
        removing.removal = SourceRemoval(copies: 1, manner: .delete)
        try shop.manager.check(removing)
        #expect(try await shop.manager.removalWarnings(removing).contains { $0.message.contains("rendition") })
        removing.destinations = ["a"]
        #expect(throws: SubmitFailure.self) { try shop.manager.check(removing) }
    }

    @Test func `an audit looks for the rendition, and a repair makes it anew`() async throws {
        let shop = try shop()
        try photo(shop)
        let batch = try await shop.manager.accept(request(shop)).batch
        try await shop.run(batch)
        func findings() async throws -> [AuditFinding] {
            let found = Locked<[AuditFinding]>([])
            try await shop.manager.audit(AuditScope(destinations: ["a"])) { page in
                found.withLock { $0 += page.map(\.finding) }
            }
            return found.withLock { $0 }
        }
        #expect(try await findings() == [.there(.verified)])
        let first = shop["a"].contents["harbour.jpg"]
        shop["a"].put(nil, as: "harbour.jpg")
        #expect(try await findings() == [.vanished])
        let batches = try await shop.manager.repair(AuditScope(destinations: ["a"])) { _ in }
        #expect(batches == [batch])
        try await shop.run(batch)
        #expect(shop["a"].contents["harbour.jpg"] == first)
    }

    @Test func `it is sent once by one recipe, and again by another that was asked for`() async throws {
        let shop = try shop()
        try photo(shop)
        func sent(_ asked: RenditionPolicy?) async throws -> Int {
            var request = request(shop, to: ["a"])
            request.rendition = asked
            let acceptance = try await shop.manager.accept(request)
            try await shop.run(acceptance.batch)
            return acceptance.accepted
        }
        #expect(try await sent(.original) == 1)
        // What was published before, nobody wants published once more for a recipe that nobody named.
        #expect(try await sent(nil) == 0)
        #expect(try await sent(.withoutMetadata) == 1)
        #expect(try await sent(.withoutMetadata) == 0)
        #expect(try await sent(.withoutPlace) == 1)
        #expect(try await sent(nil) == 0)
        #expect(try await sent(.original) == 0)
    }

    /// What nobody asked to be the original is what is usual when it is sent.
    @Test func `a destination that became public gets no place, whatever waited, failed or was lost before`()
        async throws
    {
        for way in ["waits", "waits and is asked for again", "failed", "lost"] {
            let shop = try shop()
            try photo(shop)
            let hidden = try #require(shop.manager.destinations.first { $0.name == "b" })
            let batch = try await shop.manager.accept(request(shop, to: ["b"])).batch
            if way == "failed" {
                shop["b"].script = { _, _, _ in .failure(SubmitFailure(.giveUp, code: "test", message: "No.")) }
            }
            if ["failed", "lost"].contains(way) { try await shop.run(batch) }
            var seen = hidden
            seen.visibility = .public
            shop.manager.add(seen)
            shop["b"].script = nil
            switch way {
            case "waits and is asked for again":
                #expect(try await shop.manager.accept(request(shop, to: ["b"])).accepted == 0, "it waits already")
            case "failed": _ = try await shop.manager.retry(SubmissionSelection(batch: batch))
            case "lost":
                shop["b"].put(nil, as: "harbour.jpg")
                _ = try await shop.manager.repair(AuditScope(destinations: ["b"])) { _ in }
            default: break
            }
            let recipes = Locked<[String?]>([])
            shop.manager.listen { event in
                if case .done(let note, _) = event { recipes.withLock { $0.append(note.recipe) } }
            }
            try await shop.run(batch)
            #expect(recipes.withLock { $0 } == ["strip=gps"], "the event reports what was sent: \(way)")
            let copy = try #require(shop["b"].contents["harbour.jpg"], "\(way)")
            #expect(Data(copy).range(of: Data("GPS".utf8)) == nil, "\(way)")
            let record = try await shop.record(batch, at: "b", named: "harbour.jpg")
            #expect(record.recipe == "strip=gps" && record.isRendition, "\(way)")
            #expect(leftovers(shop).isEmpty, "\(way)")
        }
        // Who asked for it by name gets it.
        let shop = try shop()
        try photo(shop)
        var asked = request(shop, to: ["b"])
        asked.rendition = .original
        let batch = try await shop.manager.accept(asked).batch
        var seen = try #require(shop.manager.destinations.first { $0.name == "b" })
        seen.visibility = .public
        shop.manager.add(seen)
        try await shop.run(batch)
        #expect(shop["b"].contents["harbour.jpg"] == [UInt8](try Data(contentsOf: shop.source("harbour.jpg"))))
        #expect(try await !shop.record(batch, at: "b", named: "harbour.jpg").isRendition)
    }

    @Test func `what cannot be made clean is refused when it is accepted, or fails, and nothing of it is sent`()
        async throws
    {
        let shop = try shop()
        try photo(shop, "raw.dng", from: "raw.dng")
        try photo(shop, "cut.jpg")
        let cut = shop.source("cut.jpg")
        try Data(try Data(contentsOf: cut).dropLast(1000)).write(to: cut)
        let batch = try await shop.manager.accept(request(shop)).batch
        try await shop.run(batch)
        #expect(try await shop.record(batch, at: "a", named: "raw.dng").code == "no-rendition")
        #expect(try await shop.record(batch, at: "a", named: "cut.jpg").code == "photo-damaged")
        #expect(shop["a"].contents.isEmpty)
        #expect(try await shop.states(batch, at: "b") == [.done: 2])
        #expect(leftovers(shop).isEmpty)
    }

    @Test func `a preview shows what would be sent, and sends nothing`() async throws {
        let shop = try shop()
        try photo(shop)
        let item = try await shop.item("harbour.jpg")
        let output = shop.folder.appending("out.jpg")
        let preview = try await shop.manager.preview(rendition: item, at: "a", to: output)
        let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: output.string)))
        #expect(preview.content.size == Int64(bytes.count) && preview.policy == .withoutPlace)
        #expect(try await preview.content.digests[.sha256] == digest(bytes))
        #expect(try await shop.manager.preview(rendition: item, at: "b").content == item)
        let whole = shop.folder.appending("whole.jpg")
        _ = try await shop.manager.preview(rendition: item, at: "b", to: whole)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: whole.string)) == Data(contentsOf: shop.source("harbour.jpg")))
        // What is there is nobody's to replace.
        await #expect(throws: SubmitFailure.self) {
            try await shop.manager.preview(rendition: item, at: "a", to: output)
        }
        #expect(shop["a"].contents.isEmpty)
        try await shop.run(try await shop.manager.accept(request(shop, to: ["a"])).batch)
        #expect(shop["a"].contents["harbour.jpg"] == bytes)
    }

    @Test func `who is to get no date is told none, and the file is to be read by whom the original may be`()
        async throws
    {
        let shop = try shop()
        try photo(shop)
        chmod(shop.source("harbour.jpg").path, 0o640)
        let told = Locked<[(modified: Timestamp, captured: CaptureTime?, mode: mode_t, file: Timestamp)]>([])
        shop["a"].script = { moment, item, _ in
            guard moment == .beforeSending else { return .success(()) }
            var status = stat()
            _ = item.source.withPlatformString { stat($0, &status) }
            told.withLock {
                $0.append((item.modified, item.captured, status.st_mode & 0o777, SourceIdentity(status).modified))
            }
            return .success(())
        }
        for policy in [RenditionPolicy.withoutPlace, .withoutMetadata] {
            var request = request(shop, to: ["a"])
            request.rendition = policy
            try await shop.run(try await shop.manager.accept(request).batch)
        }
        let item = try await shop.item("harbour.jpg")
        let seen = told.withLock { $0 }
        #expect(seen.count == 2 && seen.allSatisfy { $0.mode == 0o640 && $0.file == $0.modified })
        #expect(seen[0].modified == item.modified)
        #expect(seen[1].modified != item.modified && seen[1].captured == nil)
    }

    @Test func `a name loses no more than the end that its type gave it`() {
        func named(_ name: String) -> String {
            let item = MediaItem(
                source: "/a", name: name, size: 1,
                type: MediaType(kind: .photo, mime: "image/heic", filenameExtension: "heic"),
                modified: Timestamp(nanoseconds: 0), digests: Digests())
            return Rendition(
                engine: "", size: 1, type: MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg"),
                digests: Digests()
            ).content(of: item).name
        }
        #expect(
            ["a.heic", "a.JPG", "2024.08.01 party", "St. Ives", "v1.0", ".heic", "a", "RAW.jpeg.heic"].map(named)
                == [
                    "a.jpg", "a.jpg", "2024.08.01 party.jpg", "St. Ives.jpg", "v1.0.jpg", ".heic.jpg", "a.jpg",
                    "RAW.jpeg.jpg",
                ])
    }

    @Test func `a limit counts for what is sent`() async throws {
        var facts = Self.seen
        let media = ("\(#filePath)/../../Media/harbour.jpg" as NSString).standardizingPath
        let size = try Int64(Data(contentsOf: URL(fileURLWithPath: media)).count)
        facts.maximumSize = [.photo: size - 1]
        let shop = try Workshop([
            "a": facts,
            "b": {
                var facts = InMemorySubmitter.capabilities; facts.maximumSize = [.photo: size - 1]; return facts
            }(),
        ])
        try photo(shop)
        let batch = try await shop.manager.accept(request(shop)).batch
        try await shop.run(batch)
        #expect(try await shop.record(batch, at: "a", named: "harbour.jpg").state == .done)
        #expect(try await shop.record(batch, at: "b", named: "harbour.jpg").code == "too-large")
    }
}

extension Workshop {
    fileprivate func source(_ name: String) -> URL {
        URL(fileURLWithPath: folder.appending("photos").appending(name).string)
    }

    fileprivate func item(_ name: String) async throws -> MediaItem {
        let found = Locked<MediaItem?>(nil)
        let path = folder.appending("photos").appending(name)
        try await manager.preview(SubmitRequest(paths: [path], destinations: ["a"])) { preview in
            if case .item(let item, _) = preview { found.withLock { $0 = item } }
        }
        return try #require(found.withLock { $0 })
    }
}
