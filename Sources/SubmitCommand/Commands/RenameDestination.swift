internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitJournal
internal import SystemPackage

/// `submit destinations rename NAME NEW`
struct RenameDestination: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give a destination another name.",
        discussion: """
            What waits for it, what it has, its secrets, and where `default` and `watch` name it go along. What runs meanwhile, \
            such as a service, has to be begun anew: it knows the old name.
            """)

    @Argument(help: "The destination.", completion: Completed.destination)
    var name: String

    @Argument(help: "What to call it.")
    var new: String

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let places = AppPaths()
        let journal = LazyJournal(places.journal)
        let catalog = try Session.catalog(places, journal)
        guard let entry = catalog.file.destinations[name] else {
            let hint = NearestNames.hint(for: name, among: Array(catalog.file.destinations.keys))
            throw SubmitFailure.usage("There is no destination “\(name)” in \(places.configuration)\(hint).")
        }
        if let complaint = catalog.complaint(aboutNew: new) { throw SubmitFailure.usage(complaint) }
        let type = try catalog.type(of: name)
        let variables = type.settings.filter { $0.kind == .secret }.compactMap {
            catalog.source(before: $0, type, of: name)
        }
        .filter { $0.hasPrefix("SUBMIT_") }
        var file = EditedConfiguration(places)
        // Its type may be what its name says.
        if entry.type.line == entry.line, entry.values["type"] == nil, entry.type.text == name {
            try file.text.set("type", type.name, of: name)
        }
        try file.text.rename(name, to: new)
        // First what can be refused; done again after a kill, each step is what is left of it.
        if FileManager.default.fileExists(atPath: places.journal.string) {
            try await journal.open().rename(name, to: new)
        }
        let lock = try await catalog.credentials.lock(name)
        try withExtendedLifetime(lock) { () throws(SubmitFailure) in
            let secrets = try catalog.credentials.secrets(of: name)
            if !secrets.isEmpty { try catalog.credentials.change(new) { $0 = secrets } }
            try file.write()
            if !secrets.isEmpty { try catalog.credentials.change(name) { $0 = [:] } }
        }
        Output.line(Printable.line("“\(name)” is called “\(new)” now."))
        for variable in variables {
            ErrorReport.warn(
                code: "renamed-variable",
                "“\(variable)” is of the old name: call it after “\(new)”, as `submit types` tells.")
        }
    }
}
