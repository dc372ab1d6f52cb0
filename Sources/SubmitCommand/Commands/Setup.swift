internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SystemPackage

/// `submit setup`
struct Setup: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Ask what you have, set it up, and prove it with a sample.",
        discussion: """
            It asks at the terminal, tries what you say before it is written to the configuration, and tells how sure copies \
            there are. `submit destinations add` does the same from a script. Ctrl-C ends it: a destination is written down \
            when all of its questions are answered.

            Examples:
              submit setup
              submit destinations add nas --type file path=/mnt/nas/photos
            """)

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        guard Confirmation.isPossible else {
            throw SubmitFailure.usage(
                "`submit setup` asks at a terminal, and there is none: `submit destinations add NAME --type TYPE KEY=VALUE` "
                    + "takes it all at once.")
        }
        let places = AppPaths()
        var names: [String] = []
        var isDefault = false
        do throws(SubmitFailure) {
            repeat {
                if let name = try await Self.one(places) { names.append(name) }
            } while try Interview.yes("Set up another one?", usual: false)
            isDefault = try Self.setDefaults(names, places)
        } catch {
            guard error == .cancelled else { throw error }
            Output.trouble(
                "submit: ended; \(names.isEmpty ? "what is not written down is not set up" : "what was set up stays").")
            throw ExitStatus.interrupted
        }
        guard !names.isEmpty else { return }
        let to = isDefault ? "" : "--to \(names.joined(separator: ",")) "
        Output.line("Now send photos: `submit \(to)FILE...`")
        Output.line("Or all that comes into a folder: `submit watch \(to)FOLDER`")
    }

    private static func one(_ places: AppPaths) async throws(SubmitFailure) -> String? {
        do {
            return try await DestinationSetUp(places: places).run()
        } catch let failure as SubmitFailure {
            throw failure
        } catch {
            throw SubmitFailure(.giveUp, code: "configuration", message: "\(error)")
        }
    }

    /// Offers the destinations to use when none is named: those set up now, and the earlier defaults. Other destinations are meant
    /// for `--to`.
    ///
    /// - Returns: whether all of `names` are among them.
    private static func setDefaults(_ names: [String], _ places: AppPaths) throws(SubmitFailure) -> Bool {
        guard !names.isEmpty else { return false }
        let catalog = try Session.catalog(places)
        let already = catalog.file.defaults.map(\.text)
        let new = names.filter { !already.contains($0) }
        if new.isEmpty { return true }
        let wanted = already + new
        let question =
            already.isEmpty
            ? "Send to \(new.joined(separator: ", ")) if no destination is named?"
            : "If no destination is named, submit sends to \(already.joined(separator: ", ")). Send to "
                + "\(new.joined(separator: ", ")), too?"
        guard try Interview.yes(question, usual: true) else { return false }
        var file = EditedConfiguration(places)
        try file.text.setDefaults(wanted)
        try file.write()
        return true
    }
}
