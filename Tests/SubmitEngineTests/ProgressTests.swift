import Foundation
import GRDB
import Submit
import SubmitConcurrency
import SubmitEngine
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitJournal

@Suite struct ProgressTests {
    private static let broken = SubmitFailure(.retry(after: nil), code: "broken", message: "The line broke.")

    @Test func `attempts that get farther each time do not use up those a submission has`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let attempts = Locked(0)
        shop["a"].script = { moment, item, context in
            guard moment == .beforeStoring else { return .success(()) }
            let attempt = attempts.withLock { count -> Int in
                count += 1
                return count
            }
            context.landed(Int64(attempt) * 10)
            return attempt == 20 ? .success(()) : .failure(Self.broken)
        }
        let batch = try await shop.accept(try shop.photos(1))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 1])
        #expect(attempts.withLock { $0 } == 20, "the policy of the workshop allows 5 without progress")
    }

    @Test func `waiting for a service that is at work uses up no attempt, and keeps its checkpoint`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let looks = Locked<[Checkpoint?]>([])
        shop["a"].script = { moment, _, context in
            guard moment == .beforeStoring else { return .success(()) }
            let count = looks.withLock { looks -> Int in
                looks.append(context.checkpoint)
                return looks.count
            }
            guard count < 12 else { return .success(()) }
            do throws(SubmitFailure) {
                try await context.keep(Checkpoint(data: [UInt8(count)]))
            } catch {
                return .failure(error)
            }
            return .failure(
                SubmitFailure(.wait(after: .milliseconds(1)), code: "processing", message: "It is at work."))
        }
        let batch = try await shop.accept(try shop.photos(1))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 1])
        #expect(looks.withLock { $0.map { $0?.data.first } } == [nil] + (1...11).map { UInt8($0) })
    }

    @Test func `what is skipped is told apart from what is done`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let paths = try shop.photos(3)
        shop["a"].put([1, 2, 3], as: "IMG_0001.jpg")
        let request = SubmitRequest(paths: paths, destinations: ["a"], onConflict: .skip)
        let batch = try await shop.manager.accept(request).batch
        let run = try await shop.manager.start([batch])
        try await run.finish(patience: .zero)
        let meter = try #require(run.meters.first)
        #expect(meter.done == 2 && meter.doneSize == 600 && meter.skipped == 1)
        #expect(meter.total == 3 && meter.totalSize == 600)
        #expect(try await shop.journal.skipped([batch]) == [SkippedTally(destination: "a", count: 1, bytes: 300)])
        #expect(try await shop.journal.skipped([batch + 1]) == [])
    }

    @Test func `attempts that get no farther do, whatever they say of their progress`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        shop["a"].script = { moment, _, context in
            guard moment == .beforeStoring else { return .success(()) }
            context.landed(100)
            return .failure(Self.broken)
        }
        let batch = try await shop.accept(try shop.photos(1))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.failed: 1])
        #expect(try await shop.record(batch, at: "a", named: "IMG_0000.jpg").tries == 6, "the first one got somewhere")
    }

    @Test func `what a cancelled submission left is removed by its last checkpoint`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let gate = Gate()
        let discarded = Locked<[Checkpoint?]>([])
        shop["a"].script = { moment, _, context in
            if moment == .discarding { discarded.withLock { $0.append(context.checkpoint) } }
            guard moment == .beforeStoring else { return .success(()) }
            for number in UInt8(1)...2 { try? await context.keep(Checkpoint(data: [number])) }
            await withTaskCancellationHandler {
                await gate.pass()
            } onCancel: {
                gate.open()
            }
            return .success(())
        }
        let batch = try await shop.accept(try shop.photos(1))
        async let run: Void = shop.run(batch)
        await gate.arrivals(1)
        _ = try await shop.manager.cancel(SubmissionSelection(batch: batch))
        try await run
        #expect(discarded.withLock { $0 } == [Checkpoint(data: [2])])
        #expect(try await shop.journal.checkpoints(destination: "a", of: nil).isEmpty)
    }

    /// A process that was frozen past its claim wakes: its successor goes on from the same checkpoint.
    @Test func `who lost its claim removes nothing that its successor goes on from`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let gate = Gate()
        let discards = Locked(0)
        shop["a"].script = { moment, _, context in
            if moment == .discarding { discards.withLock { $0 += 1 } }
            guard moment == .beforeStoring else { return .success(()) }
            try? await context.keep(Checkpoint(data: [1]))
            await gate.pass()
            do throws(SubmitFailure) {
                return .success(try await context.keep(Checkpoint(data: [2])))
            } catch {
                return .failure(error)
            }
        }
        let batch = try await shop.accept(try shop.photos(1))
        let run = try await shop.manager.start([batch])
        let sending = Task { try await run.finish(patience: .zero) }
        await gate.arrivals(1)
        defer { gate.open() }
        let other = try Journal(path: shop.folder.appending("journal.sqlite"))
        let worker = try await other.makeWorker()
        // The queue may be quicker to claim it again.
        var found: ClaimedSubmission?
        while found == nil {
            // As whoever takes us for dead does.
            try await other.write { db in
                try db.execute(
                    sql: "UPDATE submission SET state = 0, claimed_by = NULL, fence = fence + 1 WHERE state = 1")
            }
            found = try await worker.claim("a", first: [batch], others: false, limit: 1, inOrder: false).first
        }
        let successor = try #require(found)
        #expect(successor.checkpoint == Checkpoint(data: [1]))
        gate.open()
        while await !shop.manager.underWay().isEmpty { await Task.yield() }
        // The run waits for what the successor has, which nobody sends here, until that is taken for dead.
        sending.cancel()
        try await sending.value
        #expect(discards.withLock { $0 } == 0)
        #expect(
            try await shop.journal.checkpoints(destination: "a", of: nil).map(\.checkpoint) == [Checkpoint(data: [1])])
    }

    @Test func `what could not be removed is owed until it is`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let isDown = Locked(true)
        shop["a"].script = { moment, _, context in
            switch moment {
            case .beforeStoring:
                try? await context.keep(Checkpoint(data: [7]))
                return .failure(
                    SubmitFailure(.hold(.unreachable, after: .seconds(60)), code: "down", message: "It is down."))
            case .discarding:
                return isDown.withLock { $0 } ? .failure(Self.broken) : .success(())
            default: return .success(())
            }
        }
        let batch = try await shop.accept(try shop.photos(1))
        try await shop.run(batch, patience: .zero)
        let other = try shop.otherManager()
        let cancellation = try await other.cancel(SubmissionSelection(batch: batch))
        #expect(cancellation.cancelled.count == 1)
        #expect(try await shop.journal.checkpoints(destination: "a", of: nil).map(\.state) == [.cancelled])
        isDown.withLock { $0 = false }
        #expect(try await other.discardCancelled(at: ["a"]) == 1)
        #expect(try await shop.journal.checkpoints(destination: "a", of: nil).isEmpty)
    }

    @Test func `a submission that ran out of attempts keeps its checkpoint for a retry`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let seen = Locked<[Checkpoint?]>([])
        let isDown = Locked(true)
        shop["a"].script = { moment, _, context in
            guard moment == .beforeStoring else { return .success(()) }
            seen.withLock { $0.append(context.checkpoint) }
            try? await context.keep(Checkpoint(data: [9]))
            return isDown.withLock { $0 } ? .failure(Self.broken) : .success(())
        }
        let batch = try await shop.accept(try shop.photos(1))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.failed: 1])
        isDown.withLock { $0 = false }
        _ = try await shop.manager.retry(SubmissionSelection(batch: batch))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 1])
        #expect(seen.withLock { $0 }.last == Checkpoint(data: [9]))
    }

    @Test func `a proof by reading back is refused beforehand where there is none`() async throws {
        var facts = InMemorySubmitter.capabilities
        facts.canReadBack = false
        let shop = try Workshop(["a": facts, "b": InMemorySubmitter.capabilities])
        let request = SubmitRequest(
            paths: try shop.photos(1), destinations: ["a", "b"], verification: .readback)
        let batch = try await shop.manager.accept(request).batch
        #expect(try await shop.states(batch, at: "a") == [.failed: 1])
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "b") == [.done: 1])
        #expect(shop["a"].begun.isEmpty)
    }

    @Test func `digests are computed of items up to the size for which they are wanted`() async throws {
        var facts = InMemorySubmitter.capabilities
        facts.digests = [.md5, .crc32c]
        facts.digestLimits = [.md5: 1000]
        let shop = try Workshop(["a": facts])
        let batch = try await shop.accept([try shop.photo("s.jpg", bytes: 1000), try shop.photo("l.jpg", bytes: 1001)])
        #expect(
            try await shop.record(batch, at: "a", named: "s.jpg").item.digests.algorithms == [.sha256, .md5, .crc32c])
        #expect(try await shop.record(batch, at: "a", named: "l.jpg").item.digests.algorithms == [.sha256, .crc32c])
    }
}
