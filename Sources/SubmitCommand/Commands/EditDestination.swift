internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitJournal
internal import SystemPackage

/// `submit destinations edit NAME [KEY=VALUE ...]`
struct EditDestination: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change settings of a destination.",
        discussion: """
            KEY=VALUE sets, KEY= takes away; without any, a terminal asks for each. Comments stay. Nothing is changed where \
            the destination could not be used any more. Copies that were sent stay where they are: with another place, \
            `submit audit` looks for them there. Another recipe may need more settings: give all of them in one command. \
            Its secrets are asked for on a terminal, or read as KEY=VALUE lines with --stdin.
            """, aliases: ["set", "change"])

    @Argument(help: "The destination.", completion: Completed.destination)
    var name: String

    @Argument(
        help: "Settings as KEY=VALUE, as `submit types` lists them; bandwidth and quiet, too.",
        completion: Completed.setting)
    var settings: [String] = []

    @Flag(help: "Read secrets as KEY=VALUE lines from standard input.")
    var stdin = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let places = AppPaths()
        let journal = LazyJournal(places.journal)
        let catalog = try Session.catalog(places, journal)
        guard catalog.isConfigured(name), let entry = catalog.file.destinations[name] else {
            let hint = NearestNames.hint(for: name, among: Array(catalog.file.destinations.keys))
            throw SubmitFailure.usage("There is no destination “\(name)” in \(places.configuration)\(hint).")
        }
        let new = NewDestination(name: name, type: try type(entry, catalog), purpose: "was not changed")
        var changes = try settings.isEmpty && !stdin ? Self.asked(new.type, entry) : given(new, entry)
        if !settings.isEmpty, !stdin, Confirmation.isPossible {
            changes += try new.missing(Self.values(entry, changes), catalog).map { ($0.key, $0.value) }
        }
        guard !changes.isEmpty || stdin else { return Output.line("Nothing was changed.") }
        var file = EditedConfiguration(places)
        for (key, value) in changes { try file.text.change(key, to: value, of: name) }
        let after = catalog.reading(try ConfigurationFile(file.text.text, path: places.configuration))
        let lock = try await catalog.credentials.lock(name)
        let secrets = try secrets(new, after, wasUsable: (try? catalog.destination(name)) != nil)
        if !secrets.isEmpty {
            try catalog.credentials.change(name) { $0.merge(secrets) { $1 } }
        }
        try withExtendedLifetime(lock) { () throws(SubmitFailure) in try file.write() }
        // What is waiting for it may be waiting for just this.
        if FileManager.default.fileExists(atPath: places.journal.string) {
            try await journal.open().lookAgain(at: [name], asked: nil)
        }
        Output.line(Printable.line("Changed “\(name)”. `submit destinations check \(name)` tries it."))
        if changes.contains(where: { $0.key == "template" }) {
            Output.line(
                Printable.line(
                    "New files follow the new template. Copies that are there keep their names and aren't sent again; "
                        + "`submit --to \(name) --reread PATH` sends them again under new names."))
        }
    }

    /// The type with the new settings: with another recipe it has other keys.
    private func type(
        _ entry: ConfigurationFile.Entry, _ catalog: DestinationCatalog
    ) throws(SubmitFailure) -> SubmitterType {
        // It also reports what is wrong with the type itself.
        let type = try catalog.type(of: name)
        guard !settings.isEmpty else { return type }
        let values = entry.values.mapValues(\.text).merging(NewDestination.texts(settings)) { $1 }
        return try catalog.types.type(named: entry.type.text)
            .refined(by: DestinationSettings(destination: name, values: values.filter { !$0.value.isEmpty }))
    }

    /// The settings after some changes.
    private static func values(
        _ entry: ConfigurationFile.Entry, _ changes: [(key: String, value: String?)]
    ) -> [(key: String, value: String)] {
        var values = entry.values.mapValues(\.text)
        for (key, value) in changes { values[key] = value }
        return values.map { ($0.key, $0.value) }
    }

    /// The secrets that are given with the settings, or that those need.
    ///
    /// - Parameters:
    ///   - after: the catalog with the new settings.
    ///   - wasUsable: whether the destination could be used before. What cannot be used may be set up step by step.
    /// - Throws: why the destination could not be used any more, and what the same command has to have besides.
    private func secrets(
        _ new: NewDestination, _ after: DestinationCatalog, wasUsable: Bool
    ) throws(SubmitFailure) -> [String: String] {
        var secrets = NewSecrets(new.type)
        if stdin { try secrets.read { readLine() } }
        guard wasUsable else { return secrets.given }
        let kept = try after.credentials.secrets(of: name)
        func trouble(_ given: [String: String]) -> SubmitFailure? {
            do throws(SubmitFailure) {
                _ =
                    try given.isEmpty
                    ? after.destination(name) : after.giving(name, kept.merging(given) { $1 }).destination(name)
                return nil
            } catch {
                return error
            }
        }
        guard var found = trouble(secrets.given) else { return secrets.given }
        let wanted = secrets.wanted(by: found).filter { kept[$0] == nil }
        if !stdin, !wanted.isEmpty, isatty(STDIN_FILENO) == 1, HiddenInput.isThere {
            try secrets.ask(for: wanted) { trouble($0) == nil }
            guard let rest = trouble(secrets.given) else { return secrets.given }
            found = rest
        }
        throw SubmitFailure(
            .giveUp, code: found.code,
            message: "“\(name)” was not changed: \(found.advised(at: name))\(lacking(new.type, after, wanted))")
    }

    /// How to give what the new settings need, in the same command.
    private func lacking(_ type: SubmitterType, _ after: DestinationCatalog, _ secrets: [String]) -> String {
        let set = after.file.destinations[name]?.values ?? [:]
        let missing = type.settings.filter { $0.isRequired && $0.kind != .secret && set[$0.name] == nil }.map(\.name)
        let others = set.keys.filter { key in
            !ConfigurationFile.generalKeys.contains(key) && type.fault(of: key, set[key]?.text ?? "") == .unknown
                && !["rendition", "visibility"].contains(key)
        }.sorted()
        let arguments = settings + missing.map { "\($0)=VALUE" } + others.map { "\($0)=" }
        var advice = ""
        if !missing.isEmpty || !others.isEmpty {
            advice =
                " Give all of it in one command: `submit destinations edit \(name) \(arguments.joined(separator: " "))`."
        }
        if !secrets.isEmpty {
            advice +=
                " Secrets are asked for on a terminal, or read as KEY=VALUE lines with --stdin: "
                + "\(secrets.joined(separator: ", "))."
        }
        return advice
    }

    private func given(
        _ new: NewDestination, _ entry: ConfigurationFile.Entry
    ) throws(SubmitFailure) -> [(key: String, value: String?)] {
        let type = new.type
        return try settings.map { argument throws(SubmitFailure) in
            let (key, text) = argument.splitAtEquals
            if ConfigurationFile.generalKeys.contains(key), let text { return (key, text.isEmpty ? nil : text) }
            if text == "", key == "visibility", type.lacksVisibility { return (key, nil) }
            // Another recipe may not have what the old one had.
            if text == "", type.settings.contains(where: { $0.name == key }) || entry.values[key] != nil {
                return (key, nil)
            }
            let (name, value) = try new.values([argument])[0]
            return (name, value)
        }
    }

    /// What is set, and what cannot be left out.
    private static func asked(
        _ type: SubmitterType, _ entry: ConfigurationFile.Entry
    ) throws(SubmitFailure) -> [(key: String, value: String?)] {
        guard Confirmation.isPossible else { throw .usage("Say what is to be changed: KEY=VALUE.") }
        var changes: [(key: String, value: String?)] = []
        for key in type.settings where key.kind != .secret && (key.isRequired || entry.values[key.name] != nil) {
            let old = entry.values[key.name]?.text
            let answer = try Interview.line("\(key.summary) (\(key.name))", usual: old ?? "") { answer in
                if case .value(let complaint) = type.fault(of: key.name, answer) { return complaint }
                return nil
            }
            if answer != old ?? "" { changes.append((key.name, answer)) }
        }
        return changes
    }
}

extension String {
    /// `KEY` and `VALUE` of `KEY=VALUE`.
    fileprivate var splitAtEquals: (key: String, value: String?) {
        guard let equals = firstIndex(of: "=") else { return (self, nil) }
        return (String(self[..<equals]), String(self[index(after: equals)...]))
    }
}
