internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal
internal import SystemPackage

/// A destination that is described by arguments, and not or not yet by the configuration.
struct NewDestination {
    let name: String
    let type: SubmitterType
    /// What did not happen when a setting is wrong: “was not added”.
    let purpose: String

    /// What KEY=VALUE say, as far as they do, before it is known which settings there are.
    static func texts(_ arguments: [String]) -> [String: String] {
        var texts: [String: String] = [:]
        for argument in arguments {
            guard let equals = argument.firstIndex(of: "=") else { continue }
            texts[String(argument[..<equals])] = String(argument[argument.index(after: equals)...])
        }
        return texts
    }

    /// Settings from KEY=VALUE.
    ///
    /// - Throws: for what is no setting of the type, or cannot be its value, and for a secret.
    func values(_ arguments: [String]) throws(SubmitFailure) -> [(key: String, value: String)] {
        try arguments.map { argument throws(SubmitFailure) in try value(argument) }
    }

    private func value(_ argument: String) throws(SubmitFailure) -> (key: String, value: String) {
        guard let equals = argument.firstIndex(of: "=") else {
            throw .usage("“\(argument)” is not KEY=VALUE; `submit types` lists the keys.")
        }
        let key = String(argument[..<equals])
        let value = String(argument[argument.index(after: equals)...])
        switch type.fault(of: key, value) {
        case nil: return (key, value)
        case .unknown where key == "rendition":
            return (key, try RenditionPolicy(value).description)
        case .unknown where key == "visibility":
            guard Visibility(rawValue: value) != nil else {
                throw .usage("“\(value)” is no visibility: take public or private.")
            }
            return (key, value)
        case .unknown:
            throw .usage(
                "“\(key)” is not a setting of \(type.name)"
                    + "\(NearestNames.hint(for: key, among: type.settings.map(\.name))); `submit types` lists them.")
        case .secret(let secret):
            throw .usage(
                "“\(key)” is a secret: arguments can be seen by others; leave it out: a terminal asks for it, "
                    + "--stdin reads it, and \(secret.commandKey)=… names a program that prints it.")
        case .value(let complaint): throw .usage("“\(name)” \(purpose): \(complaint)")
        }
    }

    /// The secrets that make the destination one that can be used: asked for on a terminal, or read from standard input.
    ///
    /// - Throws: what is still missing or wrong.
    func secrets(
        with values: [(key: String, value: String)], fromStdin: Bool, _ catalog: DestinationCatalog
    ) throws(SubmitFailure) -> [String: String] {
        var secrets = NewSecrets(type)
        if fromStdin { try secrets.read { readLine() } }
        var trouble = catalog.trouble(of: name, type, values, secrets.given)
        if !fromStdin, isatty(STDIN_FILENO) == 1, HiddenInput.isThere {
            let wanted = trouble.map(secrets.wanted) ?? []
            if trouble == nil || !wanted.isEmpty {
                // A password will do where a token would, too.
                try secrets.ask(for: wanted) { catalog.trouble(of: name, type, values, $0) == nil }
            }
            trouble = catalog.trouble(of: name, type, values, secrets.given)
        }
        guard let trouble else { return secrets.given }
        // The advice to add the destination is no news here.
        let sentence = trouble.message.components(separatedBy: ": set them up, or set ")[0]
        let end = sentence == trouble.message ? "" : "."
        let missing = secrets.wanted(by: SubmitFailure(trouble.remedy, code: trouble.code, message: sentence))
            .filter { secrets.given[$0] == nil }
        let advice =
            missing.isEmpty
            ? ""
            : " Secrets are asked for on a terminal, or read as KEY=VALUE lines with --stdin: "
                + "\(missing.joined(separator: ", "))."
        let code = trouble.code == "not-set-up" ? "configuration" : trouble.code
        throw SubmitFailure(trouble.remedy, code: code, message: "“\(name)” \(purpose): \(sentence)\(end)\(advice)")
    }

    /// Asks for the settings without which it cannot be used, and that are neither given nor in the environment.
    func missing(
        _ values: [(key: String, value: String)], _ catalog: DestinationCatalog
    ) throws(SubmitFailure) -> [(key: String, value: String)] {
        var missing: [(key: String, value: String)] = []
        for key in type.settings where key.isRequired && key.kind != .secret {
            let isSet = values.contains { $0.key == key.name }
            if isSet || key.environment.contains(where: { catalog.places.environment[$0]?.isEmpty == false }) {
                continue
            }
            let answer = try Interview.line("\(key.summary) (\(key.name))") { answer in
                if case .value(let complaint) = type.fault(of: key.name, answer) { return complaint }
                return nil
            }
            missing.append((key.name, answer))
        }
        return missing
    }

    /// The destination as it will be. Its submitter remembers nothing.
    ///
    /// - Throws: why it can't be made.
    func made(
        _ values: [(key: String, value: String)], _ secrets: [String: String], _ typeName: String,
        _ catalog: DestinationCatalog
    ) throws(SubmitFailure) -> Destination {
        try catalog.adding(name, typeName, values, secrets).destination(name, notes: TransientNotes())
    }

    /// Writes it to the configuration, and its secrets to where they are kept.
    ///
    /// - Parameters:
    ///   - type: as the configuration calls it.
    ///   - comments: lines for people.
    func keep(
        _ values: [(key: String, value: String)], _ secrets: [String: String], type: String, comments: [String] = [],
        _ catalog: DestinationCatalog, _ journal: LazyJournal
    ) async throws(SubmitFailure) {
        var file = EditedConfiguration(catalog.places)
        try file.text.add(name, type: type, values: values, comments: comments)
        if !secrets.isEmpty {
            try catalog.credentials.change(name) { $0 = secrets }
        }
        try file.write()
        // What is waiting for this name may be waiting for just this.
        if FileManager.default.fileExists(atPath: catalog.places.journal.string) {
            try await journal.open().lookAgain(at: [name], asked: nil)
        }
    }
}
