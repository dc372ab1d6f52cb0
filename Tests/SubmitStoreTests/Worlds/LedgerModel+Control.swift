import Submit
import SubmitStore

extension LedgerModel {
    // MARK: Destinations

    mutating func park(_ claim: ClaimedSubmission, _ reason: ParkReason?, isProbe: Bool) {
        var state = destinations[claim.destination, default: Destination()]
        let finding = [claim.id.rawValue, claim.fence]
        if state.finding == finding { return }
        if !isProbe, let parking = state.parking, parking.reason == reason, opening(claim.destination) != .zero { return }
        let count = (state.parking?.count ?? 0) + 1
        state.parking = Parking(
            reason: reason, until: now.advanced(by: Self.looks[min(count, Self.looks.count) - 1]), count: count)
        state.finding = finding
        destinations[claim.destination] = state
    }

    mutating func lookAgain(_ destination: String, isAsked: Bool) {
        guard let parking = destinations[destination]?.parking, isAsked || !parking.waitsForSomeone else { return }
        destinations[destination]?.parking?.until = Timestamp(nanoseconds: 0)
        destinations[destination]?.parking?.count = 0
    }

    mutating func giveBackLook(_ destination: String) {
        guard destinations[destination]?.parking?.waitsForSomeone == true else { return }
        destinations[destination]?.parking?.until = Timestamp(nanoseconds: 0)
    }

    mutating func hurry(_ destination: String) {
        for index in submissions.indices
        where submissions[index].state == .queued && submissions[index].destination == destination {
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
        let cancelled = change(where: { $0.state == .queued && selection.means($0) }) { one in
            (one.state, one.code) = (.cancelled, nil)
        }
        let told = change(where: { $0.state == .running && selection.means($0) }) { $0.isCancelled = true }
        return (cancelled, told)
    }

    private static func oweAnew(_ one: inout Submission) {
        (one.state, one.failures, one.fault, one.notBefore) = (.queued, 0, .none, nil)
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

    /// - Returns: whether it is owed for that now.
    mutating func owe(_ id: SubmissionID, _ copy: LostCopy) -> Bool {
        change(where: { $0.id == id && $0.state == .done }) { one in
            (one.state, one.failures, one.landed, one.notBefore) = (.queued, 0, 0, nil)
            (one.tries, one.code) = (one.tries + 1, copy.finding.code)
            one.attempts[one.tries] = copy.outcome
        }
        return submissions.contains { $0.id == id && $0.state == .queued && $0.attempts[$0.tries] == copy.outcome }
    }

    /// - Returns: those that failed for that, now or before.
    mutating func condemn(_ item: ItemID, _ failure: SubmitFailure) -> [SubmissionID] {
        let open = submissions.filter { $0.item == item && $0.state == .queued }.map(\.id)
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
