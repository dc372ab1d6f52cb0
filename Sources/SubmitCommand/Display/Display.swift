internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// What people or programs see of a run.
protocol Display: AnyObject {
    func show(_ event: SubmitEvent)
    /// Called some times a second while a run goes on.
    func tick(_ watch: RunWatch) async
    /// Called once, when all events have been shown.
    func finish(_ report: Report) async
    /// Called before anything else is said when a run ends, however it does.
    func leave()
}

extension Display {
    func leave() {}
}

/// What a run came to.
struct Report {
    var batches: [BatchID]
    var tallies: [Tally]
    var states: [DestinationState]
    /// Why a destination that has something waiting cannot be used at all, by its name.
    var unusable: [String: String]
    var refused: Int
    var status: ExitStatus
    /// Whether everything asked for was accepted or refused.
    var isComplete: Bool
    /// What came of sources that are to be removed.
    var removals = RemovalTally()
    /// What came of batches that this run sent something of besides its own.
    var others = Others()
    /// How many submissions of batches that are not the run's wait or are being sent, by destination.
    var older: [String: Int] = [:]
    /// What was skipped, which is not done: nothing of it was stored.
    var skipped: [SkippedTally] = []
    /// What lay below named folders and was not taken.
    var leftBehind = LeftBehindTally()
    /// What was accepted though its end is missing.
    var incomplete = IncompleteTally()
    /// What was named and is not sent again.
    var unchanged = UnchangedTally()
    /// Photos and videos of this run that have no capture date of their own, though a destination uses it.
    var datedByFileTime = 0
    /// Where that of it stands now which waited in earlier batches.
    var earlier: [SubmissionState: Int] = [:]
    /// What stands where by kind and evidence, for the last line.
    var proofs: [ProofTally] = []
    /// Why it stopped before its end.
    var stopped: String?
    /// How long destinations are to be quiet from now on.
    var quiet: [String: Duration] = [:]
    /// How long the run took, and how many bytes it sent; `nil` if it was to send nothing.
    var pace: (duration: Duration, bytes: Int64)?
    /// When this was found out.
    var time = Timestamp.now
    let journal: any StoreReadings

    struct Others {
        /// In the order of acceptance.
        var batches: [BatchID] = []
        /// Submissions that ended in this run.
        var done = 0
        var skipped = 0
        var failed = 0
        /// Submissions that are still waiting.
        var waiting = 0

        /// Counts what came of a submission, unless it is of the run's own batches.
        mutating func add(_ event: SubmitEvent, unless own: Set<BatchID>) {
            let batch: BatchID
            switch event {
            case .done(let note, _), .failed(let note, _), .waiting(let note, _, _): batch = note.batch
            default: return
            }
            if own.contains(batch) { return }
            if !batches.contains(batch) { batches = (batches + [batch]).sorted() }
            switch event {
            case .done(_, let receipt): if receipt.isOfSkipped { skipped += 1 } else { done += 1 }
            case .failed: failed += 1
            default: break
            }
        }
    }

    /// Those done without those skipped.
    func count(_ state: SubmissionState, at destination: String? = nil) -> Int {
        tallies.lazy.filter { $0.state == state && (destination == nil || $0.destination == destination) }
            .reduce(0) { $0 + $1.count } - (state == .done ? skipped(at: destination) : 0)
    }

    func skipped(at destination: String? = nil) -> Int {
        skipped.lazy.filter { destination == nil || $0.destination == destination }.reduce(0) { $0 + $1.count }
    }

    /// Bytes of the items done, or of their renditions.
    func doneSize(at destination: String) -> Int64 {
        proofs.lazy.filter { $0.state == .done && !$0.isSkipped && $0.destination == destination }
            .reduce(0) { $0 + $1.bytes }
    }

    var destinations: [String] { Set(tallies.map(\.destination)).sorted() }

    var waiting: Int { count(.waiting) + count(.running) }

    /// Of what was named and waited in earlier batches.
    func earlierCount(_ state: SubmissionState) -> Int { earlier[state] ?? 0 }

    var earlierWaiting: Int { earlierCount(.waiting) + earlierCount(.running) }

    /// What can be done about those that failed. If the journal cannot be read, nothing is advised.
    func failures() async -> FailureOutlook {
        guard count(.failed) + others.failed > 0 else { return FailureOutlook() }
        return (try? await journal.failures(of: batches + others.batches)) ?? FailureOutlook()
    }
}
