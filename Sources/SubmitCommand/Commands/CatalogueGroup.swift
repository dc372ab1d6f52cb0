internal import ArgumentParser
internal import Submit
internal import SubmitCatalogue
internal import SubmitEngine

/// `submit catalogue`: check, rebuild and populate.
struct CatalogueGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue", abstract: "Look after the catalogue of what was published.",
        subcommands: [CheckCatalogue.self, RebuildCatalogue.self, PopulateCatalogue.self])
}

/// `submit catalogue check`
struct CheckCatalogue: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Compare the whole catalogue with the journal.",
        discussion: """
            Changes nothing.

            Exit codes: 0 they agree; 1 something is wrong, which is said.
            """)

    @Flag(help: "One JSON object instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let flaws = try await Session().manager.checkCatalogue()
        if json {
            JSONOutput.print(["event": "catalogue-check", "sound": flaws.isEmpty, "troubles": flaws])
        } else {
            for flaw in flaws { Output.line(Printable.line(flaw)) }
            Output.line(
                flaws.isEmpty
                    ? "The catalogue is what the journal says."
                    : "The catalogue is not what the journal says: `submit catalogue rebuild` makes it so.")
        }
        if !flaws.isEmpty { throw ExitStatus.failed }
    }
}

/// `submit catalogue rebuild`
struct RebuildCatalogue: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild", abstract: "Make the catalogue anew from the journal.",
        discussion: """
            What was said by `submit describe` stays, and what was forgotten stays forgotten. Of what was sent by a submit that \
            kept no catalogue yet neither pixels nor place are known: --read reads its files for them.
            """)

    @Flag(help: "Read files of which nothing is known, where they are still what was sent.")
    var read = false

    @Flag(help: "One JSON object instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let manager = try Session().manager
        try await manager.rebuildCatalogue()
        let more = read ? try await manager.readPictures() : 0
        let count: Int
        do throws(DatasourceFault) {
            count = try await manager.pictures.count(.everything, nil)
        } catch {
            throw WrittenQuestion.failure(error, in: nil)
        }
        if json { return JSONOutput.print(["event": "catalogue-rebuild", "pictures": count, "read": more]) }
        Output.line("\(Printable.count(count, "picture")) in the catalogue.")
        if read { Output.line("Of \(more) of them more is known than before.") }
    }
}
