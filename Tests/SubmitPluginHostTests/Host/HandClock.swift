import Submit
import SubmitConcurrency

@testable import SubmitPluginHost

/// A clock that stands still until a test moves it.
final class HandClock: Sendable {
    private let state = Locked((now: Duration.seconds(1000), steps: [@Sendable () -> Void]()))

    var clock: HostClock {
        HostClock {
            self.state.withLock { $0.now }
        } onStep: { step in
            self.state.withLock { $0.steps.append(step) }
        }
    }

    func advance(by duration: Duration) {
        let steps = state.withLock { state in
            state.now += duration
            return state.steps
        }
        for step in steps { step() }
    }
}
