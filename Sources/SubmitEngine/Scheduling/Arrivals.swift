internal import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// What has arrived at a destination and is not written down yet.
final class Arrivals: Sendable {
    struct One: Sendable {
        let operation: SubmissionOperation
        let receipt: Receipt
    }

    private let waiting = Locked<[One]>([])

    /// - Returns: whether nobody else is there: somebody has to see to it that it is written down.
    func add(_ operation: SubmissionOperation, _ receipt: Receipt) -> Bool {
        waiting.withLock { waiting in
            waiting.append(One(operation: operation, receipt: receipt))
            return waiting.count == 1
        }
    }

    fileprivate func take() -> [One] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}

/// Those that are written down together: all that came until then.
final class ArrivalGroup: Sendable {
    private let source: Arrivals
    private let taken = Locked<[Arrivals.One]>([])

    init(of source: Arrivals) {
        self.source = source
    }

    var arrivals: [Arrivals.One] { taken.withLock { $0 } }

    /// Takes what there is by now, too.
    func gather() {
        let more = source.take()
        taken.withLock { $0 += more }
    }

    /// What a store is to write down. It may ask more than once.
    func gathered(at place: Int64?) -> [Arrival] {
        gather()
        return arrivals.map { one in
            Arrival(
                claim: one.operation.claim, receipt: one.receipt, place: place,
                facts: one.operation.progress.facts.withLock { $0 })
        }
    }
}
