public import Submit

/// What comes after a failure: the only place where that is decided.
public struct RetryPolicy: Sendable, Hashable {
    /// The first wait's upper bound; it doubles with each further failure.
    public var baseMilliseconds: Int64
    /// The longest upper bound.
    public var longestMilliseconds: Int64
    /// How many attempts may fail before the submission does.
    public var attempts: Int
    /// How long after acceptance a submission may still be tried again after a failure.
    public var ageMilliseconds: Int64

    public init(
        baseMilliseconds: Int64 = 1000, longestMilliseconds: Int64 = 300_000, attempts: Int = 8,
        ageMilliseconds: Int64 = 30 * 86_400_000
    ) {
        self.baseMilliseconds = baseMilliseconds
        self.longestMilliseconds = longestMilliseconds
        self.attempts = attempts
        self.ageMilliseconds = ageMilliseconds
    }

    /// What to do with a submission, and with its destination.
    public enum Decision: Sendable, Hashable {
        case fail
        case cancelled
        /// Try the submission again after so many milliseconds.
        case wait(milliseconds: Int64)
        /// The same, and it was no attempt.
        case look(milliseconds: Int64)
        /// The destination's submissions wait; `nil` stands for "until the credentials are renewed".
        case park(ParkReason?, askedMilliseconds: Int64?)
    }

    /// - Parameters:
    ///   - failures: how many attempts of this submission failed before this one.
    ///   - age: milliseconds since its acceptance.
    ///   - random: a number in 0..<1.
    public func decision(after failure: SubmitFailure, failures: Int, age: Int64, random: Double) -> Decision {
        switch failure.remedy {
        case .giveUp, .sourceLost, .outcomeUnknown: .fail
        case .cancelled: .cancelled
        case .renewCredentials: .park(nil, askedMilliseconds: nil)
        case .park(let reason, let asked): age < ageMilliseconds ? .park(reason, askedMilliseconds: asked) : .fail
        // Seconds, as services ask for: a clock that is wrong by years must not hold a submission for as long.
        case .wait(let asked):
            age < ageMilliseconds ? .look(milliseconds: min(max(100, asked), longestMilliseconds)) : .fail
        case .retry(let asked):
            if failures + 1 >= attempts || age >= ageMilliseconds {
                .fail
            } else {
                .wait(milliseconds: wait(afterFailures: failures + 1, asked: asked, random: random))
            }
        }
    }

    /// When to look again at a parked destination, in milliseconds; `nil`: when someone acts.
    public func look(again reason: ParkReason?, parkings: Int, asked: Int64?, random: Double) -> Int64? {
        switch reason {
        case nil, .misconfigured?: nil
        case .unreachable?, .full?, .throttled?: wait(afterFailures: parkings, asked: asked, random: random)
        }
    }

    /// Exponential backoff with full jitter, on top of what the destination asked for.
    private func wait(afterFailures failures: Int, asked: Int64?, random: Double) -> Int64 {
        if asked == 0 { return 0 }
        let bound = min(longestMilliseconds, baseMilliseconds << Int64(min(30, max(0, failures - 1))))
        return (asked ?? 0) + Int64(Double(bound) * random)
    }
}
