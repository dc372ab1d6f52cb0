internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal

/// `submit destinations moved`: this is its place from now on.
struct MovedDestination: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "moved", abstract: "Say that a destination is to use another disk or folder from now on.",
        discussion: """
            A folder remembers which disk it is on, and is on hold while another one has its path. This takes what has its \
            path now for its own; what waits goes there with `submit resume`.
            """)

    @Argument(help: "The destination.", completion: Completed.destination)
    var name: String

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let places = AppPaths()
        let journal = LazyJournal(places.journal)
        let catalog = try Session.catalog(places, journal)
        let destination = try catalog.destination(name)
        guard let home = destination.submitter.facets.home else {
            throw SubmitFailure.usage(
                "“\(destination.name)” does not remember where it is, so that there is nothing to tell it.")
        }
        let sentence = try await home.moved()
        let store = try journal.open()
        // What was sent before lies elsewhere.
        try await store.forgetPlaces(at: destination.name)
        try await store.lookAgain(at: [destination.name], asked: nil)
        if json {
            JSONOutput.print(["destination": destination.name, "moved": true, "message": sentence])
        } else {
            print(Printable.line(sentence))
        }
    }
}
