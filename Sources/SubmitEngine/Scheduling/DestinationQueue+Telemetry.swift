internal import CoreMetrics
internal import Logging
internal import Submit
internal import SubmitStore

extension DestinationQueue {
    /// How many attempts there are, and how many there may be.
    func tellNumbers() {
        guard let metrics = telemetry.metrics[destination.name] else { return }
        metrics.underWay.record(attempting)
        metrics.width.record(width.current)
    }

    /// A submission finds out whether a destination on hold works again.
    func tellLook(_ state: DestinationState, _ claim: ClaimedSubmission) {
        telemetry.logger.debug(
            "destination looked at again",
            metadata: .of(SubmissionNote(claim)).adding(["reason": .string(state.hold?.message ?? "")]))
    }

    /// More or fewer small items are sent at once from now on.
    nonisolated func tellWidth(_ width: (before: Int, now: Int), _ lesson: ConcurrencyController.Outcome) {
        guard width.before != width.now else { return }
        let reason: Logger.MetadataValue =
            switch lesson {
            case .failed: "the destination did not take one"
            case .throttled: "the destination was asked for too much"
            default: width.now > width.before ? "answers take no longer" : "answers take longer"
            }
        telemetry.logger.debug(
            "width changed",
            metadata: [
                "destination": .string(destination.name), "from": "\(width.before)", "to": "\(width.now)",
                "reason": reason,
            ])
    }
}
