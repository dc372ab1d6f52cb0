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
            `submit audit` looks for them there.
            """)

    @Argument(help: "The destination.", completion: Completed.destination)
    var name: String

    @Argument(
        help: "Settings as KEY=VALUE, as `submit types` lists them; bandwidth and quiet, too.",
        completion: Completed.setting)
    var settings: [String] = []

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let places = AppPaths()
        let journal = LazyJournal(places.journal)
        let catalog = try Session.catalog(places, journal)
        guard catalog.isConfigured(name), let entry = catalog.file.destinations[name] else {
            let hint = NearestNames.hint(for: name, among: Array(catalog.file.destinations.keys))
            throw SubmitFailure.usage("There is no destination “\(name)” in \(places.configuration)\(hint).")
        }
        let type = try catalog.type(of: name)
        let changes = try settings.isEmpty ? Self.asked(type, entry) : given(type)
        guard !changes.isEmpty else { return Output.line("Nothing was changed.") }
        var file = EditedConfiguration(places)
        for (key, value) in changes { try file.text.change(key, to: value, of: name) }
        let after = catalog.reading(try ConfigurationFile(file.text.text, path: places.configuration))
        // What cannot be used may be mended step by step.
        if (try? catalog.destination(name)) != nil {
            do throws(SubmitFailure) {
                _ = try after.destination(name)
            } catch {
                throw SubmitFailure(
                    .giveUp, code: error.code, message: "“\(name)” was not changed: \(error.advised(at: name))")
            }
        }
        try file.write()
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

    private func given(_ type: SubmitterType) throws(SubmitFailure) -> [(key: String, value: String?)] {
        let new = NewDestination(name: name, type: type, purpose: "was not changed")
        return try settings.map { argument throws(SubmitFailure) in
            let (key, text) = argument.splitAtEquals
            if ConfigurationFile.generalKeys.contains(key), let text { return (key, text.isEmpty ? nil : text) }
            if text == "", key == "visibility", type.lacksVisibility { return (key, nil) }
            if text == "", type.settings.contains(where: { $0.name == key }) { return (key, nil) }
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
