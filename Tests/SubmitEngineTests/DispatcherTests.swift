import Foundation
import GRDB
import Submit
import SubmitConcurrency
import SubmitEngine
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitJournal

/// What several runs, managers and callers share.
@Suite struct `Runs of one manager` {
    private static func facts(_ ordering: Ordering) -> Capabilities {
        Capabilities(ordering: ordering, requiresNetwork: false)
    }

    @Test func `share the width that a destination states`() async throws {
        let shop = try Workshop(["a": Self.facts(.sequential)])
        let batch = try await shop.accept(try shop.photos(30))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { try await shop.run(batch) } }
            try await group.waitForAll()
        }
        #expect(shop["a"].widest == 1)
        #expect(shop["a"].begun.count == 30)
        #expect(try await shop.states(batch, at: "a") == [.done: 30])
    }

    @Test func `one after the other pay what is owed by then`() async throws {
        let shop = try Workshop()
        let batch = try await shop.accept(try shop.photos(3))
        let run = try await shop.manager.start([batch])
        try await run.finish(patience: .seconds(20))
        try await run.finish(patience: .seconds(20))
        _ = try await shop.manager.accept(
            SubmitRequest(paths: [try shop.photo("late.jpg")], destinations: ["a"]), into: batch)
        let summary = try await shop.summary(batch)
        #expect(summary.done == 7 && summary.waiting == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func `begin when they are started, and not when somebody waits for their end`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(2))])
        let gate = shop.gate(at: "a")
        let batch = try await shop.accept(try shop.photos(1))
        let run = try await shop.manager.start([batch])
        await gate.arrivals(1)
        gate.open()
        try await run.finish(patience: .zero)
        #expect(try await shop.states(batch, at: "a") == [.done: 1])
    }

    @Test(.timeLimit(.minutes(1))) func `leave others' submissions alone when nothing of their own is owed`()
        async throws
    {
        let shop = try Workshop(["a": Self.facts(.concurrent(2))])
        let old = try await shop.accept(try shop.photos(5))
        let run = try await shop.manager.start([])
        try await run.finish(patience: .zero)
        #expect(shop["a"].begun.isEmpty)
        #expect(try await shop.states(old, at: "a") == [.waiting: 5])
    }

    @Test(.timeLimit(.minutes(1)))
    func `end with their own batch, which goes first, and what else was begun goes to its end`() async throws {
        let shop = try Workshop(["a": Self.facts(.sequential)])
        let old = try await shop.accept(try shop.photos(20))
        let own = try await shop.accept([try shop.photo("own.jpg")])
        let run = try await shop.manager.start([own])
        try await run.finish(patience: .seconds(20))
        #expect(try await shop.states(own, at: "a") == [.done: 1])
        #expect(shop["a"].begun.first == "own.jpg")
        let states = try await shop.states(old, at: "a")
        #expect(states[.running] == nil && states[.waiting, default: 0] >= 15, "\(states)")
        #expect(
            try await shop.journal.submissions(SubmissionSelection(batch: old), in: .waiting).allSatisfy {
                $0.tries == 0
            })
    }

    @Test(.timeLimit(.minutes(1))) func `pay what others are owed while their own waits`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(2)), "b": Self.facts(.concurrent(2))])
        let gate = shop.gate(at: "b")
        let old = try await shop.accept(try shop.photos(20), to: ["a"])
        let own = try await shop.accept([try shop.photo("own.jpg")], to: ["b"])
        let done = Locked(0)
        shop.manager.listen { event in
            if case .done(let note, _) = event, note.batch == old,
                done.withLock({
                    $0 += 1
                    return $0
                }) == 20
            {
                gate.open()
            }
        }
        let summary = try await shop.summary(own)
        #expect(summary.done == 1)
        #expect(try await shop.states(old, at: "a") == [.done: 20])
    }

    @Test(.timeLimit(.minutes(1))) func `that serve without an end pay whatever comes, until they are cancelled`()
        async throws
    {
        let shop = try Workshop(["a": Self.facts(.concurrent(2))])
        let service = Task { try await shop.manager.run() }
        for number in 0..<5 {
            let batch = try await shop.accept([try shop.photo("\(number).jpg")])
            let summary = try await shop.summary(batch)
            #expect(summary.done == 1)
        }
        // What another process accepts is heard of, too.
        let other = try shop.otherManager()
        let theirs = try await other.accept(SubmitRequest(paths: [try shop.photo("x.jpg")], destinations: ["a"])).batch
        while try await shop.states(theirs, at: "a") != [.done: 1] { await Task.yield() }
        service.cancel()
        try await service.value
    }

    @Test(.timeLimit(.minutes(1))) func `go on with a destination that is replaced, by its new settings`() async throws
    {
        let shop = try Workshop(["a": Self.facts(.concurrent(2))])
        let facts = Self.facts(.concurrent(2))
        shop["a"].script = { _, _, _ in
            .failure(
                SubmitFailure(.renewCredentials, code: "credentials", message: "The password is refused: renew it."))
        }
        let batch = try await shop.accept(try shop.photos(5))
        let service = Task { try await shop.manager.run() }
        while try await shop.journal.state(of: "a").hold == nil { await Task.yield() }
        let place = InMemoryPlace()
        shop.manager.add(
            Destination(
                name: "a", type: InMemorySubmitter.submitterType(capabilities: facts),
                submitter: InMemorySubmitter(place, capabilities: facts)))
        try await shop.manager.resume(["a"])
        while try await shop.states(batch, at: "a") != [.done: 5] { await Task.yield() }
        #expect(place.contents.count == 5)
        service.cancel()
        try await service.value
    }

    @Test(.timeLimit(.minutes(1))) func `pay a destination that is added, and none that is removed`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(2))])
        let a = try shop.manager.destination(named: "a")
        let batch = try await shop.accept(try shop.photos(3))
        shop.manager.remove(destination: "a")
        let service = Task { try await shop.manager.run() }
        shop.manager.add(a)
        while try await shop.states(batch, at: "a") != [.done: 3] { await Task.yield() }
        shop.manager.remove(destination: "a")
        let other = try shop.otherManager()
        let more = try await other.accept(SubmitRequest(paths: [try shop.photo("more.jpg")], destinations: ["a"])).batch
        let summary = try await shop.summary(more, patience: .zero)
        #expect(summary.waiting == 1 && summary.done == 0)
        service.cancel()
        try await service.value
    }

    @Test(.timeLimit(.minutes(1))) func `end with what others make of their batches, and tell of it as of their own`()
        async throws
    {
        let shop = try Workshop(["a": Self.facts(.concurrent(1))])
        let gate = shop.gate(at: "a")
        let batch = try await shop.accept(try shop.photos(1))
        // This manager has no such destination, and can only hear of it.
        let other = try shop.otherManager()
        other.remove(destination: "a")
        let done = Locked<[String]>([])
        other.listen { if case .done(let note, _) = $0 { done.withLock { $0.append(note.item.name) } } }
        let watching = try await other.start([batch])
        async let sent: Void = shop.run(batch)
        await gate.arrivals(1)
        async let watched: Void = watching.finish(patience: .zero)
        gate.open()
        try await sent
        try await watched
        #expect(done.withLock { $0 } == ["IMG_0000.jpg"])
        #expect(watching.meters.map(\.done) == [1])
    }

    @Test(.timeLimit(.minutes(1))) func `that meet a journal which fails end with that, and new ones begin anew`()
        async throws
    {
        let shop = try Workshop(["a": Self.facts(.concurrent(2))])
        let batch = try await shop.accept(try shop.photos(20))
        let gate = shop.gate(at: "a")
        let run = try await shop.manager.start([batch])
        await gate.arrivals(2)
        try await shop.journal.spoil(true)
        gate.open()
        await #expect(throws: SubmitFailure.self) { try await run.finish(patience: .seconds(20)) }
        try await shop.journal.spoil(false)
        let summary = try await shop.summary(batch)
        #expect(summary.done == 20, "also what was under way when it failed: \(summary)")
    }
}

extension Journal {
    /// Lets no submission change its state any more, or all again.
    fileprivate func spoil(_ isSpoiled: Bool) async throws {
        let sql =
            isSpoiled
            ? "CREATE TRIGGER spoiled BEFORE UPDATE OF state ON submission BEGIN SELECT RAISE(ABORT, 'spoiled'); END"
            : "DROP TRIGGER spoiled"
        try await write { db in try db.execute(sql: sql) }
    }
}
