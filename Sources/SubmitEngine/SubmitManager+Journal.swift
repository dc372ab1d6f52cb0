public import CoreMetrics
public import Logging
public import SubmitJournal
internal import SystemPackage

extension SubmitManager {
    /// A manager of what is written down in a journal.
    ///
    /// - Parameters:
    ///   - journal: this manager's own value: another manager opens the file once more, in this process too, as each hears
    ///     only what is written through another value.
    ///   - registry: the types there are.
    ///   - policy: what comes after failures.
    ///   - logger: hears of each decision, with `batch`, `submission`, `destination` and `attempt` as metadata; <doc:LogAndMetrics>
    ///     has the levels. What transports and submitters log during an attempt goes there, too. The usual one says nothing.
    ///   - metrics: makes the counters, timers and gauges of <doc:LogAndMetrics>.
    public convenience init(
        journal: Journal, registry: SubmitterRegistry, policy: RetryPolicy = RetryPolicy(),
        logger: Logger = Logger(label: "submit") { _ in SwiftLogNoOpLogHandler() },
        metrics: any MetricsFactory = MetricsSystem.factory
    ) {
        self.init(store: journal, registry: registry, policy: policy, logger: logger, metrics: metrics)
        if let former = journal.migratedFrom {
            logger.notice(
                "journal migrated",
                metadata: ["path": .string(journal.path.string), "reason": .string("it was of version \(former)")])
        }
    }
}
