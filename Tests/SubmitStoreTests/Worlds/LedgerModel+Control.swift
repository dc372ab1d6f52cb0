import Submit
import SubmitStore

extension LedgerModel {
    // MARK: Destinations

    mutating func hold(_ claim: ClaimedSubmission, _ reason: HoldReason?, isProbe: Bool) {
        var state = destinations[claim.destination, default: Destination()]
        let finding = [claim.id.rawValue, claim.fence]
        if state.finding == finding { return }
        if !isProbe, let hold = state.hold, hold.reason == reason, opening(claim.destination) != .zero { return }
        let count = (state.hold?.count ?? 0) + 1
        state.hold = Hold(
            reason: reason, until: now.advanced(by: Self.looks[min(count, Self.looks.count) - 1]), count: count)
        state.finding = finding
        destinations[claim.destination] = state
    }

    mutating func lookAgain(_ destination: String, isAsked: Bool) {
        guard let hold = destinations[destination]?.hold, isAsked || !hold.waitsForSomeone else { return }
        destinations[destination]?.hold?.until = Timestamp(nanoseconds: 0)
        destinations[destination]?.hold?.count = 0
    }

    mutating func giveBackLook(_ destination: String) {
        guard destinations[destination]?.hold?.waitsForSomeone == true else { return }
        destinations[destination]?.hold?.until = Timestamp(nanoseconds: 0)
    }

    mutating func hurry(_ destination: String) {
        for index in submissions.indices
        where submissions[index].state == .waiting && submissions[index].destination == destination {
            if let time = submissions[index].notBefore, time > now { submissions[index].notBefore = now }
        }
    }

    // MARK: Submissions

    /// Changes those that are meant.
    ///
    /// - Returns: which they were.
    @discardableResult
    private mutating func change(
        where isMeant: (Submission) -> Bool, _ change: (inout Submission) -> Void
    ) -> [SubmissionID] {
        var changed: [SubmissionID] = []
        for index in submissions.indices where isMeant(submissions[index]) {
            change(&submissions[index])
            changed.append(submissions[index].id)
        }
        return changed
    }

    mutating func cancel(_ selection: SubmissionSelection) -> (cancelled: [SubmissionID], told: [SubmissionID]) {
        let cancelled = change(where: { $0.state == .waiting && selection.means($0) }) { one in
            (one.state, one.code) = (.cancelled, nil)
        }
        let told = change(where: { $0.state == .running && selection.means($0) }) { $0.isCancelled = true }
        return (cancelled, told)
    }

    private static func oweAnew(_ one: inout Submission) {
        (one.state, one.failures, one.fault, one.notBefore) = (.waiting, 0, .none, nil)
    }

    mutating func retry(_ selection: SubmissionSelection) -> Int {
        let isNamed = selection.submission != nil
        return change(
            where: {
                $0.state == .failed && selection.means($0) && (isNamed || $0.code != SubmitFailure.outcomeUnknownCode)
            }, Self.oweAnew
        ).count
    }

    mutating func takeUp(_ destination: String) -> Int {
        change(
            where: { $0.state == .failed && $0.destination == destination && $0.fault != .none }, Self.oweAnew
        ).count
    }

    /// - Returns: whether it is waiting for that now.
    mutating func owe(_ id: SubmissionID, _ copy: LostCopy) -> Bool {
        change(where: { $0.id == id && $0.state == .done }) { one in
            (one.state, one.failures, one.landed, one.notBefore) = (.waiting, 0, 0, nil)
            (one.tries, one.code) = (one.tries + 1, copy.finding.code)
            one.attempts[one.tries] = copy.outcome
        }
        return submissions.contains { $0.id == id && $0.state == .waiting && $0.attempts[$0.tries] == copy.outcome }
    }

    /// - Returns: those that failed for that, now or before.
    mutating func condemn(_ item: ItemID, _ failure: SubmitFailure) -> [SubmissionID] {
        let open = submissions.filter { $0.item == item && $0.state == .waiting }.map(\.id)
        change(where: { open.contains($0.id) }) { one in
            (one.state, one.fault, one.code) = (.failed, .none, failure.code)
        }
        return open
    }
}

extension SubmissionSelection {
    fileprivate func means(_ one: LedgerModel.Submission) -> Bool {
        one.batch == batch ?? one.batch && one.destination == destination ?? one.destination
            && one.id == submission ?? one.id
    }
}
