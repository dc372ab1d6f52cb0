internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// One JSON object a line for every event, and one `summary` at the end. The schema is in `JSONLines.md`.
final class JSONDisplay: Display {
    private let start = ContinuousClock.now
    private var lastProgress = 0.0
    private let progress = RunProgress()

    private var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }

    func show(_ event: SubmitEvent) {
        progress.heed(event, at: elapsed)
        JSONOutput.print(JSONOutput.object(event))
    }

    func tick(_ watch: RunWatch) async {
        if elapsed - lastProgress >= 1 {
            lastProgress = elapsed
            for standing in progress.standings(await watch.moment(), at: elapsed) {
                JSONOutput.print(Self.object(standing))
            }
        }
        Output.flush()
    }

    static func object(_ standing: RunProgress.Standing) -> [String: Any] {
        let moment = standing.moment
        var object: [String: Any] = [
            "event": "progress", "destination": moment.name, "total": moment.total, "done": moment.done,
            "were_there": moment.wereThere, "skipped": moment.skipped, "failed": moment.failed,
            "cancelled": moment.cancelled, "bytes": moment.doneSize, "bytes_total": moment.totalSize,
            "bytes_sent": moment.sent, "bytes_under_way": moment.sizeUnderWay, "percent": standing.percent,
            "growing": standing.isGrowing,
        ]
        object["bytes_per_second"] = standing.rate.map { Int64($0) }
        object["seconds_left"] = standing.secondsLeft.map { Int64($0.rounded(.up)) }
        object["slow"] = standing.reason.map { reason -> [String: Any] in
            ["code": reason.code, "message": reason.sentence, "standing": reason.isStanding]
        }
        object["under_way"] = standing.files.map { file -> [String: Any] in
            [
                "submission": file.moment.submission, "name": file.moment.name, "attempt": file.moment.attempt,
                "bytes_sent": file.moment.sent, "size": file.moment.size,
            ]
        }
        return object
    }

    func finish(_ report: Report) {
        let destinations = report.destinations.map { name -> [String: Any] in
            var object: [String: Any] = ["destination": name]
            for state in SubmissionState.allCases { object[state.name] = report.count(state, at: name) }
            object["skipped"] = report.skipped(at: name)
            object["message"] = report.unusable[name]
            object["quiet_seconds"] = report.quiet[name]?.components.seconds
            if let state = report.states.first(where: { $0.name == name }) {
                object["paused"] = state.isPaused
                object["on_hold"] = JSONOutput.hold(of: state)
            }
            return object
        }
        var summary: [String: Any] = [
            "event": "summary", "batches": report.batches, "refused": report.refused,
            "left_behind": JSONOutput.object(report.leftBehind), "complete": report.isComplete,
            "exit_code": report.status.rawValue,
            "destinations": destinations,
        ]
        if !report.incomplete.lines.isEmpty { summary["incomplete"] = JSONOutput.object(report.incomplete) }
        if !report.unchanged.lines.isEmpty { summary["unchanged"] = JSONOutput.object(report.unchanged) }
        if report.datedByFileTime > 0 { summary["dated_by_file_time"] = report.datedByFileTime }
        if report.removals.words != nil { summary["sources"] = report.removals.object }
        if !report.older.isEmpty { summary["others_waiting"] = report.older }
        if !report.others.batches.isEmpty {
            summary["others"] =
                [
                    "batches": report.others.batches, "done": report.others.done, "skipped": report.others.skipped,
                    "failed": report.others.failed, "waiting": report.others.waiting,
                ] as [String: Any]
        }
        summary["proofs"] = report.proofs.map { proof -> [String: Any] in
            var object: [String: Any] = [
                "destination": proof.destination, "state": proof.state.name, "kind": proof.kind.rawValue,
                "skipped": proof.isSkipped, "count": proof.count, "bytes": proof.bytes,
            ]
            object["evidence"] = proof.evidence?.rawValue
            return object
        }
        summary["stopped"] = report.stopped
        if let pace = report.pace {
            summary["seconds"] = (pace.duration / .milliseconds(1)).rounded() / 1000
            summary["bytes_sent"] = pace.bytes
        }
        summary["sentence"] = ClosingLine(report).text
        JSONOutput.print(summary)
    }
}
