internal import Glibc

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

extension Duration {
    /// Whole milliseconds, rounded up: whoever waits so long has not waited too little.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        if seconds > Int64.max / 2000 { return .max }
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
