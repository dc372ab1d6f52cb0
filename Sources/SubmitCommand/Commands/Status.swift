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
            "A batch. Without: those in which something is waiting or sources are to be removed yet, and the last one.",
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
            try await StatusLines(journal: journal, json: json).show(try await records(journal))
        }
    }

    private func records(_ journal: any StoreReadings) async throws -> [BatchRecord] {
        if let batch { return try await journal.batches([batch]) }
        return try await journal.openBatches()
    }
}
