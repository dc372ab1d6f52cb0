internal import ArgumentParser
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine

/// `submit pause [DESTINATION...]`
struct Pause: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send nothing more, in any process, until `submit resume`.",
        discussion: "What is being sent at this moment is sent to its end.")

    @Argument(help: "Destinations. Without: all.")
    var destinations: [String] = []

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let session = try Session()
        var names: [String] = []
        for name in destinations.splitAtCommas { names.append(try session.catalog.canonicalName(name)) }
        if names.isEmpty { names = session.catalog.names }
        try await session.manager.pause(names)
        print("Paused: \(names.joined(separator: ", ")). `submit resume` goes on.")
    }
}
