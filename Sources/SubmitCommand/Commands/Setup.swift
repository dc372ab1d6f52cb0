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
        do throws(SubmitFailure) {
            repeat {
                if let name = try await Self.one(places) { names.append(name) }
            } while try Interview.yes("Set up another one?", usual: false)
            try Self.setDefaults(names, places)
        } catch {
            guard error == .cancelled else { throw error }
            Output.trouble(
                "submit: ended; \(names.isEmpty ? "what is not written down is not set up" : "what was set up stays").")
            throw ExitStatus.interrupted
        }
        guard !names.isEmpty else { return }
        print("Now send photos: `submit --to \(names.joined(separator: ",")) FILE...`")
        print("Or all that comes into a folder: `submit watch --to \(names.joined(separator: ",")) FOLDER`")
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

    /// Where one sends without naming any.
    private static func setDefaults(_ names: [String], _ places: AppPaths) throws(SubmitFailure) {
        guard !names.isEmpty else { return }
        let already = try Session.catalog(places).file.defaults.map(\.text)
        let wanted = already + names.filter { !already.contains($0) }
        let question = "Send to \(wanted.joined(separator: ", ")) where no destination is named?"
        guard try Interview.yes(question, usual: true) else { return }
        var file = EditedConfiguration(places)
        try file.text.setDefaults(wanted)
        try file.write()
    }
}
