import Foundation
import Glibc
import Submit
import SubmitConcurrency
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitEngine

@Suite struct AcceptanceTests {
    private func accept(
        _ shop: Workshop, _ paths: [FilePath], anyFile: Bool = false
    ) async throws -> (Acceptance, refusals: [SubmitFailure]) {
        let events = shop.manager.events()
        let acceptance = try await shop.manager.accept(
            SubmitRequest(paths: paths, destinations: ["a"], takesAnyFile: anyFile))
        shop.manager.endEvents()
        var refusals: [SubmitFailure] = []
        for await case .refused(_, _, let failure) in events { refusals.append(failure) }
        return (acceptance, refusals)
    }

    enum BadInput: CaseIterable {
        case missing, folderOfNothing, empty, text, pipe, danglingLink, linkInACircle, longName

        func make(in folder: FilePath) throws -> (FilePath, code: String?) {
            let path = folder.appending("input")
            switch self {
            case .missing: return (path, "not-found")
            case .folderOfNothing:
                try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
                return (path, nil)
            case .empty:
                try Data().write(to: URL(fileURLWithPath: path.string))
                return (path, "empty")
            case .text:
                try Data("no picture".utf8).write(to: URL(fileURLWithPath: path.string))
                return (path, "not-media")
            case .pipe:
                mkfifo(path.string, 0o600)
                return (path, "not-a-file")
            case .danglingLink:
                symlink("nowhere", path.string)
                return (path, "not-found")
            case .linkInACircle:
                symlink("input", path.string)
                return (path, "unreadable")
            case .longName: return (folder.appending(String(repeating: "x", count: 256)), "unreadable")
            }
        }
    }

    @Test func `photos without a date of their own are counted for destinations that use the capture date`()
        async throws
    {
        var dated = InMemorySubmitter.capabilities
        dated.usesCaptureTime = true
        let shop = try Workshop(["a": dated, "b": InMemorySubmitter.capabilities])
        try shop.photo("one.jpg")
        try shop.photo("two.jpg")
        let paths = [shop.folder.appending("photos")]
        #expect(try await shop.manager.accept(SubmitRequest(paths: paths, destinations: ["b"])).datedByFileTime == 0)
        #expect(
            try await shop.manager.accept(SubmitRequest(paths: paths, destinations: ["a", "b"])).datedByFileTime == 2)
    }

    @Test(arguments: BadInput.allCases)
    func `bad input is refused with a sentence, and good input beside it is accepted`(_ input: BadInput) async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let good = try shop.photo("good.jpg")
        let (bad, code) = try input.make(in: shop.folder)
        let (acceptance, refusals) = try await accept(shop, [bad, good])
        #expect(acceptance.accepted == 1)
        #expect(refusals.map(\.code) == (code.map { [$0] } ?? []))
        #expect(refusals.allSatisfy { $0.message.contains("input") || $0.message.contains("xxx") })
    }

    @Test func `that a file may not be read is told so`() {
        #expect(FileWalk.refusal("/x/photo.jpg", .permissionDenied).code == "unreadable")
    }

    @Test(.enabled(if: geteuid() != 0, "root reads everything"))
    func `a file that may not be read is refused`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let path = try shop.photo("locked.jpg")
        chmod(path.string, 0)
        #expect(try await accept(shop, [path]).refusals.map(\.code) == ["unreadable"])
    }

    @Test func `any file is taken on request, an empty one too`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let empty = shop.folder.appending("empty")
        try Data().write(to: URL(fileURLWithPath: empty.string))
        let text = shop.folder.appending("notes.txt")
        try Data("notes".utf8).write(to: URL(fileURLWithPath: text.string))
        let (acceptance, refusals) = try await accept(shop, [empty, text], anyFile: true)
        #expect(acceptance.accepted == 2)
        #expect(refusals.isEmpty)
    }

    @Test(arguments: [
        "new\nline.jpg", "🌅.jpg", "..jpg", "a..b.jpg", String(repeating: "n", count: 251) + ".jpg", " .jpg",
    ])
    func `odd names are accepted as they are`(_ name: String) async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let path = try shop.photo(name)
        let batch = try await shop.accept([path])
        try await shop.run(batch)
        #expect(shop["a"].contents.keys.sorted() == [name])
    }

    @Test func `folders are walked in order, hidden files, other files and links to folders are left behind`()
        async throws
    {
        let shop = try Workshop(["a": Capabilities(ordering: .sequential, requiresNetwork: false)])
        for name in ["2.jpg", "1.jpg", ".hidden.jpg"] { try shop.photo(name) }
        let folder = shop.folder.appending("photos")
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder.appending("notes.txt").string))
        try FileManager.default.createDirectory(
            atPath: folder.appending("10").string, withIntermediateDirectories: true)
        try shop.photo("10/3.jpg")
        symlink("..", folder.appending("loop").string)
        symlink("1.jpg", folder.appending("9-link.jpg").string)
        let (acceptance, refusals) = try await accept(shop, [folder])
        #expect(refusals.isEmpty)
        #expect(
            acceptance.leftBehind.lines.map { "\($0.folder == folder) \($0.reason) \($0.count)" } == [
                "true hidden 1", "true linkedFolder 1", "true unknownType 1",
            ])
        let names = try await shop.journal.submissions(SubmissionSelection()).map(\.item.name)
        #expect(names == ["1.jpg", "2.jpg", "9-link.jpg", "3.jpg"])
    }

    @Test func `digests are the union of what the destinations ask for`() async throws {
        var wantsMD5 = InMemorySubmitter.capabilities
        wantsMD5.digests = [.md5]
        var wantsCRC = InMemorySubmitter.capabilities
        wantsCRC.digests = [.crc32c]
        let shop = try Workshop(["a": wantsMD5, "b": wantsCRC])
        _ = try await shop.accept([try shop.photo("one.jpg")])
        let item = try #require(try await shop.journal.submissions(SubmissionSelection()).first?.item)
        #expect(item.digests.algorithms == [.sha256, .md5, .crc32c])
    }

    @Test func `the journal's own files are no items, under whatever name`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        _ = try await shop.accept([try shop.photo("one.jpg")])
        let link = shop.folder.appending("photos/link.jpg")
        symlink(shop.journal.path.string, link.string)
        let request = SubmitRequest(paths: [shop.folder], destinations: ["a"], takesAnyFile: true)
        let acceptance = try await shop.manager.accept(request)
        let refused = acceptance.refusals.map { $0.path.lastComponent?.string ?? "" }.sorted()
        #expect(
            refused == [
                "journal.sqlite", "journal.sqlite-shm", "journal.sqlite-wal", "journal.sqlite-workers", "link.jpg",
            ])
        #expect(acceptance.refusals.filter { $0.failure.code == "own-journal" }.count == 5)
        #expect(acceptance.accepted == 1)
    }

    @Test func `a batch that is cancelled takes nothing more in, though somebody is at it`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let other = try shop.otherManager()
        let cancelled = Locked(false)
        let (told, tell) = AsyncStream.makeStream(of: BatchID.self)
        shop.manager.listen { event in
            // The first group is told of; the second one waits until it is cancelled.
            guard case .accepted(_, let batch, _) = event,
                cancelled.withLock({ done in
                    defer { done = true }
                    return !done
                })
            else { return }
            let done = DispatchSemaphore(value: 0)
            Task.detached {
                _ = try await other.cancel(SubmissionSelection(batch: batch))
                done.signal()
            }
            done.wait()
            tell.yield(batch)
        }
        let paths = try (0..<40).map { try shop.photo("\($0).jpg", bytes: 1 << 20) }
        let acceptance = try await shop.manager.accept(SubmitRequest(paths: paths, destinations: ["a"]))
        tell.finish()
        for await batch in told { #expect(batch == acceptance.batch) }
        #expect(acceptance.accepted < 40)
        #expect(try await shop.journal.batches([acceptance.batch]).map(\.isComplete) == [true])
        #expect(try await other.completeAcceptance(of: acceptance.batch) == nil)
    }

    @Test func `what one acceptance took of a batch is yet to be taken by another one that was cut off`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities, "b": InMemorySubmitter.capabilities])
        let paths = try shop.photos(5)
        // As a process leaves it that was killed before its first group.
        let batch = try await shop.otherManager().begin(SubmitRequest(paths: paths, destinations: ["b"])).batch
        _ = try await shop.manager.accept(SubmitRequest(paths: paths, destinations: ["a"]), into: batch)
        #expect(try await shop.otherManager().completeAcceptance(of: batch)?.accepted == 5)
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 5])
        #expect(try await shop.states(batch, at: "b") == [.done: 5])
    }

    @Test func `an acceptance that was cut off is completed, each file once`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let paths = try shop.photos(30)
        // As a process leaves it that was killed after its first group.
        let batch = try await shop.otherManager().begin(
            SubmitRequest(paths: [shop.folder.appending("photos")], destinations: ["a"], caption: "Am Hafen")
        ).batch
        let before = try await shop.manager.accept(SubmitRequest(paths: paths, destinations: ["a"])).batch
        try await shop.journal.take(10, itemsOf: before, into: batch)
        let other = try shop.otherManager()
        let added = try #require(try await other.completeAcceptance(of: batch))
        #expect(added.accepted == 20)
        let records = try await shop.journal.submissions(SubmissionSelection(batch: batch))
        #expect(records.count == 30)
        #expect(Set(records.map(\.item.source)) == Set(paths))
        #expect(records.last?.item.caption == "Am Hafen")
        #expect(try await other.completeAcceptance(of: batch) == nil, "it is complete now")
    }

    @Test func `an unknown destination is named with the nearest one before anything is read`() async throws {
        let shop = try Workshop(["archive": InMemorySubmitter.capabilities])
        let request = SubmitRequest(paths: [shop.folder], destinations: ["archiv"])
        let error = await #expect(throws: SubmitFailure.self) { try await shop.manager.accept(request) }
        #expect(error?.message.contains("did you mean “archive”?") == true)
        #expect(try await shop.journal.batches().isEmpty)
    }

    @Test(arguments: ["/etc", "a//b", "..", "a/../b", "", "a/.", "../\u{301}x", "/\u{301}x"])
    func `an album that is no plain path is refused`(_ album: String) async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        await #expect(throws: SubmitFailure.self) {
            try await shop.manager.accept(SubmitRequest(paths: [], destinations: ["a"], album: album))
        }
    }
}

extension Journal {
    /// Accepts some items of one batch in another, which stays open.
    fileprivate func take(_ count: Int, itemsOf batch: BatchID, into other: BatchID) async throws {
        let open = try #require(try await openAcceptances(of: other).first)
        for (portion, record) in try await submissions(SubmissionSelection(batch: batch)).prefix(count).enumerated() {
            let identity = SourceIdentity(size: record.item.size, modified: record.item.modified, inode: 0, device: 0)
            _ = try await accept(
                [NewItem(item: record.item, identity: identity, submissions: [NewSubmission(destination: "a")])],
                for: open, portion: portion)
        }
    }
}

@Suite struct IncompletePhotoTests {
    @Test func `photos without their end are accepted and counted by format, with the first name`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let start: [UInt8] = [0xff, 0xd8, 0xff, 0xda, 0, 2]
        let filling = [UInt8](repeating: 1, count: 600_000)
        // The end marker stands in the head, across two pieces that are read, and nowhere.
        let files: [(name: String, bytes: [UInt8])] = [
            ("a.jpg", start + [0xff, 0xd9] + filling),
            ("b.jpg", start + filling.prefix((256 << 10) - 7) + [0xff, 0xd9] + filling),
            ("c.jpg", start + filling), ("d.jpg", start + filling + [1]),
        ]
        for (name, bytes) in files {
            try Data(bytes).write(to: URL(fileURLWithPath: shop.folder.appending("photos").appending(name).string))
        }
        let acceptance = try await shop.manager.accept(
            SubmitRequest(paths: [shop.folder.appending("photos")], destinations: ["a"]))
        #expect(acceptance.accepted == 4)
        #expect(
            acceptance.incomplete.lines.map { "\($0.code) \($0.count) \($0.first.lastComponent!)" } == ["jpeg 2 c.jpg"])
    }
}
