import Submit
import SubmitConcurrency
import Testing

@testable import SubmitTransfer

@Suite struct PartSchedulerTests {
    private let sent = Locked<[Int64]>([])
    private let landed = Locked<[Int64]>([])

    private var context: SubmissionContext {
        SubmissionContext(
            submission: "test", sent: { [sent] bytes in sent.withLock { $0.append(bytes) } },
            landed: { [landed] bytes in landed.withLock { $0.append(bytes) } })
    }

    private func scheduler(_ size: Int64, width: Int, permits: Int = 8) -> PartScheduler {
        PartScheduler(
            PartPlan(size: size, partSize: 10), permits: AsyncSemaphore(permits), width: width, context: context)
    }

    @Test func `sends only the parts that the server misses, and returns all of them in order`() async throws {
        let asked = Locked<[Int]>([])
        let parts = try await scheduler(35, width: 2).send(missingFrom: [2: "there"]) { number, range, report in
            asked.withLock { $0.append(number) }
            report(Int64(range.count))
            return .success("\(number): \(range.lowerBound)..<\(range.upperBound)")
        }
        #expect(parts == ["1: 0..<10", "there", "3: 20..<30", "4: 30..<35"])
        #expect(asked.withLock { $0.sorted() } == [1, 3, 4])
        #expect(sent.withLock { $0 } == sent.withLock { $0.sorted() } && sent.withLock { $0.last } == 35)
        #expect(landed.withLock { $0.max() } == 35)
    }

    @Test func `begins no part after a failure, and lets those under way come to their ends`() async throws {
        let (bothRun, failed) = (AsyncSemaphore(0), AsyncSemaphore(0))
        let ended = Locked<[Int]>([])
        let failure = await #expect(throws: SubmitFailure.self) {
            try await scheduler(100, width: 2).send(missingFrom: [Int: Int]()) { number, _, _ in
                if number == 1 {
                    _ = await bothRun.acquire()
                    for _ in 0..<10 { failed.release() }
                    return .failure(SubmitFailure(.retry(after: nil), code: "broken", message: "It broke: try again."))
                }
                bothRun.release()
                _ = await failed.acquire()
                ended.withLock { $0.append(number) }
                return .success(number)
            }
        }
        #expect(failure?.code == "broken")
        // The second part ended after the failure. A third one may have begun before it was known.
        #expect(ended.withLock { $0.first } == 2 && ended.withLock { $0.count } <= 2)
    }

    @Test func `counts a part that is sent a second time only from where it gets farther`() async throws {
        _ = try await scheduler(20, width: 1).send(missingFrom: [Int: Int]()) { number, _, report in
            for bytes in [4, 2, 6, 10] as [Int64] { report(bytes) }
            return .success(number)
        }
        #expect(sent.withLock { $0 } == [0, 4, 6, 10, 14, 16, 20])
    }

    @Test func `sends no more parts at once than the destination permits`() async throws {
        let running = Locked((now: 0, most: 0))
        _ = try await scheduler(200, width: 8, permits: 3).send(missingFrom: [Int: Int]()) { number, _, _ in
            running.withLock { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
            await Task.yield()
            running.withLock { $0.now -= 1 }
            return .success(number)
        }
        #expect(running.withLock { $0.most } <= 3)
    }

    @Test func `cuts an item so that the server takes all of its parts, or not at all`() throws {
        let rules = PartRules(least: 5 << 20, most: 5 << 30, count: 10_000)
        let usual = try #require(rules.plan(size: 100 << 20, wanted: nil))
        #expect(usual.partSize == 8 << 20 && usual.count == 13 && usual.range(13).count == 4 << 20)
        let large = try #require(rules.plan(size: 1 << 40, wanted: 8 << 20))
        #expect(large.count <= 10_000 && large.partSize.isMultiple(of: 1 << 20))
        #expect(rules.plan(size: rules.mostBytes + 1, wanted: nil) == nil)
    }
}
