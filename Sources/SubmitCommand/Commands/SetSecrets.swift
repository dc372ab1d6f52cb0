internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal
internal import SystemPackage

/// `submit secrets set NAME`: another password, token or key for a destination.
struct SetSecrets: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: SecretAssignment.abstract, discussion: SecretAssignment.discussion)

    @OptionGroup var secrets: SecretAssignment

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws { try await secrets.run() }
}

/// What sets secrets, by whatever command.
struct SecretAssignment: ParsableArguments {
    static let abstract = "Set secrets of a destination, such as its new password."
    static let discussion = """
        submit asks for them on the terminal, or reads them as KEY=VALUE lines from standard input with --stdin. They are never \
        arguments. Secrets that aren't named stay; KEY= removes one. `submit types` lists the keys.
        """

    @Argument(help: "The destination.", completion: Completed.destination)
    var name: String

    @Flag(help: "Read KEY=VALUE lines from standard input.")
    var stdin = false

    func run() async throws {
        let places = AppPaths()
        let journal = LazyJournal(places.journal)
        let catalog = try Session.catalog(places, journal)
        let name = try catalog.canonicalName(name)
        let type = try catalog.type(of: name)
        let keys = type.settings.filter { $0.kind == .secret }
        guard !keys.isEmpty else {
            throw SubmitFailure.usage("“\(name)” has no secrets: its type, \(type.name), takes none.")
        }
        var new = NewSecrets(type)
        if stdin {
            try new.read { readLine() }
        } else if isatty(STDIN_FILENO) == 1, HiddenInput.isThere {
            try new.ask(empty: "to leave it")
        } else {
            throw SubmitFailure.usage(
                "There is no terminal to ask for the secrets of “\(name)” at: read them as KEY=VALUE lines with --stdin "
                    + "(\(keys.map(\.name).joined(separator: ", "))).")
        }
        let given = new.given
        guard !given.isEmpty else { return Output.line("Nothing was given, and nothing has changed.") }
        let lock = try await catalog.credentials.lock(name)
        let kept = try catalog.credentials.secrets(of: name)
        let merged = kept.merging(given) { $1 }.filter { !$0.value.isEmpty }
        // What could be used before is not made one that cannot.
        if catalog.trouble(of: name, type, kept) == nil, let trouble = catalog.trouble(of: name, type, merged) {
            throw SubmitFailure(
                trouble.remedy, code: trouble.code, message: "The secrets of “\(name)” were not set: \(trouble.message)"
            )
        }
        try withExtendedLifetime(lock) { () throws(SubmitFailure) in
            try catalog.credentials.change(name) { kept in
                for (key, value) in given { kept[key] = value.isEmpty ? nil : value }
            }
        }
        // What is waiting for it may be waiting for just this.
        if FileManager.default.fileExists(atPath: places.journal.string) {
            try await journal.open().lookAgain(at: [name], asked: nil)
        }
        Output.line(Printable.line("The secrets of “\(name)” are set. `submit destinations check \(name)` tries it."))
        for key in keys where given[key.name] != nil {
            guard let source = catalog.source(before: key, type, of: name) else { continue }
            ErrorReport.warn(
                code: "secret-set-elsewhere", "“\(source)” goes before what was set for “\(key.name)”: take it out.")
        }
    }
}
