import Submit
import SubmitConcurrency
import Testing

@testable import SubmitHTTP

/// What is done once for all who want it.
@Suite(.timeLimit(.minutes(1))) struct `A single flight` {
    /// Work that goes on until it is let go, or cancelled.
    private final class Work: Sendable {
        let begun = Locked(0)
        let wasCancelled = Locked(false)
        private let gate = AsyncSemaphore(0)

        func run() async -> Int {
            let number = begun.withLock { begun in
                begun += 1
                return begun
            }
            if await !gate.acquire() { wasCancelled.withLock { $0 = true } }
            return number
        }

        func letGo() { gate.release() }
        func hasBegun(_ times: Int) async { while begun.withLock({ $0 }) < times { await Task.yield() } }
    }

    private let work = Work()

    private func asking(_ count: Int, _ flight: SingleFlight<Int>) -> [Task<Int?, Never>] {
        (0..<count).map { _ in Task { [work] in await flight.outcome { await work.run() } } }
    }

    @Test(arguments: [SingleFlight<Int>.Abandonment.withTheLast, .never])
    func `gives all what comes of one, and the next one another`(abandonment: SingleFlight<Int>.Abandonment) async {
        let flight = SingleFlight<Int>(abandonment)
        let first = asking(1, flight)
        await work.hasBegun(1)
        let others = asking(20, flight)
        // Whoever asked before the end is told of it; one who had not yet asked begins another.
        while flight.waiting < 21 { await Task.yield() }
        work.letGo()
        for task in first + others { #expect(await task.value == 1) }
        let next = asking(1, flight)
        await work.hasBegun(2)
        work.letGo()
        #expect(await next[0].value == 2)
    }

    @Test func `is left at once by whoever is cancelled, and goes on for the others`() async {
        let flight = SingleFlight<Int>(.withTheLast)
        let tasks = asking(3, flight)
        while flight.waiting < 3 { await Task.yield() }
        for task in tasks.dropLast() {
            task.cancel()
            #expect(await task.value == nil)
        }
        #expect(!work.wasCancelled.withLock { $0 })
        work.letGo()
        #expect(await tasks[2].value == 1)
    }

    @Test func `is cancelled with the last who leaves, and the next one begins anew`() async {
        let flight = SingleFlight<Int>(.withTheLast)
        let tasks = asking(2, flight)
        while flight.waiting < 2 { await Task.yield() }
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value == nil) }
        while !work.wasCancelled.withLock({ $0 }) { await Task.yield() }
        let next = asking(1, flight)
        await work.hasBegun(2)
        work.letGo()
        #expect(await next[0].value == 2)
    }

    @Test func `that must be done whole keeps whoever began it until its end`() async {
        let flight = SingleFlight<Int>(.never)
        let first = asking(1, flight)[0]
        await work.hasBegun(1)
        let other = asking(1, flight)[0]
        while flight.waiting < 2 { await Task.yield() }
        other.cancel()
        #expect(await other.value == nil)
        let hasEnded = Locked(false)
        let watch = Task {
            _ = await first.value
            hasEnded.withLock { $0 = true }
        }
        first.cancel()
        for _ in 0..<100 { await Task.yield() }
        #expect(!hasEnded.withLock { $0 } && !work.wasCancelled.withLock { $0 })
        work.letGo()
        await watch.value
        #expect(await first.value == nil)
    }

    @Test func `is not begun by a task that was cancelled before`() async {
        let flight = SingleFlight<Int>(.withTheLast)
        let task = Task { [work] in
            while !Task.isCancelled { await Task.yield() }
            return await flight.outcome { await work.run() }
        }
        task.cancel()
        #expect(await task.value == nil && work.begun.withLock { $0 } == 0 && flight.waiting == 0)
    }
}
