/// Something to wait for that may already have happened: a bell that keeps ringing until someone hears it.
package final class AsyncEvent: Sendable {
    private struct State {
        var rung = false
        var sleeper: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    package init() {}

    package func signal() {
        let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
            let sleeper = state.sleeper
            state.sleeper = nil
            if sleeper == nil { state.rung = true }
            return sleeper
        }
        sleeper?.resume()
    }

    /// Waits until it rings or the time is up. One waiter at a time.
    package func wait(milliseconds: Int64?) async {
        let alarm = milliseconds.map { milliseconds in
            Task {
                try await Task.sleep(for: .milliseconds(max(0, milliseconds)))
                self.signal()
            }
        }
        await withCheckedContinuation { continuation in
            let isLate = state.withLock { state -> Bool in
                if state.rung {
                    state.rung = false
                    return true
                }
                state.sleeper = continuation
                return false
            }
            if isLate { continuation.resume() }
        }
        alarm?.cancel()
    }
}
