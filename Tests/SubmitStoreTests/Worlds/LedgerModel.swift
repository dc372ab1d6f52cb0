import Submit
import SubmitStore

/// What is true of a ledger, in the simplest form.
struct LedgerModel {
    struct Submission {
        let id: SubmissionID
        let item: ItemID
        let batch: BatchID
        let destination: String
        let size: Int64
        var state: SubmissionState
        /// `nil` for a fresh one.
        var notBefore: Timestamp?
        var code: String?
        var tries = 0
        var failures = 0
        var landed: Int64 = 0
        var fence: Int64 = 0
        var fault = StoreFault.none
        /// Who has it.
        var worker: Int?
        var isCancelled = false
        var checkpoint: Checkpoint?
        /// By their numbers.
        var attempts: [Int: String] = [:]
        /// How claims ended, by their fences; `nil` inside: nothing was tried.
        var endings: [Int64: String?] = [:]
    }

    struct Destination {
        var isPaused = false
        var hold: Hold?
        /// The claim that put it on hold last.
        var finding: [Int64]?
    }

    struct Hold {
        var reason: HoldReason?
        var until: Timestamp?
        var count: Int

        var waitsForSomeone: Bool { reason == nil || reason == .misconfigured }
    }

    /// In the order of acceptance.
    var submissions: [Submission] = []
    var destinations: [String: Destination] = [:]
    /// What others made of the batches, by who has not heard it.
    var news: [Int: Set<SubmissionID>] = [:]
    var now: Timestamp

    static let looks: [Duration] = [.seconds(30), .seconds(90)]

    func index(_ id: SubmissionID) -> Int? { submissions.firstIndex { $0.id == id } }

    /// In how long something may go out.
    func opening(_ destination: String) -> Duration? {
        let state = destinations[destination, default: Destination()]
        if state.isPaused { return nil }
        guard let hold = state.hold else { return .zero }
        return hold.until.map { max(.zero, now.duration(to: $0)) }
    }

    // MARK: Claims

    func due(_ destination: String) -> [Submission] {
        submissions.filter { $0.state == .waiting && $0.destination == destination && ($0.notBefore ?? now) <= now }
    }

    /// How many a claim takes.
    func most(_ destination: String, batch: BatchID?, others: Bool, limit: Int, inOrder: Bool, by worker: Int) -> Int {
        guard opening(destination) == .zero else { return 0 }
        let isTaken = submissions.contains {
            $0.state == .running && $0.destination == destination && $0.worker != worker
        }
        if inOrder, isTaken { return 0 }
        let due = due(destination).filter { others || $0.batch == batch }
        return min(due.count, destinations[destination]?.hold == nil ? limit : 1)
    }

    /// Whether one should have been taken rather than another that was.
    func isAhead(_ left: Submission, of taken: Submission, batch: BatchID?) -> Bool {
        if let batch, left.batch == batch, taken.batch != batch { return true }
        if let batch, left.batch != batch, taken.batch == batch { return false }
        switch (left.notBefore, taken.notBefore) {
        case (nil, nil): return left.id < taken.id
        case (nil, let time?): return taken.batch == batch || time.duration(to: now) < .seconds(60)
        case (_?, nil): return false
        case (let one?, let other?): return one < other
        }
    }

    /// - Returns: what is wrong with what was claimed.
    mutating func claim(_ claims: [ClaimedSubmission], at destination: String, by worker: Int) -> [String] {
        if !claims.isEmpty, destinations[destination]?.hold?.waitsForSomeone == true {
            destinations[destination]?.hold?.until = nil
        }
        return claims.compactMap { claim in
            guard let index = index(claim.id) else { return "\(claim.id) is none" }
            defer {
                submissions[index].state = .running
                submissions[index].tries += 1
                submissions[index].fence = claim.fence
                submissions[index].worker = worker
                submissions[index].isCancelled = false
            }
            let one = submissions[index]
            let isRight =
                one.destination == destination && one.state == .waiting && (one.notBefore ?? now) <= now
                && claim.fence > one.fence && claim.tries == one.tries + 1 && claim.failures == one.failures
                && claim.landed == one.landed && claim.fault == one.fault && claim.checkpoint == one.checkpoint
                && claim.started == now && claim.batch == one.batch && claim.itemID == one.item
            return isRight ? nil : "\(claim) of \(one)"
        }
    }

    /// A worker is gone.
    mutating func die(_ worker: Int) {
        news[worker] = nil
        for index in submissions.indices where submissions[index].worker == worker {
            let isCancelled = submissions[index].isCancelled
            submissions[index].state = isCancelled ? .cancelled : .waiting
            submissions[index].notBefore = submissions[index].tries < 3 ? nil : now
            submissions[index].attempts[submissions[index].tries] = isCancelled ? "cancelled" : "interrupted"
            submissions[index].fence += 1
            submissions[index].worker = nil
        }
    }

    // MARK: Settling

    private func isCurrent(_ claim: ClaimedSubmission) -> Int? {
        index(claim.id).flatMap { submissions[$0].state == .running && submissions[$0].fence == claim.fence ? $0 : nil }
    }

    mutating func settle(
        _ claim: ClaimedSubmission, _ ending: LedgerEnding, _ landed: Int64, _ fault: StoreFault
    ) -> Settled? {
        guard let index = index(claim.id) else { return nil }
        var one = submissions[index]
        let ending = ending.state == .waiting && one.isCancelled ? .cancelled : ending
        guard let current = isCurrent(claim) else {
            let isRepeated = one.fence == claim.fence && one.endings[claim.fence] == .some(ending.outcome)
            return isRepeated ? Settled(one.state, notBefore: one.notBefore) : nil
        }
        let isCounted = ending == .waiting || ending.state == .failed
        one.failures = landed > one.landed ? 0 : one.failures + (isCounted ? 1 : 0)
        one.landed = max(landed, one.landed)
        if ending == .done || ending.failure != nil { one.fault = fault }
        one.notBefore = ending.outcome == "waiting" ? now.advanced(by: LedgerEnding.wait) : nil
        one.code = ending.failure?.code
        (one.state, one.worker, one.endings[claim.fence]) = (ending.state, nil, .some(ending.outcome))
        if let outcome = ending.outcome {
            one.attempts[one.tries] = outcome
            for other in news.keys where other != submissions[current].worker { news[other]?.insert(one.id) }
        } else {
            one.tries -= 1
        }
        if ending == .done { one.checkpoint = nil }
        submissions[current] = one
        return Settled(one.state, notBefore: one.notBefore)
    }

    mutating func keep(_ checkpoint: Checkpoint?, _ claim: ClaimedSubmission) -> Bool {
        guard let current = isCurrent(claim) else { return false }
        submissions[current].checkpoint = checkpoint
        return true
    }
}
