internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitJournal
internal import SystemPackage

/// `submit status [BATCH]`
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "How many submissions stand where, and what waits for what.")

    @Argument(help: "A batch; without: those that are owed something, and the last one.")
    var batch: BatchID?

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    func run() async throws {
        let journal = try Journal(path: Places().journal)
        // What dead processes hold is not running.
        _ = try? await journal.recover()
        let owed = try journal.owedBatches()
        let states = try journal.destinationStates()
        var isFirst = true
        for record in try journal.batches() where batch == nil || record.id == batch {
            guard isFirst || owed.contains(record.id) || !record.isSealed || batch != nil else { continue }
            isFirst = false
            let tallies = try journal.tallies(SubmissionSelection(batch: record.id))
            if json { printJSON(record, tallies) } else { printText(record, tallies, states) }
        }
        if isFirst, let batch { throw ValidationError("There is no batch \(batch); `submit status` shows the last ones.") }
        for state in states where state.isPaused || state.parking != nil {
            if json {
                var object: [String: Any] = ["destination": state.name, "paused": state.isPaused]
                object["parked"] = state.parking.map(JSONLine.object)
                JSONLine.print(object)
            } else {
                if state.isPaused { print("\(state.name) is paused; `submit resume` ends that.") }
                if let parking = state.parking { print("\(state.name) waits: \(Printable.line(parking.sentence))") }
            }
        }
    }

    private func printText(_ batch: BatchRecord, _ tallies: [Tally], _ states: [DestinationState]) {
        let how = batch.isRunning ? ", running" : batch.isSealed ? "" : ", acceptance was cut off"
        print("batch \(batch.id), \(JSONLine.time(batch.created))\(how)")
        for (destination, rows) in Dictionary(grouping: tallies, by: \.destination).sorted(by: { $0.key < $1.key }) {
            let parts = rows.map { "\($0.count) \($0.state.name) (\(Printable.bytes($0.bytes)))" }
            print("  \(destination): \(parts.joined(separator: ", "))")
        }
    }

    private func printJSON(_ batch: BatchRecord, _ tallies: [Tally]) {
        JSONLine.print([
            "batch": batch.id, "created": JSONLine.time(batch.created), "complete": batch.isSealed,
            "running": batch.isRunning,
            "destinations": tallies.map {
                ["destination": $0.destination, "state": $0.state.name, "count": $0.count, "bytes": $0.bytes] as [String: Any]
            },
        ])
    }
}
