internal import SubmitPlatform

/// The clock that deadlines are measured by. It stands still while the machine sleeps: what slept with it is not late.
struct HostClock: Sendable {
    /// Some time that only grows.
    var now: @Sendable () -> Duration
    /// Asks to be called whenever time makes a step that no one could have waited for.
    var onStep: @Sendable (@escaping @Sendable () -> Void) -> Void

    static let machine = HostClock {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    } onStep: { _ in
    }
}
