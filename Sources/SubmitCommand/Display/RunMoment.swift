internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// What is known at one moment of what a run wants of one destination.
struct DestinationMoment: Sendable {
    var name: String
    var total = 0
    var done = 0
    /// Of those done, whose copy was there already.
    var wereThere = 0
    var skipped = 0
    var failed = 0
    var cancelled = 0
    /// Bytes of the items, but for those skipped.
    var totalSize: Int64 = 0
    var doneSize: Int64 = 0
    /// Bytes of the items that have yet to end, those under way included.
    var leftSize: Int64 = 0
    /// Bytes handed to the destination, of attempts that failed too.
    var sent: Int64 = 0
    /// What is being sent, in the order of acceptance.
    var files: [FileMoment] = []
    var state: DestinationState?
    var pace: DestinationPace?
    /// Where nothing is under way: what waits for a time or for another process.
    var waiting: WaitingReason?

    /// Why nothing goes out to a destination that is not on hold.
    enum WaitingReason: Sendable, Hashable {
        /// The one that is due first, and why.
        case due(Timestamp, String)
        case otherProcess
        /// No process is at work on it.
        case nobody
    }

    var ended: Int { done + skipped + failed + cancelled }
    var left: Int { max(0, total - ended) }
    /// Of those under way what has yet to go out.
    var filesLeft: Double {
        Double(left) - files.reduce(0) { $0 + ($1.size > 0 ? Double($1.sent) / Double($1.size) : 0) }
    }
    /// All that is left is sent, and its answers are awaited.
    var awaitsAnswers: Bool { left > 0 && files.count >= left && files.allSatisfy { $0.sent >= $0.size } }
    var sizeUnderWay: Int64 { min(leftSize, files.reduce(0) { $0 + $1.sent }) }
}

/// How far a submission has come that is being sent.
struct FileMoment: Sendable, Hashable {
    var submission: SubmissionID
    var name: String
    var attempt = 1
    var sent: Int64 = 0
    var size: Int64
}

extension DestinationMoment {
    init(_ meter: DestinationProgress) {
        name = meter.destination
        // Ends are counted after what they end was: read first, they are never more than the total.
        (done, wereThere, skipped) = (meter.done, meter.wereThere, meter.skipped)
        (failed, cancelled) = (meter.failed, meter.cancelled)
        (doneSize, leftSize, totalSize, sent) = (meter.doneSize, meter.leftSize, meter.totalSize, meter.sent)
        total = meter.total
    }
}

extension FileMoment {
    init(_ progress: SubmissionProgress) {
        submission = progress.submission
        name = progress.name
        attempt = progress.attempt
        sent = progress.sent
        size = progress.size
    }
}

/// Looks at a run under way, for displays.
final class RunWatch {
    private let run: SubmitRun
    private let manager: SubmitManager
    private let batches: [BatchID]
    /// What the journal said last of a destination at which nothing is under way: it is not asked ten times a second.
    private var reasons: [String: (asked: ContinuousClock.Instant, reason: DestinationMoment.WaitingReason?)] = [:]

    init(_ run: SubmitRun, _ manager: SubmitManager, _ batches: [BatchID]) {
        self.run = run
        self.manager = manager
        self.batches = batches
    }

    /// Where each destination stands that the run wants anything of, sorted by name.
    func moment() async -> [DestinationMoment] {
        let files = Dictionary(
            grouping: await manager.underWay(EventFilter(batches: Set(batches))), by: \.destination)
        let paces = Dictionary(await manager.paces().map { ($0.destination, $0) }, uniquingKeysWith: { $1 })
        let states = Dictionary(
            ((try? await manager.records.destinationStates()) ?? []).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        var moments: [DestinationMoment] = []
        for meter in run.meters where meter.total > 0 {
            var moment = DestinationMoment(meter)
            moment.files = (files[moment.name] ?? []).map(FileMoment.init)
            moment.state = states[moment.name]
            moment.pace = paces[moment.name]
            if moment.left > 0, moment.files.isEmpty, moment.state?.hold == nil {
                moment.waiting = await reason(moment)
            } else {
                reasons[moment.name] = nil
            }
            moments.append(moment)
        }
        return moments
    }

    private func reason(_ moment: DestinationMoment) async -> DestinationMoment.WaitingReason? {
        let last = reasons[moment.name]
        // What is between two files is nothing to tell of.
        if let last, .now - last.asked < .seconds(1) { return last.reason }
        var reason: DestinationMoment.WaitingReason?
        if last != nil {
            for batch in batches where reason == nil {
                let selection = SubmissionSelection(batch: batch, destination: moment.name)
                if let next = try? await manager.records.nextWaiting(selection), let due = next.notBefore, due > .now {
                    reason = .due(due, next.advised ?? "")
                } else if moment.pace?.underWay ?? 0 == 0,
                    (try? await manager.records.tallies(selection))?.contains(where: { $0.state == .running }) == true
                {
                    reason = .otherProcess
                }
            }
        }
        reasons[moment.name] = (.now, reason)
        return reason
    }
}
