public import Submit
public import SubmitStore

/// What comes after a failure: the only place where that is decided.
public struct RetryPolicy: Sendable, Hashable {
    /// The first wait's upper bound; it doubles with each further failure.
    public var base: Duration
    /// The longest upper bound.
    public var longest: Duration
    /// How many attempts may fail before the submission does.
    public var attempts: Int
    /// How long after acceptance a submission may still be tried again after a failure.
    public var age: Duration
    /// How many times the connection may break at the same offset of a submission's body before it fails.
    public static let cuts = 5

    /// The usual policy where nothing is given: eight attempts in 30 days, with waits of up to 1 s that grow to up to 5
    /// min.
    public init(
        base: Duration = .seconds(1), longest: Duration = .seconds(300), attempts: Int = 8,
        age: Duration = .seconds(30 * 86_400)
    ) {
        self.base = base
        self.longest = longest
        self.attempts = attempts
        self.age = age
    }

    /// What to do with a submission, and with its destination.
    public enum Decision: Sendable, Hashable {
        /// It fails: it is not tried again by itself.
        case fail
        /// It ends as cancelled.
        case cancelled
        /// Try the submission again after that time.
        case wait(Duration)
        /// The same, and it was no attempt.
        case look(Duration)
        /// The destination's submissions wait; `nil` stands for "until the credentials are renewed".
        case hold(HoldReason?, asked: Duration?)
    }

    /// What is known of a submission that failed.
    public struct Case: Sendable, Hashable {
        /// How many of its attempts failed before this one.
        public var failures: Int
        /// Since its acceptance.
        public var age: Duration
        /// Whose fault it was the last time.
        public var fault: StoreFault
        /// Since anything broke on the way to its destination something arrived there.
        public var isWayOpen: Bool
        /// What a trial of the destination showed right after the failure; `nil` if there was none, or it tells nothing.
        public var trial: Trial?
        /// How many of its latest attempts, this one included, broke at about the same offset of its body.
        public var cuts: Int

        /// The first failure, just after the acceptance, where nothing is given.
        public init(
            failures: Int = 0, age: Duration = .zero, fault: StoreFault = .none, isWayOpen: Bool = false,
            trial: Trial? = nil, cuts: Int = 0
        ) {
            self.failures = failures
            self.age = age
            self.fault = fault
            self.isWayOpen = isWayOpen
            self.trial = trial
            self.cuts = cuts
        }
    }

    /// What a trial of a destination showed after a submission failed there.
    public enum Trial: Sendable, Hashable {
        /// It stored a few bytes.
        case stored
        /// It answered, and nothing was stored.
        case answered
        /// It is in trouble.
        case failed
    }

    /// What to do, and whose fault it was now.
    ///
    /// If nothing came through, nobody is at fault until others arrive. The first failure tells nothing while others arrive.
    /// After the second one in a row, of whichever submission, the destination waits. A submission that fails again after
    /// others arrived, or while a trial succeeds, has itself to blame, unless a trial shows later that the destination is in
    /// trouble. If the connection breaks at the same offset of one body again and again, that body is at fault whether or not
    /// others arrive.
    ///
    /// Waits after failures of its own are long. With the usual policy, at least 15 minutes pass before the last attempt, so
    /// that a server which has trouble with large requests alone for some minutes fails nothing. They are hours if nothing
    /// was stored meanwhile.
    ///
    /// - Parameters:
    ///   - failure: what the attempt ended with.
    ///   - known: what is known of the submission.
    ///   - random: a number in 0..<1.
    public func decision(
        after failure: SubmitFailure, _ known: Case, random: Double
    ) -> (decision: Decision, fault: StoreFault) {
        let isYoung = known.age < age
        func counted(_ asked: Duration?) -> Decision {
            guard known.failures + 1 < attempts, isYoung else { return .fail }
            return .wait(wait(afterFailures: known.failures + 1, asked: asked, random: random))
        }
        func countedAsOwn(_ asked: Duration?) -> Decision {
            guard known.failures + 1 < attempts, isYoung else { return .fail }
            let wait = known.cuts > 1 ? longestOwn / Self.leastShare : ownWait(afterFailures: known.failures + 1)
            let share = Self.leastShare + (1 - Self.leastShare) * random
            return .wait((asked ?? .zero) + wait * (known.trial == .answered ? Self.caution : 1) * share)
        }
        switch failure.remedy {
        case .giveUp, .sourceLost, .outcomeUnknown: return (.fail, .none)
        case .cancelled: return (.cancelled, known.fault)
        case .renewCredentials: return (.hold(nil, asked: nil), known.fault)
        case .hold(let reason, let asked):
            if isYoung { return (.hold(reason, asked: asked), known.fault) }
            return (.fail, reason == .unreachable ? .unclear : .none)
        // Seconds, as services ask for: a clock that is wrong by years must not hold a submission for as long.
        case .wait(let asked):
            return (isYoung ? .look(min(max(.milliseconds(100), asked), longest)) : .fail, .none)
        case .retry(let asked): return (counted(asked), .none)
        case .tryAnother(let asked) where known.trial == .failed && isYoung:
            return (.hold(.unreachable, asked: asked), known.fault == .own ? .own : .unclear)
        case .tryAnother where known.cuts >= Self.cuts: return (.fail, known.fault)
        case .tryAnother(let asked) where known.cuts > 1:
            return (countedAsOwn(asked), known.trial == .stored ? .own : known.fault)
        case .tryAnother(let asked):
            switch (known.fault, known.isWayOpen || known.trial != nil) {
            case (.own, _), (.unclear, true): return (countedAsOwn(asked), .own)
            case _ where !isYoung: return (.fail, .unclear)
            case (.none, true):
                return (.look(wait(afterFailures: 1, asked: asked, random: random)), .unclear)
            case (_, false): return (.hold(.unreachable, asked: asked), .unclear)
            }
        }
    }

    /// In how long to look again at a destination on hold; `nil`: when someone acts.
    ///
    /// - Parameters:
    ///   - reason: `nil`: its credentials have to be renewed.
    ///   - holds: how often in a row it was found unusable, from 1.
    ///   - asked: how long the destination asked to be left alone.
    ///   - random: a number in 0..<1.
    public func look(again reason: HoldReason?, holds: Int, asked: Duration?, random: Double) -> Duration? {
        switch reason {
        case nil, .misconfigured?: nil
        // It said itself for how long, and does so each time.
        case .throttled? where asked != nil: wait(afterFailures: min(holds, 2), asked: asked, random: random)
        case .unreachable?, .full?, .throttled?: wait(afterFailures: holds, asked: asked, random: random)
        }
    }

    /// The least part of a wait after a failure of the submission's own.
    private static let leastShare = 2.0 / 3
    /// How many times as long it waits if nothing shows that the destination stores anything.
    private static let caution = 16

    /// The longest wait after a failure of the submission's own, in proportion to ``base``: 300 s with the usual policy.
    private var longestOwn: Duration { base * 300 }

    private func ownWait(afterFailures failures: Int) -> Duration {
        min(longestOwn, base * (32 << min(10, max(0, failures - 1))))
    }

    /// Exponential backoff with full jitter, on top of what the destination asked for.
    private func wait(afterFailures failures: Int, asked: Duration?, random: Double) -> Duration {
        if asked == .zero { return .zero }
        let bound = min(longest, base * (1 << min(30, max(0, failures - 1))))
        return (asked ?? .zero) + bound * random
    }
}
