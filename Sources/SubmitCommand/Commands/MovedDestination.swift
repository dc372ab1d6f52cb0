internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal
internal import SystemPackage

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

    @Flag(help: "Don't ask before using another disk or folder.")
    var yes = false

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
        if !yes, !json, Confirmation.isPossible, let folder = home.folder {
            guard Confirmation.ask(Self.question(destination.name, folder)) else {
                throw SubmitFailure.usage("“\(destination.name)” was not changed.")
            }
        }
        let sentence = try await home.moved()
        let store = try journal.open()
        // What was sent before lies elsewhere.
        try await store.forgetPlaces(at: destination.name)
        try await store.lookAgain(at: [destination.name], asked: nil)
        if json {
            JSONOutput.print(["destination": destination.name, "moved": true, "message": sentence])
        } else {
            Output.line(Printable.line(sentence))
        }
    }

    private static func question(_ name: String, _ folder: FilePath) -> String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
        let count = names.count { !$0.hasPrefix(".") }
        let content = count == 0 ? "is empty" : "has \(Printable.count(count, "entry", "entries"))"
        return Printable.line(
            "“\(folder)” \(content). submit won't find copies that “\(name)” has on another disk. Use this folder for "
                + "“\(name)” from now on?")
    }
}
