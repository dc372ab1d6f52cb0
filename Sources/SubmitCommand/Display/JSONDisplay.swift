internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// One JSON object a line for every event, and one `summary` at the end. The schema is in `JSONLines.md`.
final class JSONDisplay: Display {
    private var lastProgress = ContinuousClock.now

    func show(_ event: SubmitEvent) {
        JSONOutput.print(JSONOutput.object(event))
    }

    func tick(_ meters: [DestinationProgress], _ states: [DestinationState]) {
        if ContinuousClock.now - lastProgress >= .seconds(1) {
            lastProgress = .now
            for meter in meters where meter.total > 0 {
                JSONOutput.print([
                    "event": "progress", "destination": meter.destination, "total": meter.total, "done": meter.done,
                    "skipped": meter.skipped, "failed": meter.failed, "cancelled": meter.cancelled,
                    "bytes": meter.doneSize,
                    "bytes_total": meter.totalSize, "bytes_sent": meter.sent,
                ])
            }
        }
        Output.flush()
    }

    func finish(_ report: Report) {
        let destinations = report.destinations.map { name -> [String: Any] in
            var object: [String: Any] = ["destination": name]
            for state in SubmissionState.allCases { object[state.name] = report.count(state, at: name) }
            object["skipped"] = report.skipped(at: name)
            object["message"] = report.unusable[name]
            if let state = report.states.first(where: { $0.name == name }) {
                object["paused"] = state.isPaused
                object["on_hold"] = JSONOutput.hold(of: state)
            }
            return object
        }
        var summary: [String: Any] = [
            "event": "summary", "batches": report.batches, "refused": report.refused,
            "left_behind": JSONOutput.object(report.leftBehind), "complete": report.isComplete, "exit_code": report.status.rawValue,
            "destinations": destinations,
        ]
        if !report.unchanged.lines.isEmpty { summary["unchanged"] = JSONOutput.object(report.unchanged) }
        if report.removals.words != nil { summary["sources"] = report.removals.object }
        if !report.older.isEmpty { summary["others_waiting"] = report.older }
        if !report.others.batches.isEmpty {
            summary["others"] =
                [
                    "batches": report.others.batches, "done": report.others.done, "skipped": report.others.skipped,
                    "failed": report.others.failed, "waiting": report.others.waiting,
                ] as [String: Any]
        }
        JSONOutput.print(summary)
    }
}
