internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SystemPackage

/// `submit destinations`: list, add, remove, check.
struct Destinations: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List, add, remove and check destinations.",
        subcommands: [ListDestinations.self, AddDestination.self, RemoveDestination.self, CheckDestination.self],
        defaultSubcommand: ListDestinations.self)
}

struct ListDestinations: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "The destinations there are.")

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    func run() throws {
        let catalog = try Session.catalog()
        let defaults = catalog.file.defaults.map(\.name)
        for name in catalog.names {
            let type = try catalog.type(of: name)
            var trouble: String?
            do throws(SubmitFailure) {
                _ = try catalog.destination(name)
            } catch {
                trouble = error.sentence
            }
            let isDefault = defaults.contains(name) || (defaults.isEmpty && name == "file")
            if json {
                var object: [String: Any] = [
                    "destination": name, "type": type.name, "configured": catalog.isConfigured(name),
                    "default": isDefault, "ready": trouble == nil,
                ]
                object["message"] = trouble
                JSONLine.print(object)
            } else {
                let remark = trouble.map { "not set up: \($0)" } ?? catalog.settings(name, type).description
                print(Printable.line("\(name)\(isDefault ? "*" : "") [\(type.name)] \(remark)"))
            }
        }
    }
}

struct AddDestination: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a destination to the configuration.",
        usage: "submit destinations add NAME [--type TYPE] [KEY=VALUE ...]",
        discussion: """
            Secrets are never given as arguments: they are asked for on the terminal, or read as KEY=VALUE lines from \
            standard input with --secrets-from-stdin, and kept in a file only you can read. `submit types` lists the keys.
            """)

    @Argument(help: "What to call it.")
    var name: String

    @Option(help: "Its type; without: its name is one.")
    var type: String?

    @Flag(help: "Read secrets as KEY=VALUE lines from standard input.")
    var secretsFromStdin = false

    @Argument(help: "Settings as KEY=VALUE.")
    var settings: [String] = []

    func run() throws {
        let places = Places()
        let catalog = try Session.catalog(places)
        guard ConfigurationFile.isName(name) else {
            throw ValidationError("“\(name)” is no name for a destination: use letters, digits, “-”, “_” and “.”.")
        }
        guard !catalog.isConfigured(name) else {
            throw ValidationError("There is a destination “\(name)” already: remove it first, or edit \(places.configuration).")
        }
        let kind = try catalog.registry.type(named: type ?? name)
        let values = try settings.map { try value($0, kind) }
        var secrets = try SecretsFile(places.secrets)
        let given = try readSecrets(kind)
        let old = (try? String(contentsOfFile: places.configuration.string, encoding: .utf8)) ?? ""
        var text = ConfigurationText(old, path: places.configuration)
        try text.add(name, type: kind.name, values: values)
        if !given.isEmpty {
            secrets[name] = given
            try secrets.write()
        }
        try write(text.text, places)
        // What does not make a destination is taken back.
        do throws(SubmitFailure) {
            _ = try Session.catalog(places).destination(name)
            print("Added “\(name)”. `submit destinations check \(name)` tries it.")
        } catch {
            try write(old, places)
            secrets[name] = [:]
            if !given.isEmpty { try secrets.write() }
            let keys = kind.settings.filter { $0.kind == .secret }.map(\.name)
            guard given.isEmpty, !keys.isEmpty else { throw error }
            throw ValidationError(
                "“\(name)” was not added: \(error.sentence) Secrets (\(keys.joined(separator: ", "))) are "
                    + "asked for on a terminal, or read as KEY=VALUE lines with --secrets-from-stdin.")
        }
    }

    private func write(_ text: String, _ places: Places) throws {
        do {
            try PrivateFile.write(text, to: places.configuration)
        } catch {
            throw SubmitFailure(
                .giveUp, code: "configuration", "\(places.configuration) cannot be written: check that you own its folder.")
        }
    }

    private func value(_ argument: String, _ type: SubmitterType) throws -> (key: String, value: String) {
        guard let equals = argument.firstIndex(of: "=") else {
            throw ValidationError("“\(argument)” is not KEY=VALUE; `submit types` lists the keys.")
        }
        let name = String(argument[..<equals])
        guard let key = type.settings.first(where: { $0.name == name }) else {
            let names = type.settings.map(\.name)
            throw ValidationError(
                "“\(name)” is not a setting of \(type.name)\(NearestNames.hint(for: name, among: names)).")
        }
        guard key.kind != .secret else {
            throw ValidationError(
                "“\(name)” is a secret: arguments can be seen by others; leave it out, it is asked for.")
        }
        return (name, String(argument[argument.index(after: equals)...]))
    }

    private func readSecrets(_ type: SubmitterType) throws -> [String: String] {
        let keys = type.settings.filter { $0.kind == .secret }
        var secrets: [String: String] = [:]
        if secretsFromStdin {
            while let line = readLine() {
                guard let equals = line.firstIndex(of: "=") else { continue }
                let name = String(line[..<equals]).trimmingCharacters(in: .whitespaces)
                guard keys.contains(where: { $0.name == name }) else {
                    throw ValidationError("“\(name)” is not a secret of \(type.name).")
                }
                secrets[name] = String(line[line.index(after: equals)...])
            }
        } else if isatty(STDIN_FILENO) == 1 {
            for key in keys {
                guard let pass = getpass("\(key.summary) (\(key.name), empty for none): ") else { continue }
                let text = String(cString: pass)
                if !text.isEmpty { secrets[key.name] = text }
            }
        }
        return secrets
    }
}

struct RemoveDestination: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a destination and its secrets from the configuration.",
        discussion: "What it holds stays there, and what it is owed stays in the journal.")

    @Argument var name: String

    func run() throws {
        let places = Places()
        let catalog = try Session.catalog(places)
        guard catalog.isConfigured(name) else {
            let hint = NearestNames.hint(for: name, among: Array(catalog.file.destinations.keys))
            throw ValidationError("There is no destination “\(name)” in \(places.configuration)\(hint).")
        }
        if let line = catalog.file.defaults.first(where: { $0.name == name })?.line {
            throw ValidationError("“\(name)” is a default destination (\(places.configuration):\(line)): take it out there first.")
        }
        let old = (try? String(contentsOfFile: places.configuration.string, encoding: .utf8)) ?? ""
        var text = ConfigurationText(old, path: places.configuration)
        try text.remove(name)
        try PrivateFile.write(text.text, to: places.configuration)
        var secrets = try SecretsFile(places.secrets)
        secrets[name] = [:]
        try secrets.write()
        print("Removed “\(name)”.")
    }
}

struct CheckDestination: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Prove that destinations can be used, without leaving anything there.")

    @Argument(help: "Destinations; without: the configured ones.")
    var names: [String] = []

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    func run() async throws {
        let catalog = try Session.catalog()
        var wanted = names.splitAtCommas
        if wanted.isEmpty { wanted = catalog.names.filter { catalog.isConfigured($0) || $0 == "file" } }
        var isFine = true
        for name in wanted {
            let canonical = try catalog.canonicalName(name)
            do throws(SubmitFailure) {
                let sentence = try await catalog.destination(canonical).submitter.check()
                show(canonical, isReady: true, sentence)
            } catch {
                isFine = false
                show(canonical, isReady: false, error.sentence)
            }
        }
        if !isFine { throw ExitStatus.failed }
    }

    private func show(_ name: String, isReady: Bool, _ sentence: String) {
        if json {
            JSONLine.print(["destination": name, "ready": isReady, "message": sentence])
        } else {
            print(Printable.line("\(name): \(sentence)"))
        }
    }
}
