internal import ArgumentParser
internal import Submit
internal import SubmitConfiguration
internal import SubmitJournal
internal import SystemPackage

/// `submit journal backup FILE`
struct BackUpJournal: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write a whole copy of the journal to a file, also while photos are being sent.",
        discussion: """
            The copy is of one moment, and only you can read it. Broken off at any instant there is no half one under that name. \
            It holds no bytes of photos, and no secret. To restore it, see “Backing it up” in the journal's document.

            Exit codes: 0 it is written; 2 it is not, which is said.
            """)

    @Argument(help: "Where to write it.", completion: .file())
    var file: String

    @Flag(help: "Replace an earlier backup of that name. Nothing else is ever replaced.")
    var force = false

    @Flag(help: "One JSON object instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let journal = AppPaths().journal
        let size = try JournalBackup.make(of: journal, at: FilePath(file), isReplacing: force)
        if json {
            JSONOutput.print(["event": "journal-backup", "journal": journal.string, "path": file, "bytes": size])
        } else {
            Output.line(Printable.line("The journal is copied to \(file), \(Printable.bytes(size))."))
        }
    }
}
