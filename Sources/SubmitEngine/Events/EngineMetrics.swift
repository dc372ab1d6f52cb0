internal import CoreMetrics
internal import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// The engine's numbers, by destination; their names are in <doc:LogAndMetrics>.
final class EngineMetrics: Sendable {
    private let factory: (any MetricsFactory)?
    private let known = Locked<[String: DestinationMetrics]>([:])

    /// - Parameter factory: `nil`: nobody counts.
    init(_ factory: (any MetricsFactory)?) {
        self.factory = factory is NOOPMetricsHandler ? nil : factory
    }

    var areOn: Bool { factory != nil }

    /// `nil` where nobody counts.
    subscript(destination: String) -> DestinationMetrics? {
        guard let factory else { return nil }
        return known.withLock { known in
            if let metrics = known[destination] { return metrics }
            let metrics = DestinationMetrics(destination, factory)
            known[destination] = metrics
            return metrics
        }
    }

    func count(_ event: SubmitEvent) {
        guard areOn else { return }
        switch event {
        case .accepted(_, _, let submissions):
            for waiting in submissions { self[waiting.destination]?.accepted.increment() }
        case .onHold(let state): self[state.name]?.onHold.record(1)
        case .holdEnded(let destination): self[destination]?.onHold.record(0)
        default: break
        }
    }

    /// What is waiting for whom, in all processes.
    func set(_ waiting: [String: WaitingTally]) {
        let names = Set(waiting.keys).union(known.withLock { $0.keys })
        for name in names { self[name]?.waiting.record(waiting[name]?.count ?? 0) }
    }
}

/// The numbers of one destination.
final class DestinationMetrics: @unchecked Sendable {
    let accepted: Counter
    let bytes: Counter
    let duration: Timer
    let waiting: Gauge
    let underWay: Gauge
    let width: Gauge
    let onHold: Gauge

    private let name: String
    private let factory: any MetricsFactory
    private let attempts = Locked<[String: Counter]>([:])

    init(_ name: String, _ factory: any MetricsFactory) {
        self.name = name
        self.factory = factory
        let here = [("destination", name)]
        accepted = Counter(label: "submit.submissions.accepted", dimensions: here, factory: factory)
        bytes = Counter(label: "submit.bytes.sent", dimensions: here, factory: factory)
        duration = Timer(label: "submit.attempt.duration", dimensions: here, factory: factory)
        waiting = Gauge(label: "submit.submissions.waiting", dimensions: here, factory: factory)
        underWay = Gauge(label: "submit.submissions.under_way", dimensions: here, factory: factory)
        width = Gauge(label: "submit.destination.width", dimensions: here, factory: factory)
        onHold = Gauge(label: "submit.destination.on_hold", dimensions: here, factory: factory)
    }

    /// An attempt has ended.
    func attempted(_ outcome: Result<Receipt, SubmitFailure>, sent: Int64, after time: Duration) {
        let word =
            switch outcome {
            case .success(let receipt): receipt.isOfSkipped ? "skipped" : receipt.wasThere ? "was-there" : "done"
            case .failure(let failure): failure.remedy.word
            }
        let counter = attempts.withLock { attempts in
            if let counter = attempts[word] { return counter }
            let counter = Counter(
                label: "submit.attempts", dimensions: [("destination", name), ("outcome", word)], factory: factory)
            attempts[word] = counter
            return counter
        }
        counter.increment()
        if sent > 0 { bytes.increment(by: sent) }
        let (seconds, attoseconds) = time.components
        duration.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
