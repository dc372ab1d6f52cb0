internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitJournal
internal import SystemPackage

/// `submit journal prune --older-than 1y`
struct PruneJournal: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Forget what ended long ago and proves nothing, and make the journal smaller.",
        discussion: """
            There stay: what is waiting, or waits with the removal of a source; of each photo and each copy of it the last proof; \
            of each photo at each destination the last word, but for cancellations; and what was accepted under a key. So the \
            journal grows with your photos, and not with how often they are submitted.

            Others may go on meanwhile. Broken off at any instant it has forgotten a part, and nothing by halves.
            """)

    @Option(help: ArgumentHelp("What ended at least so long ago, such as 30d or 1y (365 days).", valueName: "age"))
    var olderThan: TimeSpan

    @Flag(help: "Say what would be forgotten, and forget nothing.")
    var dryRun = false

    @Flag(help: "One JSON object instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    /// So many are looked at in one step: others that write wait for some milliseconds at the most.
    private static let step = 500

    func run() async throws {
        let path = AppPaths().journal
        guard FileManager.default.fileExists(atPath: path.string) else {
            throw SubmitFailure.usage("There is no journal “\(path)” yet: nothing was submitted.")
        }
        let journal = try dryRun ? Journal(toRead: path) : Journal(path: path)
        // What dead processes hold would stay.
        if !dryRun { try await journal.sweep() }
        let age = Duration.seconds(olderThan.seconds)
        let all = try await journal.tallies(SubmissionSelection()).reduce(0) { $0 + $1.count }
        var sum = ForgottenHistory()
        var last: SubmissionID = 0
        while true {
            let some = try await journal.forget(endedBefore: age, after: last, limit: Self.step, isDryRun: dryRun)
            sum.submissions += some.submissions
            sum.attempts += some.attempts
            sum.items += some.items
            guard let next = some.next else { break }
            last = next
        }
        var (batches, lastBatch) = (0, BatchID(rawValue: 0))
        while case (let count, let next?) = try await journal.forgetBatches(
            begunBefore: age, after: lastBatch, limit: Self.step, isDryRun: dryRun)
        {
            (batches, lastBatch) = (batches + count, next)
        }
        var size: Compaction
        if dryRun {
            let share = Double(sum.submissions) / Double(max(1, all))
            size = Compaction(
                bytesBefore: try await journal.size().bytes, bytes: try await journal.size(without: share))
        } else {
            size = try await journal.compact()
        }
        tell(sum, batches, size)
    }

    private func tell(_ sum: ForgottenHistory, _ batches: Int, _ size: Compaction) {
        if json {
            var object: [String: Any] = [
                "event": "journal-prune", "dry_run": dryRun, "submissions": sum.submissions, "attempts": sum.attempts,
                "items": sum.items, "batches": batches, "bytes": max(0, size.bytesBefore - size.bytes),
                "size": size.bytes,
            ]
            object["message"] = size.obstacle
            return JSONOutput.print(object)
        }
        let parts = [
            Printable.count(sum.submissions, "submission"), Printable.count(sum.attempts, "attempt"),
            Printable.count(sum.items, "item"), Printable.count(batches, "batch", "batches"),
        ]
        let what = parts.dropLast().joined(separator: ", ") + " and " + parts[3]
        let (before, after) = (Printable.bytes(size.bytesBefore), Printable.bytes(size.bytes))
        Output.line(
            dryRun
                ? "\(what) would be forgotten; the journal has \(before) and would have about \(after)."
                : "\(what) forgotten; the journal had \(before) and has \(after).")
        if let obstacle = size.obstacle { Output.line(Printable.line(obstacle)) }
    }
}
