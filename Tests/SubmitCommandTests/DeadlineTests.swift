import Submit
import SubmitConcurrency
import Testing

@testable import SubmitCommand

/// ``Deadline``.
@Suite struct `A deadline` {
    @Test func `lets pass what is done in time`() async {
        guard case .done(7) = await Deadline(limit: .seconds(600)).run({ 7 }) else {
            Issue.record("it was not done")
            return
        }
    }

    @Test func `tells work to end that heeds it`() async {
        let outcome = await Deadline(limit: .milliseconds(1), grace: .seconds(600)).run {
            while !Task.isCancelled { await Task.yield() }
        }
        guard case .late = outcome else {
            Issue.record("it was not late")
            return
        }
    }

    @Test func `does not wait for work that heeds nothing`() async {
        let isOver = Locked(false)
        let outcome = await Deadline(limit: .milliseconds(1), grace: .milliseconds(1)).run {
            while !isOver.withLock({ $0 }) { await Task.yield() }
        }
        isOver.withLock { $0 = true }
        guard case .endless = outcome else {
            Issue.record("it ended")
            return
        }
    }

    @Test func `passes on that its own task is cancelled`() async {
        let task = Task {
            await Deadline(limit: .seconds(600)).run { while !Task.isCancelled { await Task.yield() } }
        }
        task.cancel()
        guard case .done = await task.value else {
            Issue.record("it was not done")
            return
        }
    }
}
