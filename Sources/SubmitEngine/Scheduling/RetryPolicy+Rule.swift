internal import Submit

extension RetryPolicy {
    /// Which rule a decision follows, in words for whoever looks for a fault.
    func rule(of decision: Decision, after failure: SubmitFailure, _ known: Case) -> String {
        let isOld = known.age >= age
        switch (decision, failure.remedy) {
        case (.fail, .giveUp), (.fail, .sourceLost): return "nothing that it could be tried again for"
        case (.fail, .outcomeUnknown): return "it may have arrived, and must not be sent twice"
        case (.fail, .tryAnother) where known.cuts >= Self.cuts:
            return "the connection broke at the same offset of its body \(known.cuts) times"
        case (.fail, _) where isOld: return "accepted more than \(age.components.seconds) s ago"
        case (.fail, _): return "failure \(known.failures + 1) of \(attempts)"
        case (.cancelled, _): return "somebody cancelled it, or the run ends"
        case (.wait(let time), _):
            return
                "failure \(known.failures + 1) of \(attempts): again in \(time.milliseconds) ms, with exponential backoff"
        case (.look(let time), .wait): return "the destination asked for \(time.milliseconds) ms, which is no failure"
        case (.look(let time), _):
            return "others arrive, so that this counts as no failure yet: again in \(time.milliseconds) ms"
        case (.hold(nil, _), _): return "the destination waits for credentials"
        case (.hold(.unreachable?, _), .tryAnother): return "nothing comes through to the destination"
        case (.hold(let reason?, _), _): return "the destination is on hold: \(reason.rawValue)"
        }
    }
}
