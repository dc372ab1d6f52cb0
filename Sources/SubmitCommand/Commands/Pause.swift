internal import ArgumentParser
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine

/// `submit pause [DESTINATION...]`
struct Pause: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Send nothing more, in any process, until `submit resume`.",
        discussion: "What is being sent at this moment is sent to its end.")

    @Argument(help: "Destinations. Without: all that are set up.", completion: Completed.destination)
    var destinations: [String] = []

    @Option(
        help: ArgumentHelp("The same as naming them.", valueName: "destination,..."), completion: Completed.destinations
    )
    var to: [String] = []

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let session = try Session()
        var names: [String] = []
        for name in (destinations + to).splitAtCommas { names.append(try session.catalog.canonicalName(name)) }
        if names.isEmpty {
            let used = Set(try await session.journal.destinationNames())
            names = session.catalog.names.filter { session.catalog.isSetUp($0) || used.contains($0) }
        }
        try await session.manager.pause(names)
        Output.line("Paused: \(names.joined(separator: ", ")). `submit resume` goes on.")
    }
}
