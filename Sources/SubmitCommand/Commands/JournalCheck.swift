internal import ArgumentParser
internal import Submit
internal import SubmitConfiguration
internal import SubmitJournal
internal import SystemPackage

/// `submit journal check [FILE]`
struct CheckJournal: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Look through the whole journal, or a backup of it, for damage.",
        discussion: """
            Changes nothing, and reads all of the file.

            Exit codes: 0 it is sound; 1 something is wrong, which is said; 2 there is no such file.
            """)

    @Argument(help: "A backup. Without: the journal.", completion: .file())
    var file: String?

    @Flag(help: "One JSON object instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let path = file.map { FilePath($0) } ?? AppPaths().journal
        guard let found = JournalExamination.of(path, isThorough: true) else {
            throw SubmitFailure.usage("There is no journal “\(path)”.")
        }
        let wrong =
            [found.trouble].compactMap(\.self)
            + (found.integrity == "ok" || found.trouble != nil ? [] : ["The file is damaged: \(found.integrity)."])
            + found.flaws.map { "There are \($0)." }
        if json {
            JSONOutput.print([
                "event": "journal-check", "path": path.string, "sound": wrong.isEmpty, "integrity": found.integrity,
                "version": found.version, "bytes": found.size, "batches": found.batches,
                "submissions": found.counts as [String: Any], "troubles": wrong,
            ])
        } else {
            for sentence in wrong { Output.line(Printable.line(sentence)) }
            let count = Printable.count(found.counts.values.reduce(0, +), "submission")
            Output.line(
                Printable.line(
                    wrong.isEmpty
                        ? "\(path) is sound: \(count) in \(Printable.count(found.batches, "batch", "batches"))."
                        : "\(path) is not sound: keep a copy of it, and put the last backup in its place."))
        }
        if !wrong.isEmpty { throw ExitStatus.failed }
    }
}
