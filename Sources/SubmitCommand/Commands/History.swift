internal import ArgumentParser
internal import SubmitConfiguration
internal import SubmitJournal
internal import SystemPackage

/// `submit history`
struct History: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show the batches of the past, the newest first, and how much of each stands where.")

    @Option(help: ArgumentHelp("How many at the most; 0: all.", valueName: "number"))
    var limit = 20

    @Option(help: ArgumentHelp("Those before this batch only.", valueName: "batch"))
    var before: BatchID?

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    /// Batches that are read at once.
    private static let page = 500

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("“--limit” must not be below 0.") }
    }

    func run() async throws {
        let journal = try Journal(toRead: AppPaths().journal)
        // What dead processes hold is not running.
        _ = try? await journal.sweep()
        var left = limit == 0 ? Int.max : limit
        var last = before
        while left > 0, case let page = try await journal.batches(before: last, limit: min(left, Self.page)),
            let end = page.last
        {
            for record in page { try await record.show(journal, json: json) }
            left -= page.count
            last = end.id
        }
        if let oldest = try await journal.batches(before: last, limit: 1).first, !json {
            Output.line("Older ones, from batch \(oldest.id) on: `submit history --before \(oldest.id.rawValue + 1)`.")
        }
    }
}
