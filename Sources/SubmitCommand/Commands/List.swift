internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal
internal import SystemPackage

/// `submit list [BATCH]`
struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List every submission with its state, its evidence and its place.")

    @Argument(help: "A batch, by its number in `submit status`. Without: all.")
    var batch: BatchID?

    @Option(help: ArgumentHelp("Those of these destinations only.", valueName: "destination,..."))
    var to: [String] = []

    @Flag(help: "Show every attempt too.")
    var attempts = false

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    func run() async throws {
        let journal = try Journal(path: Places().journal)
        // What dead processes hold is not running.
        _ = try? await journal.recover()
        let columns = Terminal.isThere ? Terminal.columns : nil
        let names = Set(to.splitAtCommas)
        let known = try Set(journal.destinationNames())
        for stranger in names.subtracting(known).sorted() {
            // A destination that was never owed anything has an empty list.
            if let catalog = try? Session.catalog(), (try? catalog.canonicalName(stranger)) != nil { continue }
            throw SubmitFailure(
                .giveUp, code: "unknown-destination",
                "Nothing was ever owed to “\(stranger)”\(NearestNames.hint(for: stranger, among: Array(known))).")
        }
        try journal.check(SubmissionSelection(batch: batch))
        var last: SubmissionID = 0
        while case let page = try journal.submissions(SubmissionSelection(batch: batch), after: last), let end = page.last {
            for record in page where names.isEmpty || names.contains(record.destination) {
                let attempts = attempts ? try journal.attempts(of: record.id) : []
                if json {
                    var object = JSONLine.object(record)
                    if self.attempts { object["attempts"] = attempts.map(Self.object) }
                    JSONLine.print(object)
                } else {
                    print(ReportTable.row(record, columns: columns))
                    for attempt in attempts { print(Self.line(attempt)) }
                }
            }
            last = end.id
        }
    }

    private static func object(_ attempt: AttemptRecord) -> [String: Any] {
        var object: [String: Any] = [
            "number": attempt.number, "started": JSONLine.time(attempt.started), "ended": JSONLine.time(attempt.ended),
            "outcome": attempt.outcome,
        ]
        object["code"] = attempt.code
        object["message"] = attempt.sentence
        return object
    }

    private static func line(_ attempt: AttemptRecord) -> String {
        let sentence = attempt.sentence.map { ": \($0)" } ?? ""
        return Printable.line("      attempt \(attempt.number), \(JSONLine.time(attempt.started)): \(attempt.outcome)\(sentence)")
    }
}
