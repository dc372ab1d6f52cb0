internal import Submit
internal import Logging

/// What those who operate it hear of the engine: its decisions as a log, and numbers.
struct Telemetry: Sendable {
    var logger = Logger.silent
    var metrics = EngineMetrics(nil)

    /// Notes what has happened, after it was written to the journal.
    func note(_ event: SubmitEvent) {
        logger.tell(event)
        metrics.count(event)
    }
}
