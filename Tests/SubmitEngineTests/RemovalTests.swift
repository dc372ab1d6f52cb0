import Foundation
import Submit
import SubmitConcurrency
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitEngine

extension Workshop {
    var dataHome: FilePath { folder.appending("home/data") }

    /// Submits photos whose sources are to be removed, and sends them.
    func submit(
        _ paths: [FilePath], when copies: Int, _ manner: RemovalManner = .trash, to names: [String]? = nil,
        verification: Verification = .usual
    ) async throws -> BatchID {
        let batch = try await manager.accept(
            SubmitRequest(
                paths: paths, destinations: names ?? places.keys.sorted(), verification: verification,
                removal: SourceRemoval(copies: copies, manner: manner))
        ).batch
        try await run(batch)
        return batch
    }

    /// Removes what may be, and gives back why the others stay.
    @discardableResult
    func remove(
        by manager: SubmitManager? = nil, killedAt step: SourceRemover.Step? = nil
    ) async throws -> [(failure: SubmitFailure, isForGood: Bool)] {
        let kept = Locked<[(failure: SubmitFailure, isForGood: Bool)]>([])
        let manager = try manager ?? otherManager()
        manager.listen { event in
            if case .sourceKept(_, _, let failure, let isForGood) = event {
                kept.withLock { $0.append((failure, isForGood)) }
            }
        }
        try await manager.removeSources(
            of: nil, unusable: [:], environment: ["XDG_DATA_HOME": dataHome.string], isKilled: { $0 == step })
        return kept.withLock { $0 }
    }

    func exists(_ path: FilePath) -> Bool { FileStatus.exists(path) }

    func names(in folder: FilePath) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []).sorted()
    }

    var trashed: [String] { names(in: dataHome.appending("Trash/files")) }
}

@Suite struct `Sources are removed` {
    @Test func `only when the bytes of a copy that is merely listed are there while the source is away`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        shop["a"].proves = .size
        let source = try shop.photo("one.jpg")
        _ = try await shop.submit([source], when: 1, .delete, verification: .readback)
        // As a server lists for minutes what was a view of the source itself.
        try await shop.manager.removeSources(of: nil, unusable: [:], environment: [:]) { step in
            if step == .putAside { shop["a"].put(Array(repeating: 7, count: 300), as: "one.jpg") }
            return false
        }
        #expect(shop.exists(source))
    }

    @Test func `into the trash when enough copies are proven, with what brings them back`() async throws {
        let shop = try Workshop()
        let source = try shop.photo("Über 100%.jpg")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: source.string))
        let batch = try await shop.submit([source], when: 2)
        #expect(shop.exists(source), "sending alone removes nothing")
        #expect(try await shop.remove().isEmpty)
        #expect(!shop.exists(source))
        #expect(shop.trashed == ["Über 100%.jpg"])
        let trash = shop.dataHome.appending("Trash")
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: trash.appending("files/Über 100%.jpg").string)) == bytes)
        let info = try String(contentsOfFile: trash.appending("info/Über 100%.jpg.trashinfo").string, encoding: .utf8)
        let lines = info.split(separator: "\n")
        #expect(lines.count == 3 && lines[0] == "[Trash Info]")
        #expect(lines[1].hasPrefix("Path=/") && lines[1].hasSuffix("/%C3%9Cber%20100%25.jpg"))
        #expect(lines[2].wholeMatch(of: /DeletionDate=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/) != nil)
        #expect(try FileManager.default.attributesOfItem(atPath: trash.string)[.posixPermissions] as? Int == 0o700)
        let tally = try await shop.journal.removals(of: [batch])
        #expect(tally.removed == 1 && tally.wanted + tally.kept == 0)
        // The same name again takes another one there.
        try shop.photo("Über 100%.jpg", bytes: 400)
        _ = try await shop.submit([source], when: 1)
        try await shop.remove()
        #expect(shop.trashed.count == 2)
    }

    @Test func `though a process died while it wrote into the trash what brings them back`() async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        _ = try await shop.submit([source], when: 2)
        let info = shop.dataHome.appending("Trash/info")
        try FileManager.default.createDirectory(atPath: info.string, withIntermediateDirectories: true)
        let half = info.appending(".submit-\(shop.journal.identity)-1")
        try Data("[Trash Info]\nPath=/and a long way that it had not come to yet\n\n\n\n\n\n".utf8)
            .write(to: URL(fileURLWithPath: half.string))
        // Other programs write theirs under its name at once.
        try Data().write(to: URL(fileURLWithPath: info.appending("a.jpg.trashinfo").string))
        #expect(try await shop.remove().isEmpty)
        #expect(!shop.exists(source) && shop.trashed == ["a.jpg.1"])
        #expect(shop.names(in: info) == ["a.jpg.1.trashinfo", "a.jpg.trashinfo"])
        let text = try String(contentsOfFile: info.appending("a.jpg.1.trashinfo").string, encoding: .utf8)
        #expect(text.hasPrefix("[Trash Info]\nPath=\(source)\nDeletionDate="))
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count == 4)
        #expect(try FileManager.default.contentsOfDirectory(atPath: info.string).count == 2)
    }

    @Test func `though a destination refuses them beforehand, if enough others have them`() async throws {
        var small = InMemorySubmitter.capabilities
        small.maximumSize = [.photo: 10]
        let shop = try Workshop(["a": InMemorySubmitter.capabilities, "small": small])
        let source = try shop.photo("a.jpg")
        _ = try await shop.submit([source], when: 1)
        #expect(try await shop.remove().isEmpty)
        #expect(!shop.exists(source))
    }

    @Test func `for good when that is asked for`() async throws {
        let shop = try Workshop()
        let sources = try shop.photos(3)
        _ = try await shop.submit(sources, when: 2, .delete)
        #expect(try await shop.remove().isEmpty)
        #expect(shop.names(in: shop.folder.appending("photos")).isEmpty && !shop.exists(shop.dataHome))
    }

    @Test(arguments: RemovalManner.allCases, SourceRemover.Step.allCases)
    func `or are whole, wherever the process dies`(manner: RemovalManner, step: SourceRemover.Step) async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        _ = try await shop.submit([source], when: 2, manner)
        // The claims of a journal that lives on are its own again.
        let manager = shop.manager
        try await shop.remove(by: manager, killedAt: step)
        let isOver = manner == .delete && step == .deleted
        let isAway = step == .putAside || step == .lookedAgain
        #expect(shop.exists(source) == (!isAway && step != .deleted))
        // While nobody looked, a copy was lost: what is left of the source comes back to its place.
        let copy = shop["a"].contents["a.jpg"]
        shop["a"].put(nil, as: "a.jpg")
        _ = try await shop.remove(by: manager)
        #expect(shop.exists(source) != (isOver || manner == .trash && step == .deleted))
        shop["a"].put(copy, as: "a.jpg")
        #expect(try await shop.remove(by: manager).isEmpty)
        #expect(!shop.exists(source))
        let trash = shop.dataHome.appending("Trash")
        #expect(shop.names(in: trash.appending("files")) == (manner == .trash ? ["a.jpg"] : []))
        #expect(shop.names(in: trash.appending("info")).count == (manner == .trash ? 1 : 0))
        #expect(shop.names(in: shop.folder.appending("photos")).isEmpty)
        #expect(try await shop.journal.removalDestinations(batches: nil).isEmpty)
    }
}

@Suite struct `A source stays` {
    private func expectKept(
        _ shop: Workshop, _ source: FilePath, _ words: String..., isForGood: Bool,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        let kept = try await shop.remove()
        #expect(shop.exists(source) && shop.trashed.isEmpty, sourceLocation: location)
        #expect(kept.count == 1 && kept.first?.isForGood == isForGood, "\(kept)", sourceLocation: location)
        for word in words {
            #expect(kept.first?.failure.message.contains(word) == true, "\(kept)", sourceLocation: location)
        }
    }

    @Test func `where a copy is only echoed, unless it was to be read back`() async throws {
        let shop = try Workshop()
        shop["b"].proves = .echoed
        let source = try shop.photo("a.jpg")
        _ = try await shop.submit([source], when: 2)
        try await expectKept(
            shop, source, "1 of 2 verified", "“echoed” only", "submit it to be read back", isForGood: true)
        _ = try await shop.submit([source], when: 2, verification: .readback)
        #expect(try await shop.remove().isEmpty)
        #expect(!shop.exists(source))
    }

    @Test func `while a destination cannot be reached, and goes once it can`() async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        _ = try await shop.submit([source], when: 2)
        shop["b"].outage = SubmitFailure(.hold(.unreachable, after: nil), code: "down", message: "It is down.")
        try await expectKept(shop, source, "b cannot tell (It is down)", isForGood: false)
        shop["b"].outage = nil
        #expect(try await shop.remove().isEmpty)
        #expect(!shop.exists(source))
    }

    @Test func `when a copy has vanished or was changed just before, and goes when it is repaired`() async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        let batch = try await shop.submit([source], when: 2)
        shop["b"].put(nil, as: "a.jpg")
        try await expectKept(shop, source, "copy at b has vanished", isForGood: false)
        shop["b"].put([1], as: "a.jpg")
        try await expectKept(shop, source, "copy at b was changed", isForGood: false)
        _ = try await shop.manager.repair(AuditScope()) { _ in }
        try await expectKept(shop, source, "still waiting", isForGood: false)
        try await shop.run(batch)
        #expect(try await shop.remove().isEmpty)
        #expect(!shop.exists(source))
    }

    @Test func `for good when it was changed and a copy is lost, which nobody can repair then`() async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: source.string))
        _ = try await shop.submit([source], when: 2)
        shop["b"].put(nil, as: "a.jpg")
        // Other marks alone say nothing.
        try bytes.write(to: URL(fileURLWithPath: source.string), options: .atomic)
        try await expectKept(shop, source, "copy at b has vanished", isForGood: false)
        try Data(Workshop.jpeg(bytes.count, seed: 5)).write(to: URL(fileURLWithPath: source.string))
        try await expectKept(shop, source, "other content", isForGood: true)
    }

    @Test(arguments: RemovalManner.allCases, [SourceRemover.Step.looked, .compared, .writtenDown, .reserved])
    func `and the trash knows nothing of it, when it was changed after a process died at its removal`(
        manner: RemovalManner, step: SourceRemover.Step
    ) async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        _ = try await shop.submit([source], when: 2, manner)
        let manager = shop.manager
        try await shop.remove(by: manager, killedAt: step)
        if manner == .trash, step == .writtenDown {
            let half = shop.dataHome.appending("Trash/info/.submit-\(shop.journal.identity)-1")
            try Data("[Tra".utf8).write(to: URL(fileURLWithPath: half.string))
        }
        try Data(Workshop.jpeg(301, seed: 5)).write(to: URL(fileURLWithPath: source.string))
        #expect(try await shop.remove(by: manager).map(\.failure.code) == ["source-changed"])
        #expect(shop.exists(source) && shop.trashed.isEmpty)
        #expect(shop.names(in: shop.dataHome.appending("Trash/info")).isEmpty)
        #expect(shop.names(in: shop.folder.appending("photos")) == ["a.jpg"])
    }

    @Test func `when it is other than was accepted, gone, or a link`() async throws {
        let shop = try Workshop()
        let changed = try shop.photo("changed.jpg")
        _ = try await shop.submit([changed], when: 2)
        // The same size and time, and other bytes.
        let time = try FileManager.default.attributesOfItem(atPath: changed.string)[.modificationDate] as? Date
        try Data(Workshop.jpeg(300, seed: 5)).write(to: URL(fileURLWithPath: changed.string))
        try FileManager.default.setAttributes([.modificationDate: time ?? Date()], ofItemAtPath: changed.string)
        try await expectKept(shop, changed, "other content", isForGood: true)

        let link = shop.folder.appending("photos/link.jpg")
        let real = try shop.photo("real.jpg")
        symlink(real.string, link.string)
        _ = try await shop.submit([link], when: 2)
        try await expectKept(shop, link, "a link", isForGood: true)
        #expect(shop.exists(real))

        let gone = try shop.photo("gone.jpg")
        _ = try await shop.submit([gone], when: 2)
        unlink(gone.string)
        let kept = try await shop.remove()
        #expect(kept.map(\.failure.code) == ["source-gone"] && kept.first?.isForGood == true)
        #expect(try await shop.remove().isEmpty)
    }

    @Test func `while its disk is not there`() async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        _ = try await shop.submit([source], when: 2)
        let (card, elsewhere) = (shop.folder.appending("photos").string, shop.folder.appending("unplugged").string)
        try FileManager.default.moveItem(atPath: card, toPath: elsewhere)
        let kept = try await shop.remove()
        #expect(kept.first?.failure.message.contains("put its disk in") == true && kept.first?.isForGood == false)
        try FileManager.default.moveItem(atPath: elsewhere, toPath: card)
        #expect(try await shop.remove().isEmpty)
        #expect(!shop.exists(source))
    }

    @Test func `when its removal is broken off again by who does not come to it`() async throws {
        let shop = try Workshop()
        let sources = try shop.photos(20)
        _ = try await shop.submit(sources, when: 2, .delete)
        let manager = shop.manager
        try await shop.remove(by: manager, killedAt: .putAside)
        #expect(sources.filter(shop.exists).isEmpty, "all are aside")
        let interrupted = Locked<Task<Void, any Error>?>(nil)
        let gate = Gate()
        let task = Task {
            await gate.pass()
            try await manager.removeSources(of: nil, unusable: [:], environment: [:]) { _ in
                interrupted.withLock { $0?.cancel() }
                return true
            }
        }
        interrupted.withLock { $0 = task }
        gate.open()
        try await task.value
        #expect(sources.filter(shop.exists).count < sources.count, "it did not come to all")
        // A copy of each is lost now: every source comes back.
        for source in sources { shop["a"].put(nil, as: source.lastComponent!.string) }
        _ = try await shop.remove(by: manager)
        #expect(sources.allSatisfy(shop.exists))
    }

    @Test func `where another file has come to have the name it was put aside by`() async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        _ = try await shop.submit([source], when: 2)
        try await shop.remove(by: shop.manager, killedAt: .writtenDown)
        let stranger = shop.dataHome.appending("Trash/files/a.jpg")
        try Data("not ours".utf8).write(to: URL(fileURLWithPath: stranger.string))
        shop["a"].put(nil, as: "a.jpg")
        _ = try await shop.remove(by: shop.manager)
        #expect(shop.exists(source) && shop.exists(stranger))
    }

    @Test(arguments: RemovalManner.allCases)
    func `when it was put aside on a card that was taken out and put in again`(manner: RemovalManner) async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        _ = try await shop.submit([source], when: 2, manner)
        try await shop.remove(by: shop.manager, killedAt: .putAside)
        let folder = manner == .trash ? shop.dataHome.appending("Trash/files") : shop.folder.appending("photos")
        let aside = folder.appending(try #require(shop.names(in: folder).first)).string
        // FAT numbers its files anew, and keeps their times roughly.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: aside))
        try bytes.write(to: URL(fileURLWithPath: aside), options: .atomic)
        shop["a"].put(nil, as: "a.jpg")
        _ = try await shop.remove(by: shop.manager)
        #expect(shop.exists(source) && shop.names(in: folder) == (manner == .trash ? [] : ["a.jpg"]))
    }

    @Test(arguments: [true, false])
    func `when its owner put another copy of it where it was to be put`(isOriginalThere: Bool) async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        _ = try await shop.submit([source], when: 2)
        try await shop.remove(by: shop.manager, killedAt: .writtenDown)
        let aside = shop.dataHome.appending("Trash/files/a.jpg").string
        try FileManager.default.copyItem(atPath: source.string, toPath: aside)
        if !isOriginalThere { try FileManager.default.removeItem(atPath: source.string) }
        _ = try await shop.remove(by: shop.manager)
        let names = shop.names(in: shop.dataHome.appending("Trash/files"))
        #expect(names.contains("a.jpg") && names.count == (isOriginalThere ? 2 : 1), "\(names)")
        // Its owner's copy stays as he left it; of what came from us, its information tells.
        #expect(shop.names(in: shop.dataHome.appending("Trash/info")).count == (isOriginalThere ? 1 : 0))
        #expect(!shop.exists(source))
    }

    @Test func `when the wish is taken back`() async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        let batch = try await shop.submit([source], when: 2)
        #expect(try await shop.manager.cancel(SubmissionSelection(batch: batch, destination: "a")).keptSources == 0)
        #expect(try await shop.manager.cancel(SubmissionSelection(batch: batch)).keptSources == 1)
        #expect(try await shop.remove().isEmpty)
        #expect(shop.exists(source))
        #expect(try await shop.journal.removals(of: [batch]) == RemovalTally())
    }

    @Test func `while any other submission needs it, in any batch and under any name`() async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        _ = try await shop.submit([source], when: 1, to: ["a"])
        let other = try await shop.accept([source], to: ["b"])
        try await expectKept(shop, source, "it is still waiting for b", isForGood: false)
        _ = try await shop.manager.cancel(SubmissionSelection(batch: other))
        let hard = shop.folder.appending("photos/hard.jpg")
        link(source.string, hard.string)
        let same = try await shop.accept([hard], to: ["b"])
        try await expectKept(shop, source, "it is still waiting for b", isForGood: false)
        shop["b"].script = { _, _, _ in .failure(SubmitFailure(.giveUp, code: "no", message: "No.")) }
        try await shop.run(same)
        try await expectKept(shop, source, "has failed and would need it", isForGood: false)
        shop["b"].script = nil
        _ = try await shop.manager.retry(SubmissionSelection(batch: same))
        try await shop.run(same)
        // An acceptance that was cut off may yet come to it.
        let open = try await shop.manager.begin(
            SubmitRequest(paths: [shop.folder.appending("photos")], destinations: ["b"])
        ).batch
        try await expectKept(shop, source, "batch \(open)", isForGood: false)
        for acceptance in try await shop.journal.openAcceptances(of: open) {
            try await shop.journal.complete(acceptance)
        }
        #expect(try await shop.remove().isEmpty)
        #expect(!shop.exists(source) && shop.exists(hard))
    }

    @Test func `where two destinations are one place`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let twin = Destination(
            name: "twin", type: InMemorySubmitter.submitterType(), submitter: InMemorySubmitter(shop["a"]))
        shop.manager.add(twin)
        let source = try shop.photo("a.jpg")
        shop["a"].put(Array(try Data(contentsOf: URL(fileURLWithPath: source.string))), as: "a.jpg")
        _ = try await shop.submit([source], when: 2, to: ["a", "twin"])
        let kept = try await shop.remove(by: shop.manager)
        #expect(kept.first?.failure.message.contains("1 of 2 verified") == true, "\(kept)")
        #expect(shop.exists(source))
    }

    @Test func `where what seemed a copy is gone together with it`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let source = try shop.photo("a.jpg")
        for manner in RemovalManner.allCases {
            let mirror = Destination(
                name: "mirror", type: InMemorySubmitter.submitterType(), submitter: Mirror(of: source, shop["a"]))
            shop.manager.add(mirror)
            _ = try await shop.submit([source], when: 1, manner, to: ["mirror"])
            let kept = try await shop.remove(by: shop.manager)
            #expect(kept.last?.failure.message.contains("the source itself") == true, "\(kept)")
            #expect(kept.last?.isForGood == true)
            #expect(shop.names(in: shop.folder.appending("photos")) == ["a.jpg"] && shop.trashed.isEmpty)
            #expect(shop.names(in: shop.dataHome.appending("Trash/info")).isEmpty)
        }
    }

    @Test func `and nothing is begun where there can never be enough copies`() async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        for (copies, names) in [(0, ["a", "b"]), (3, ["a", "b"]), (2, ["a"])] {
            await #expect(throws: SubmitFailure.self) { try await shop.submit([source], when: copies, to: names) }
        }
        var weak = InMemorySubmitter.capabilities
        weak.proves = .size
        let doubtful = try Workshop(["a": weak, "b": InMemorySubmitter.capabilities])
        let photo = try doubtful.photo("a.jpg")
        await #expect(throws: SubmitFailure.self) { try await doubtful.submit([photo], when: 2) }
        #expect(try await doubtful.journal.batches().isEmpty)
        let request = SubmitRequest(paths: [photo], destinations: ["a", "b"], removal: SourceRemoval(copies: 1))
        let warnings = try await doubtful.manager.removalWarnings(request)
        #expect(warnings.count == 1 && warnings[0].message.contains("“a” proves copies by “size”"))
        #expect(warnings[0].code == "remove-source-readback")
        _ = try await doubtful.submit([photo], when: 2, verification: .readback)
    }
}

/// A destination that shows a folder of ours: its copy is the source.
private struct Mirror: Submitter, PresenceFacet {
    let source: FilePath
    let inner: InMemorySubmitter

    init(of source: FilePath, _ place: InMemoryPlace) {
        self.source = source
        inner = InMemorySubmitter(place)
    }

    var capabilities: Capabilities { inner.capabilities }
    var facets: Facets { Facets(albums: inner.place, presence: self, removal: inner.place) }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        try await inner.submit(item, bytes: bytes, context: context)
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {}
    func check() async throws(SubmitFailure) -> String { "It is there." }

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        FileStatus.exists(source) ? .present(.verified) : .absent
    }
}
