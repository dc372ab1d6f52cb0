internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitJournal
internal import SystemPackage

/// `submit status [BATCH]`
struct Status: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how many submissions are done, failed and waiting, and what they wait for.")

    @Argument(
        help:
            "A batch. Without: those in which something is waiting, has failed, or has sources to be removed, and the last one.",
        completion: Completed.batch)
    var batch: BatchID?

    @Flag(help: "Go on showing how far it is, whichever process sends, until nothing waits any more.")
    var watch = false

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let journal = try Journal(toRead: AppPaths().journal)
        // What dead processes hold is not running.
        _ = try? await journal.sweep()
        try await journal.check(SubmissionSelection(batch: batch))
        if watch {
            try await StatusWatch(journal: journal, batch: batch, json: json).run()
        } else {
            let (records, failed) = try await records(journal)
            try await StatusLines(journal: journal, json: json).show(records)
            if batch == nil { try await showUntold(journal) }
            if !json { failed.forEach(Self.tell) }
        }
    }

    private static func tell(ofFailed batch: BatchRecord) {
        Output.line("Some of batch \(batch.id) failed: `submit list \(batch.id) --state failed` says why.")
    }

    /// What destinations that keep a catalogue have yet to hear.
    private func showUntold(_ journal: Journal) async throws {
        for tally in try await journal.untoldTallies() {
            if json {
                var object: [String: Any] = [
                    "event": "untold", "destination": tally.destination, "waiting": tally.waiting,
                    "refused": tally.refused,
                ]
                object["message"] = tally.sentence
                JSONOutput.print(object)
                continue
            }
            if tally.waiting > 0 {
                let count = Printable.count(tally.waiting, "picture")
                Output.line("\(tally.destination) has yet to hear of \(count): `submit resume` tells it.")
            }
            if tally.refused > 0 {
                let count = Printable.count(tally.refused, "picture")
                Output.line(
                    Printable.line(
                        "\(tally.destination) did not take what was said of \(count): \(tally.sentence ?? "")"))
            }
        }
    }

    /// The batches to show, and those among them in which something failed that has not arrived since.
    private func records(_ journal: Journal) async throws -> (all: [BatchRecord], failed: [BatchRecord]) {
        if let batch { return (try await journal.batches([batch]), []) }
        return try await StatusLines.batches(journal)
    }
}
