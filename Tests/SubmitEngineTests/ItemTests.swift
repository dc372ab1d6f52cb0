import Foundation
import Submit
import SubmitConcurrency
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitEngine
@testable import SubmitJournal

extension Workshop {
    fileprivate var spool: FilePath { folder.appending(".journal.sqlite-spool") }

    fileprivate var spooled: [String] { (try? FileManager.default.contentsOfDirectory(atPath: spool.string)) ?? [] }

    fileprivate func mode(_ path: FilePath) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path.string)[.posixPermissions] as? Int)
    }

    /// Waits until nothing is in the spool, which is tidied up after the event.
    fileprivate func untilTidy() async throws {
        for _ in 0..<500 where !spooled.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        #expect(spooled.isEmpty)
    }
}

@Suite(.timeLimit(.minutes(1))) struct `An item of a request` {
    private func bytes(_ seed: UInt64, count: Int = 3000) -> SubmitItem.Source {
        .bytes(ScriptedBytes(Workshop.jpeg(count, seed: seed)))
    }

    private func names(_ place: InMemoryPlace) -> [String] { place.contents.keys.sorted() }

    @Test func `has a name, words and tags of its own, and is sent as what it is called`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let file = try shop.photo("DSC_1.JPG")
        let request = SubmitRequest(
            items: [
                SubmitItem(source: .file(file), name: "beach.jpg", caption: "The beach", tags: ["sea"]),
                SubmitItem(source: bytes(1), name: "upload.jpg"),
            ], destinations: ["a"], caption: "All", tags: ["day"])
        let batch = try await shop.manager.accept(request).batch
        let (beach, upload) = (
            try await shop.record(batch, at: "a", named: "beach.jpg").item,
            try await shop.record(batch, at: "a", named: "upload.jpg").item
        )
        #expect(beach.source == file && beach.caption == "The beach" && beach.tags == ["sea"])
        #expect(
            upload.size == 3000 && upload.caption == "All" && upload.tags == ["day"] && upload.type.mime == "image/jpeg"
        )
        try await shop.run(batch)
        #expect(names(shop["a"]) == ["beach.jpg", "upload.jpg"])
    }

    @Test func `that is bytes lies beside the journal, for its owner alone, until nothing is owed of it`() async throws
    {
        let shop = try Workshop()
        let request = SubmitRequest(
            items: [SubmitItem(source: bytes(1), name: "upload.jpg")], destinations: ["a", "b"],
            removal: SourceRemoval(copies: 1))
        let batch = try await shop.manager.accept(request).batch
        #expect(shop.spooled.count == 1)
        #expect(try shop.mode(shop.spool) == 0o700)
        #expect(try await shop.journal.removalDestinations(batches: [batch]).isEmpty, "it is no source of anybody's")
        let gate = shop.gate(at: "b")
        async let run: Void = shop.run(batch)
        await gate.arrivals(1)
        for _ in 0..<500 where try await shop.states(batch, at: "a") != [.done: 1] {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(shop.spooled.count == 1, "it is owed to one yet")
        gate.open()
        try await run
        #expect(try await shop.states(batch, at: "b") == [.done: 1])
        try await shop.untilTidy()
    }

    @Test func `that failed everywhere is there for whoever tries again`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let refuses = Locked(true)
        shop["a"].script = { moment, _, _ in
            moment == .beforeSending && refuses.withLock { $0 }
                ? .failure(SubmitFailure(.giveUp, code: "refused", message: "It is refused.")) : .success(())
        }
        let batch = try await shop.manager.accept(
            SubmitRequest(items: [SubmitItem(source: bytes(1), name: "upload.jpg")], destinations: ["a"])
        ).batch
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.failed: 1])
        try await shop.manager.start([]).finish(patience: .zero)
        #expect(shop.spooled.count == 1)
        refuses.withLock { $0 = false }
        #expect(try await shop.otherManager().retry(SubmissionSelection(batch: batch)) == 1)
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 1])
        try await shop.untilTidy()
    }

    @Test func `that failed goes when nobody will try again, and not what is owed to another`() async throws {
        let shop = try Workshop()
        shop["a"].script = { moment, _, _ in
            moment == .beforeSending
                ? .failure(SubmitFailure(.giveUp, code: "refused", message: "It is refused.")) : .success(())
        }
        try await shop.manager.pause(["b"])
        let batch = try await shop.manager.accept(
            SubmitRequest(items: [SubmitItem(source: bytes(1), name: "upload.jpg")], destinations: ["a", "b"])
        ).batch
        try await shop.run(batch, patience: .zero)
        #expect(try await shop.states(batch, at: "a") == [.failed: 1])
        #expect(try await shop.manager.discardCopies(of: SubmissionSelection(batch: batch)) == 0)
        try await shop.manager.resume(["b"])
        try await shop.run(batch)
        #expect(shop.spooled.count == 1, "what failed may be tried again, though another destination has it")
        #expect(try await shop.manager.discardCopies(of: SubmissionSelection(batch: batch)) == 1)
        #expect(shop.spooled.isEmpty)
    }

    @Test func `that is cancelled or refused leaves no copy`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let refused = try await shop.manager.accept(
            SubmitRequest(
                items: [SubmitItem(source: .bytes(ScriptedBytes([1, 2, 3])), name: "note.txt")], destinations: ["a"]))
        #expect(refused.refusals.map(\.failure.code) == ["not-media"] && refused.refusals.map(\.path) == ["note.txt"])
        #expect(refused.refusals[0].failure.message.contains("“note.txt”"))
        #expect(shop.spooled.isEmpty)
        let batch = try await shop.manager.accept(
            SubmitRequest(items: [SubmitItem(source: bytes(1), name: "upload.jpg")], destinations: ["a"])
        ).batch
        #expect(shop.spooled.count == 1)
        _ = try await shop.manager.cancel(SubmissionSelection(batch: batch))
        #expect(shop.spooled.isEmpty)
    }

    @Test func `whose bytes end early, or change, is refused alone`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let content = Workshop.jpeg(3000, seed: 1)
        let acceptance = try await shop.manager.accept(
            SubmitRequest(
                items: [
                    SubmitItem(source: .bytes(ScriptedBytes(content, fault: .endsAt(1000))), name: "short.jpg"),
                    SubmitItem(source: .bytes(ScriptedBytes(content, fault: .changesAtTheEnd)), name: "changed.jpg"),
                    SubmitItem(source: bytes(2), name: "whole.jpg"),
                ], destinations: ["a"]))
        #expect(acceptance.accepted == 1 && acceptance.refusals.map(\.path) == ["short.jpg", "changed.jpg"])
        #expect(shop.spooled.count == 1)
    }

    @Test(arguments: ["", ".", "..", "a/b.jpg", "/a.jpg", "a\0.jpg"])
    func `is refused by a name that none can have`(_ name: String) async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let file = try shop.photo("a.jpg")
        let acceptance = try await shop.manager.accept(
            SubmitRequest(
                items: [SubmitItem(source: .file(file), name: name), SubmitItem(source: bytes(1), name: name)],
                destinations: ["a"]))
        #expect(acceptance.accepted == 0 && acceptance.refusals.map(\.failure.code) == ["name", "name"])
        #expect(shop.spooled.isEmpty)
    }

    @Test func `is refused where it is a folder, bytes without a name, or two of one request`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let acceptance = try await shop.manager.accept(
            SubmitRequest(
                items: [SubmitItem(source: .file(shop.folder.appending("photos"))), SubmitItem(source: bytes(1))],
                destinations: ["a"]))
        #expect(Set(acceptance.refusals.map(\.failure.code)) == ["not-a-file", "name"])
        let file = SubmitItem(source: .file(try shop.photo("a.jpg")))
        let keyed = SubmitItem(source: bytes(1), name: "k.jpg", idempotencyKey: "k")
        for items in [[file, file], [keyed, keyed]] {
            await #expect(throws: SubmitFailure.self) {
                try await shop.manager.accept(SubmitRequest(items: items, destinations: ["a"]))
            }
        }
    }

    @Test func `with a key is accepted once, and known by it in any process`() async throws {
        let shop = try Workshop()
        func request(_ seed: UInt64) throws -> SubmitRequest {
            SubmitRequest(
                items: [
                    SubmitItem(source: bytes(seed), name: "upload.jpg", idempotencyKey: "upload-1"),
                    SubmitItem(source: .file(try shop.photo("b.jpg")), idempotencyKey: "file-1"),
                ], destinations: ["a", "b"])
        }
        let first = try await shop.manager.accept(try request(1))
        #expect(first.accepted == 2 && first.known.isEmpty)
        try await shop.run(first.batch)
        let again = try await shop.otherManager().accept(try request(2))
        #expect(again.accepted == 0 && again.refusals.isEmpty)
        #expect(again.known.map(\.idempotencyKey).sorted() == ["file-1", "upload-1"])
        #expect(again.known.allSatisfy { $0.batch == first.batch && $0.submissions.count == 2 })
        #expect(Set(again.known.flatMap(\.submissions)) == [1, 2, 3, 4])
        try await shop.untilTidy()
    }

    @Test func `with a key is accepted once by whoever asks at the same time`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let others = try (0..<4).map { _ in try shop.otherManager() }
        let counts = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for manager in others {
                group.addTask {
                    let acceptance = try await manager.accept(
                        SubmitRequest(
                            items: (0..<20).map {
                                SubmitItem(source: bytes(UInt64($0)), name: "\($0).jpg", idempotencyKey: "key-\($0)")
                            }, destinations: ["a"]))
                    return (acceptance.accepted, acceptance.known.count)
                }
            }
            return try await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
        }
        #expect(counts == (20, 60))
        #expect(shop.spooled.count == 20, "what was known too late is gone")
    }

    @Test func `of an acceptance that was cut off is accepted by another process where its copy was there`()
        async throws
    {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let acceptance = Locked<Task<Acceptance, any Error>?>(nil)
        let started = Gate()
        let items = (0..<40).map { number in
            SubmitItem(
                source: .bytes(
                    ScriptedBytes(
                        Workshop.jpeg(100, seed: UInt64(number)),
                        onRead: { _ in if number == 36 { acceptance.withLock { $0 }?.cancel() } })),
                name: String(format: "%02d.jpg", number))
        }
        let begun = try await shop.manager.begin(SubmitRequest(items: items, destinations: ["a"]))
        let task = Task {
            await started.pass()
            return try await begun.accept()
        }
        acceptance.withLock { $0 = task }
        started.open()
        #expect(try await task.value.accepted == 0)
        let other = try shop.otherManager()
        try await other.start([]).finish(patience: .zero)
        #expect(shop.spooled.count == 32, "a run that begins leaves what an acceptance asks for")
        #expect(try await other.completeAcceptance(of: begun.batch)?.accepted == 32)
        try await other.start([begun.batch]).finish(patience: .seconds(20))
        #expect(names(shop["a"]) == (0..<32).map { String(format: "%02d.jpg", $0) })
        try await shop.untilTidy()
    }

    @Test func `that nobody knows of goes at the next start, unless somebody is writing it`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let spool = Spool(shop.journal)
        let path = try spool.copy(ScriptedBytes([1, 2, 3]), of: "a.jpg").path
        let own = try spool.copy(ScriptedBytes([4, 5, 6]), of: "b.jpg")
        #expect(shop.spooled.count == 2 && spool.has(path))
        try await shop.manager.start([]).finish(patience: .zero)
        #expect(shop.spooled == [own.path.lastComponent?.string])
        withExtendedLifetime(own) {}
    }

    @Test func `is not taken for a photo by whoever submits the journal's folder`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        _ = try await shop.manager.accept(
            SubmitRequest(items: [SubmitItem(source: bytes(1), name: "upload.jpg")], destinations: ["a"]))
        let acceptance = try await shop.manager.accept(SubmitRequest(paths: [shop.folder], destinations: ["a"]))
        #expect(acceptance.accepted == 0)
    }

    @Test func `is found by the path of its file, the newest first`() async throws {
        let shop = try Workshop()
        let file = try shop.photo("a.jpg")
        let first = try await shop.accept([file])
        let second = try await shop.accept([file], to: ["b"])
        let found = try await shop.manager.submissions(ofSource: file)
        #expect(found.map(\.batch) == [second, first, first] && found.map(\.id) == [3, 2, 1])
        #expect(try await shop.manager.submissions(ofSource: file, limit: 1).map(\.id) == [3])
        #expect(try await shop.manager.submissions(ofSource: "/nowhere.jpg").isEmpty)
    }

    @Test func `may be of a time that nanoseconds cannot count`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let file = try shop.photo("a.jpg")
        var times = [timespec(tv_sec: 13_569_465_600, tv_nsec: 5), timespec(tv_sec: 13_569_465_600, tv_nsec: 5)]
        try #require(utimensat(AT_FDCWD, file.string, &times, 0) == 0)
        let batch = try await shop.accept([file])
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 1])
        for seconds in [Int64.min, .max, 0, -1] {
            let time = Timestamp(seconds: seconds, nanoseconds: 999_999_999)
            #expect(Timestamp(text: time.text) == time)
        }
    }
}
