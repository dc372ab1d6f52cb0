internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal
internal import SystemPackage

/// `submit list [BATCH]`
struct List: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List every submission with its state, its evidence and its place.")

    @Argument(help: "A batch, by its number in `submit status`. Without: all.", completion: Completed.batch)
    var batch: BatchID?

    @Option(
        help: ArgumentHelp("Those of these destinations only.", valueName: "destination,..."),
        completion: Completed.destinations)
    var to: [String] = []

    @Option(help: "Those in this state only.")
    var state: StateWord?

    @Option(help: ArgumentHelp("Those after this submission only.", valueName: "number"))
    var after: SubmissionID?

    @Option(help: ArgumentHelp("How many at the most; 0: all.", valueName: "number"))
    var limit = 0

    @Flag(help: "Show every attempt too.")
    var attempts = false

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    /// Submissions that are read at once.
    private static let page = 1000

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("“--limit” must not be below 0.") }
    }

    func run() async throws {
        let journal = try Journal(toRead: AppPaths().journal)
        // What dead processes hold is not running.
        _ = try? await journal.sweep()
        let columns = Terminal.isThere ? Terminal.columns : nil
        let names = Set(to.splitAtCommas)
        let known = Set(try await journal.destinationNames())
        for stranger in names.subtracting(known).sorted() {
            // A destination that was never owed anything has an empty list.
            if let catalog = try? Session.catalog(), (try? catalog.canonicalName(stranger)) != nil { continue }
            throw SubmitFailure(
                .giveUp, code: "never-used",
                message:
                    "Nothing was ever accepted for “\(stranger)”\(NearestNames.hint(for: stranger, among: Array(known)))."
            )
        }
        try await journal.check(SubmissionSelection(batch: batch))
        var left = limit == 0 ? Int.max : limit
        var last = after
        var isEmpty = true
        while left > 0,
            case let page = try await journal.submissions(
                SubmissionSelection(batch: batch), destinations: names, state: state?.state, after: last,
                limit: min(left, Self.page)),
            let end = page.last
        {
            isEmpty = false
            for record in page {
                let attempts = attempts ? try await journal.attempts(of: record.id) : []
                if json {
                    var object = JSONOutput.object(record)
                    if self.attempts { object["attempts"] = attempts.map { Self.object($0, at: record.destination) } }
                    JSONOutput.print(object)
                } else {
                    Output.line(SubmissionRow.text(record, columns: columns))
                    for attempt in attempts { Output.line(Self.line(attempt, at: record.destination)) }
                }
            }
            left -= page.count
            last = end.id
        }
        if isEmpty, !json {
            Output.line(state.map { "No submission is \($0.rawValue)." } ?? "There are no submissions.")
        }
    }

    private static func object(_ attempt: AttemptRecord, at destination: String) -> [String: Any] {
        var object: [String: Any] = [
            "number": attempt.number, "started": JSONOutput.time(attempt.started),
            "ended": JSONOutput.time(attempt.ended),
            "outcome": attempt.outcome,
        ]
        object["code"] = attempt.code
        object["message"] = attempt.advised(at: destination)
        return object
    }

    private static func line(_ attempt: AttemptRecord, at destination: String) -> String {
        let sentence = attempt.advised(at: destination).map { ": \($0)" } ?? ""
        return Printable.line(
            "      attempt \(attempt.number), \(Printable.local(attempt.started)): \(attempt.outcome)\(sentence)")
    }
}

extension List {
    /// A state, by the word people see.
    enum StateWord: String, ExpressibleByArgument, CaseIterable {
        case waiting, running, done, failed, cancelled

        var state: SubmissionState? { SubmissionState.allCases.first { $0.name == rawValue } }
    }
}
