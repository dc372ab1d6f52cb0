import Foundation
import Submit
import SubmitConcurrency
import SubmitEngine
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(5))) struct FanOutTests {
    private let unreachable = SubmitFailure(
        .hold(.unreachable, after: nil), code: "unreachable", message: "It cannot be reached: wait.")

    private static func facts(_ ordering: Ordering, gap: Duration = .zero, kinds: Set<MediaKind> = [.photo])
        -> Capabilities
    {
        Capabilities(
            ordering: ordering, minimumGap: gap, kinds: kinds, captionLimit: 5, requiresNetwork: false)
    }

    @Test func `every item arrives at every destination, each at its own width`() async throws {
        let shop = try Workshop(["slow": Self.facts(.sequential), "wide": Self.facts(.concurrent(6))])
        let batch = try await shop.accept(try shop.photos(120))
        try await shop.run(batch)
        for place in ["slow", "wide"] {
            #expect(shop[place].contents.count == 120)
            #expect(shop[place].stored.count == 120, "each was stored once")
            #expect(try await shop.states(batch, at: place) == [.done: 120])
        }
        #expect(shop["slow"].widest == 1)
        #expect((2...6).contains(shop["wide"].widest))
        #expect(shop["slow"].begun == shop["slow"].begun.sorted(), "one at a time means in the order of acceptance")
    }

    @Test func `no more is claimed than about twice the width`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(3))])
        let gate = shop.gate(at: "a")
        let batch = try await shop.accept(try shop.photos(50))
        async let run: Void = shop.run(batch)
        await gate.arrivals(3)
        #expect(try await shop.states(batch, at: "a")[.running] == 6)
        gate.open()
        try await run
        #expect(try await shop.states(batch, at: "a") == [.done: 50])
    }

    @Test func `a destination that is down delays no other and is paid when it is back`() async throws {
        let shop = try Workshop(policy: RetryPolicy(base: .seconds(60)))
        let isDown = Locked(true)
        let failure = unreachable
        shop["b"].script = { _, _, _ in isDown.withLock { $0 } ? .failure(failure) : .success(()) }
        let batch = try await shop.accept(try shop.photos(30))
        try await shop.run(batch, patience: .milliseconds(1))
        #expect(try await shop.states(batch, at: "a") == [.done: 30])
        #expect(try await shop.states(batch, at: "b") == [.waiting: 30])
        let hold = try #require(try await shop.journal.state(of: "b").hold)
        #expect(hold.reason == .unreachable)
        #expect(shop["b"].begun.count <= 4, "no more was tried than was under way")

        isDown.withLock { $0 = false }
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "b") == [.done: 30])
        #expect(try await shop.journal.state(of: "b").hold == nil)
        #expect(shop["a"].stored.count == 30, "what was done was not sent again")
        let record = try #require(try await shop.journal.submissions(SubmissionSelection(destination: "b")).first)
        #expect(try await shop.journal.attempts(of: record.id).last?.outcome == "done")
    }

    @Test func `a destination that comes back while we wait is noticed`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(2))])
        let left = Locked(7)
        let failure = unreachable
        shop["a"].script = { _, _, _ in
            left.withLock { left in
                left -= 1
                return left > 0 ? .failure(failure) : .success(())
            }
        }
        let batch = try await shop.accept(try shop.photos(5))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 5])
    }

    @Test func `what waits for a time is tried again beside a long upload`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(4))])
        let gate = Gate()
        shop["a"].script = { moment, item, context in
            guard moment == .beforeSending else { return .success(()) }
            if item.name == "IMG_0000.jpg" {
                await gate.pass()
            } else if context.attempt == 1 {
                return .failure(
                    SubmitFailure(.retry(after: .milliseconds(1)), code: "passing", message: "It broke: try again."))
            } else {
                gate.open()
            }
            return .success(())
        }
        let batch = try await shop.accept(try shop.photos(2))
        // The long one ends only after the other's second attempt.
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 2])
    }

    @Test func `an upload that was under way does not end a hold`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(2))], policy: RetryPolicy(base: .seconds(60)))
        let gate = Gate()
        let throttled = SubmitFailure(
            .hold(.throttled, after: .seconds(3600)), code: "slow-down", message: "It asks us to slow down: wait.")
        shop["a"].script = { moment, item, _ in
            guard moment == .beforeSending else { return .success(()) }
            if item.name == "IMG_0000.jpg" {
                await gate.pass()
                return .success(())
            }
            // The long one has begun by then.
            await gate.arrivals(1)
            return .failure(throttled)
        }
        let events = shop.manager.events()
        let opener = Task {
            for await event in events {
                if case .onHold = event { gate.open() }
            }
        }
        let batch = try await shop.accept(try shop.photos(6))
        try await shop.run(batch, patience: .milliseconds(1))
        opener.cancel()
        #expect(try await shop.states(batch, at: "a") == [.done: 1, .waiting: 5])
        #expect(try await shop.journal.state(of: "a").hold != nil)
        #expect(shop["a"].begun.count == 2, "after the parking nothing began: \(shop["a"].begun)")
    }

    @Test func `a held destination is looked at again beside a long upload`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(2))])
        let gate = Gate()
        let longIsUnderWay = Gate()
        let isBusy = Locked(true)
        let throttled = SubmitFailure(
            .hold(.throttled, after: .milliseconds(1)), code: "slow-down", message: "It asks us to slow down: wait.")
        shop["a"].script = { moment, item, _ in
            guard moment == .beforeSending else { return .success(()) }
            if item.name == "IMG_0000.jpg" {
                longIsUnderWay.open()
                await gate.pass()
                return .success(())
            }
            // Otherwise the long one could be the one that is sent alone to look at the destination.
            await longIsUnderWay.pass()
            let wasBusy = isBusy.withLock { isBusy in
                defer { isBusy = false }
                return isBusy
            }
            return wasBusy ? .failure(throttled) : .success(())
        }
        let events = shop.manager.events()
        let opener = Task {
            var done = 0
            for await event in events {
                if case .done = event { done += 1 }
                if done == 9 { gate.open() }
            }
        }
        let batch = try await shop.accept(try shop.photos(10))
        // The long one ends only after all the others are done.
        try await shop.run(batch)
        opener.cancel()
        #expect(try await shop.states(batch, at: "a") == [.done: 10])
    }

    @Test func `two runs of one manager leave each other's submissions alone`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(2))])
        let gate = Gate()
        shop["a"].script = { moment, item, _ in
            if moment == .beforeStoring, item.name == "long.jpg" { await gate.pass() }
            return .success(())
        }
        let long = try await shop.accept([try shop.photo("long.jpg")])
        let short = try await shop.accept([try shop.photo("short.jpg")])
        async let first: Void = shop.run(long)
        await gate.arrivals(1)
        try await shop.run(short)
        gate.open()
        try await first
        #expect(shop["a"].begun.filter { $0 == "long.jpg" }.count == 1)
        #expect(try await shop.states(long, at: "a") == [.done: 1])
    }

    /// Two of what was claimed are done, so that more is being claimed while the next two are refused.
    @Test func `refused credentials go out with no more than was under way, though more was just being claimed`()
        async throws
    {
        for round in 0..<12 {
            let shop = try Workshop(["a": Self.facts(.concurrent(2))])
            let tried = Locked(0)
            shop["a"].script = { moment, item, _ in
                guard moment == .beforeSending, item.name > "IMG_0001.jpg" else { return .success(()) }
                tried.withLock { $0 += 1 }
                // Somewhere among these the claim is on its way.
                for _ in 0..<round * 8 { await Task.yield() }
                return .failure(
                    SubmitFailure(.renewCredentials, code: "credentials", message: "The key is refused: renew it."))
            }
            let batch = try await shop.accept(try shop.photos(12))
            try await shop.run(batch)
            #expect(tried.withLock { $0 } <= 2, "in round \(round)")
        }
    }

    @Test func `of two runs with one batch the first to end leaves what the other sends to it`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(2))])
        let gate = shop.gate(at: "a")
        let batch = try await shop.accept([try shop.photo("long.jpg")])
        async let first: Void = shop.run(batch)
        await gate.arrivals(1)
        let second = Task { try await shop.run(batch) }
        second.cancel()
        try await second.value
        #expect(try await shop.states(batch, at: "a") == [.running: 1])
        gate.open()
        try await first
        #expect(shop["a"].begun == ["long.jpg"])
        #expect(try await shop.states(batch, at: "a") == [.done: 1])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a destination that is added by many at once has one queue`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(2))])
        let added = shop.manager.destinations
        let batch = try await shop.manager.begin(SubmitRequest(paths: [], destinations: ["a"])).batch
        shop.manager.remove(destination: "a")
        let run = try await shop.manager.start([batch])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { added.forEach(shop.manager.add) } }
            try await group.waitForAll()
        }
        _ = try await shop.manager.accept(SubmitRequest(paths: try shop.photos(6), destinations: ["a"]), into: batch)
        try await run.finish(patience: .seconds(20))
        #expect(shop["a"].widest <= 2 && shop["a"].begun.count == 6)
    }

    @Test func `refused credentials make submissions wait until someone acts`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(2))])
        shop["a"].script = { _, _, _ in
            .failure(SubmitFailure(.renewCredentials, code: "credentials", message: "The key is refused: renew it."))
        }
        let batch = try await shop.accept(try shop.photos(5))
        try await shop.run(batch, patience: .seconds(3600))
        #expect(try await shop.states(batch, at: "a") == [.waiting: 5])
        #expect(try await shop.journal.state(of: "a").hold?.until == nil)
        shop["a"].script = nil
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 5])
    }

    @Test func `refused credentials are tried by one submission a run, and only when someone asks`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(3)), "b": Self.facts(.concurrent(3))])
        let refused = SubmitFailure(.renewCredentials, code: "credentials", message: "The key is refused: renew it.")
        shop["a"].script = { moment, _, _ in moment == .beforeSending ? .failure(refused) : .success(()) }
        let old = try await shop.accept(try shop.photos(20))
        try await shop.run(old)
        let first = shop["a"].begun.count
        #expect((1...3).contains(first), "what was under way with the first")

        let events = shop.manager.events()
        let new = try await shop.accept([try shop.photo("new.jpg")], to: ["b"])
        try await shop.manager.start([new, old], asked: ["b"]).finish(patience: .seconds(20))
        #expect(shop["a"].begun.count == first, "nobody asked for it")
        for run in 1...3 {
            try await shop.manager.start([new, old], asked: ["a"]).finish(patience: .seconds(20))
            #expect(shop["a"].begun.count == first + run)
        }
        shop.manager.endEvents()
        for await case .waiting(_, _, let until) in events { #expect(until == nil, "it waits for no time") }

        // One that fails for its own sake says nothing of the credentials: the next one finds out.
        shop["a"].script = { moment, item, _ in
            guard moment == .beforeSending, item.name == "IMG_0000.jpg" else { return .success(()) }
            return .failure(SubmitFailure(.giveUp, code: "refused", message: "It is refused."))
        }
        try await shop.manager.start([old], asked: ["a"]).finish(patience: .seconds(20))
        #expect(try await shop.states(old, at: "a") == [.done: 19, .failed: 1])
        #expect(try await shop.journal.state(of: "a").hold == nil)
    }

    @Test(arguments: [Ordering.sequential, .concurrent(4)])
    func `a file that always fails holds up no other and ends as failed`(_ ordering: Ordering) async throws {
        let shop = try Workshop(["a": Self.facts(ordering)])
        shop["a"].script = { _, item, _ in
            item.name == "IMG_0000.jpg"
                ? .failure(SubmitFailure(.retry(after: nil), code: "poison", message: "It breaks off: try again."))
                : .success(())
        }
        let batch = try await shop.accept(try shop.photos(40))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 39, .failed: 1])
        let poisoned = try await shop.record(batch, at: "a", named: "IMG_0000.jpg")
        #expect(poisoned.code == "poison")
        #expect(poisoned.tries == Workshop.policy.attempts)
        #expect(try await shop.journal.attempts(of: poisoned.id).count == Workshop.policy.attempts)
        #expect(shop["a"].begun.last == "IMG_0000.jpg", "the others did not wait for it")
    }

    @Test func `a lost reply after storing is recognised and not sent twice`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(2))])
        let lost = Locked(Set<String>())
        shop["a"].script = { moment, item, _ in
            guard moment == .afterStoring, lost.withLock({ $0.insert(item.name).inserted }) else { return .success(()) }
            return .failure(SubmitFailure(.retry(after: nil), code: "lost", message: "The reply was lost: ask again."))
        }
        let batch = try await shop.accept(try shop.photos(20))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 20])
        #expect(shop["a"].stored.count == 20)
        #expect(try await shop.journal.submissions(SubmissionSelection()).allSatisfy { $0.receipt?.wasThere == true })
    }

    @Test func `limits are enforced before bytes move`() async throws {
        var tight = Self.facts(.sequential, kinds: [.video])
        let shop = try Workshop(["videos": tight, "words": Self.facts(.sequential)])
        let batch = try await shop.manager.accept(
            SubmitRequest(
                paths: try shop.photos(1), destinations: ["videos", "words"], caption: "too many words")
        ).batch
        try await shop.run(batch)
        #expect(shop["videos"].begun.isEmpty && shop["words"].begun.isEmpty)
        #expect(
            try await shop.record(batch, at: "videos", named: "IMG_0000.jpg").message?.contains("takes no photos")
                == true)
        #expect(try await shop.record(batch, at: "words", named: "IMG_0000.jpg").code == "caption")
        tight.maximumSize = [.video: 10]
        #expect(tight.maximumSize[.photo] == nil)
    }

    @Test func `a minimum gap lies between the starts`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(4), gap: .milliseconds(30))])
        let starts = Locked<[ContinuousClock.Instant]>([])
        shop["a"].script = { moment, _, _ in
            if moment == .beforeSending { starts.withLock { $0.append(.now) } }
            return .success(())
        }
        let batch = try await shop.accept(try shop.photos(4))
        try await shop.run(batch)
        let times = starts.withLock { $0 }
        #expect(times.count == 4)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(25) })
    }

    @Test func `events come after what they tell was written down`() async throws {
        let shop = try Workshop(["a": Self.facts(.concurrent(4))])
        let events = shop.manager.events()
        let journal = shop.journal
        let watcher = Task {
            var early = 0
            var done = 0
            for await event in events {
                switch event {
                case .done(let note, _):
                    done += 1
                    let record = try await journal.submissions(SubmissionSelection(submission: note.id)).first
                    if record?.state != .done { early += 1 }
                case .accepted(_, _, let submissions):
                    for submission in submissions {
                        if try await journal.submissions(SubmissionSelection(submission: submission.id)).isEmpty {
                            early += 1
                        }
                    }
                default: break
                }
            }
            return (done, early)
        }
        let batch = try await shop.accept(try shop.photos(30))
        try await shop.run(batch)
        shop.manager.endEvents()
        let (done, early) = try await watcher.value
        #expect(done == 30)
        #expect(early == 0)
    }

    @Test func `send accepts a request and sends its items, and its run ends after both`() async throws {
        let shop = try Workshop()
        let run = try await shop.manager.send(SubmitRequest(paths: try shop.photos(60), destinations: ["a", "b"]))
        try await run.finish(patience: .seconds(20))
        let acceptance = try #require(try await run.acceptance)
        let batch = acceptance.batch
        #expect(acceptance.accepted == 60 && run.batches == [batch])
        #expect(try await run.summary().done == 120)
        #expect(try await shop.states(batch, at: "a") == [.done: 60])
        #expect(try await shop.states(batch, at: "b") == [.done: 60])
        #expect(run.meters.map(\.done) == [60, 60])
        #expect(run.meters.map(\.doneSize) == [60 * 300, 60 * 300])
    }
}
