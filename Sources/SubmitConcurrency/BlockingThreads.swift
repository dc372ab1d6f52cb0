internal import Foundation

/// Threads for work that may wait for a disk, a program or a person: the few that Swift's tasks share stay free for
/// everyone else, whatever hangs.
///
/// Work that hangs holds a thread of its own, and nothing but that, up to a bound. Threads that nobody needs end.
public final class BlockingThreads: TaskExecutor {
    /// For what is known to wait: sources, and the folders that copies go to.
    public static let sources = BlockingThreads(atOnce: 1024, most: 1024)
    /// For attempts, which should not: they are a few that go on, as long as none of them does.
    package static let attempts = BlockingThreads(atOnce: kept, most: 1024)
    /// For programs and people that are asked for something, and for what they keep locked.
    package static let prompts = BlockingThreads(atOnce: 256, most: 256)

    private struct State {
        var jobs: [UnownedJob] = []
        /// Those before it have been taken.
        var first = 0
        var taken = 0
        var threads = 0
        var idle = 0
        /// Somebody looks whether all threads are held, and is there to do so.
        var (isWatched, hasWatcher) = (false, false)

        var waiting: Int { jobs.count - first }

        mutating func next() -> UnownedJob? {
            guard first < jobs.count else { return nil }
            defer {
                first += 1
                taken += 1
                if first == jobs.count || first == 1024 {
                    jobs.removeFirst(first)
                    first = 0
                }
            }
            return jobs[first]
        }
    }

    /// Guards the state.
    private let turn = NSCondition()
    private nonisolated(unsafe) var state = State()
    /// Rung where somebody has to watch.
    private let need = DispatchSemaphore(value: 0)
    private let atOnce: Int
    private let most: Int

    /// So many never end.
    private static let kept = max(2, ProcessInfo.processInfo.activeProcessorCount)
    /// How long all that there are at once may be held while work waits.
    private static let patience = 0.01
    /// How long a thread is kept that has nothing to do, in seconds.
    private static let idleTime = 2.0

    /// - Parameters:
    ///   - atOnce: so many begin as soon as there is work for them.
    ///   - most: so many, where all of them are held while work waits.
    package init(atOnce: Int, most: Int) {
        self.atOnce = atOnce
        self.most = most
    }

    /// Runs `body`, which may block, in the calling task: `Task.isCancelled` tells in it what it tells there.
    public func run<Value: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withTaskExecutorPreference(self) { () async throws(Failure) in try body() }
    }

    /// The same where the calling task runs on such threads already, on whichever; else on those for sources.
    package static func anywhere<Value: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let current = withUnsafeCurrentTask { $0?.unownedTaskExecutor }
        let all = [attempts, sources, prompts]
        if all.contains(where: { $0.asUnownedTaskExecutor() == current }) { return try body() }
        return try await sources.run(body)
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        turn.lock()
        state.jobs.append(job)
        let isShort = state.idle < state.waiting
        let isNew = isShort && state.threads < atOnce
        if isNew { state.threads += 1 }
        let isToBeWatched = isShort && !isNew && !state.isWatched && atOnce < most
        let isFirst = isToBeWatched && !state.hasWatcher
        if isToBeWatched { (state.isWatched, state.hasWatcher) = (true, true) }
        let isAnyoneIdle = state.idle > 0
        turn.unlock()
        // Woken before that, it would only wait for the lock.
        if isAnyoneIdle { turn.signal() }
        if isNew { Thread.detachNewThread { self.work() } }
        if isFirst { Thread.detachNewThread { while true { self.watch() } } }
        if isToBeWatched { need.signal() }
    }

    private func work() {
        turn.lock()
        while let job = next() {
            turn.unlock()
            job.runSynchronously(on: asUnownedTaskExecutor())
            turn.lock()
        }
        turn.unlock()
    }

    /// What to do next; `nil` for a thread that is no longer needed.
    private func next() -> UnownedJob? {
        while true {
            if let job = state.next() { return job }
            state.idle += 1
            defer { state.idle -= 1 }
            guard state.threads > Self.kept else {
                turn.wait()
                continue
            }
            let isRung = turn.wait(until: Date(timeIntervalSinceNow: Self.idleTime))
            if !isRung, state.waiting == 0, state.threads > Self.kept {
                state.threads -= 1
                return nil
            }
        }
    }

    /// Begins more threads as long as work waits and none is taken.
    private func watch() {
        need.wait()
        turn.lock()
        var (taken, since) = (state.taken, 0)
        while state.waiting > 0 {
            turn.unlock()
            Thread.sleep(forTimeInterval: Self.patience)
            turn.lock()
            since = state.taken == taken ? since + 1 : 0
            taken = state.taken
            guard since > 0 else { continue }
            let more = min(state.waiting, most - state.threads)
            state.threads += max(0, more)
            for _ in 0..<max(0, more) { Thread.detachNewThread { self.work() } }
        }
        state.isWatched = false
        turn.unlock()
    }
}
