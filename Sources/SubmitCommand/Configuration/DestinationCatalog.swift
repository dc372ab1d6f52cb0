internal import Submit
internal import SubmitEngine
internal import SubmitJournal
internal import SystemPackage

/// The destinations there are: configured ones, and one for each type that needs no configuration or gets all of it
/// from the environment.
struct DestinationCatalog: Sendable {
    private(set) var file: ConfigurationFile
    let places: Places
    let types: TypeCatalog
    let vault: Vault
    /// Of destinations that are not configured.
    private var givenSecrets: [String: [String: String]] = [:]
    private let journal: LateJournal

    init(places: Places, types: TypeCatalog, journal: LateJournal) throws(SubmitFailure) {
        self.journal = journal
        self.places = places
        self.types = types
        file = try ConfigurationFile.read(places.configuration)
        vault = try Vault(places, file)
        try vault.file.check()
    }

    /// All names: configured ones, and those of built-in types.
    var names: [String] {
        Set(file.destinations.keys).union(types.builtIn.map(\.name)).sorted()
    }

    func isConfigured(_ name: String) -> Bool { file.destinations[name] != nil }

    /// The type behind a destination's name. Of what it names, such as a recipe, the trouble is told with file and line.
    func type(of name: String) throws(SubmitFailure) -> SubmitterType {
        guard let entry = file.destinations[name] else { return try types.type(named: name) }
        let type = try located(entry.typeLine) { () throws(SubmitFailure) in try types.type(named: entry.type) }
        return try located(entry.line) { () throws(SubmitFailure) in
            try type.refined(by: Settings(destination: name, values: configured(name)))
        }
    }

    /// Puts file and line before what is wrong, unless nothing is written there.
    private func located<Value>(
        _ line: Int?, _ body: () throws(SubmitFailure) -> Value
    ) throws(SubmitFailure) -> Value {
        do throws(SubmitFailure) {
            return try body()
        } catch {
            guard let line, line > 0 else { throw error }
            throw SubmitFailure(error.remedy, code: error.code, "\(file.path):\(line): \(error.sentence)")
        }
    }

    private func configured(_ name: String) -> [String: String] {
        file.destinations[name]?.values.mapValues(\.text) ?? [:]
    }

    /// Whether a destination's submitter is a program of its own, which has to be started to be made.
    func isExternal(_ name: String) -> Bool {
        types.isExternal(file.destinations[name]?.type ?? name)
    }

    /// The destination's own name: a type may be called by any of its names.
    func canonicalName(_ name: String) throws(SubmitFailure) -> String {
        if isConfigured(name) { return name }
        do throws(SubmitFailure) {
            return try types.canonicalName(name)
        } catch {
            if error.code == "departed" || name.contains("/") { throw error }
            throw SubmitFailure(
                .giveUp, code: "unknown-destination",
                "There is no destination “\(name)”\(NearestNames.hint(for: name, among: names)); "
                    + "`submit destinations` lists them.")
        }
    }

    /// Makes the destination of this name. Nothing else that the configuration says can be in its way.
    func destination(_ name: String) throws(SubmitFailure) -> Destination {
        let name = try canonicalName(name)
        let type = try checkedType(of: name)
        let settings = try settings(name, type)
        return try located(file.destinations[name]?.line) { () throws(SubmitFailure) in
            Destination(name: name, type: type, submitter: try type.make(settings))
        }
    }

    /// Why some of these destinations, which are owed something, cannot be used at all, as far as that can be told without
    /// starting a program.
    func unusable(_ names: Set<String>) -> [String: String] {
        var reasons: [String: String] = [:]
        for name in names where !isExternal(name) {
            guard (try? canonicalName(name)) != nil else {
                reasons[name] =
                    "“\(name)” is no longer configured: add it again, or cancel what it is owed with "
                    + "`submit cancel --to \(name)`."
                continue
            }
            do throws(SubmitFailure) {
                _ = try destination(name)
            } catch {
                reasons[name] = error.sentence
            }
        }
        return reasons
    }

    /// Why a destination that is not yet configured could not be used with these settings; `nil`: it could.
    func trouble(
        of name: String, _ type: SubmitterType, _ values: [(key: String, value: String)], _ secrets: [String: String]
    ) -> SubmitFailure? {
        do throws(SubmitFailure) {
            _ = try type.make(adding(name, type, values, secrets).settings(name, type))
            return nil
        } catch {
            return error
        }
    }

    /// The same of one that is configured, with these secrets in place of those that are kept.
    func trouble(of name: String, _ type: SubmitterType, _ secrets: [String: String]) -> SubmitFailure? {
        trouble(of: name, type, configured(name).map { ($0.key, $0.value) }, secrets)
    }

    /// The same with a destination that is not configured.
    func adding(
        _ name: String, _ type: SubmitterType, _ values: [(key: String, value: String)], _ secrets: [String: String]
    ) -> DestinationCatalog {
        var catalog = self
        catalog.file.destinations[name] = ConfigurationFile.Entry(
            type: type.name, typeLine: 0, line: 0,
            values: Dictionary(values.map { ($0.key, (text: $0.value, line: 0)) }, uniquingKeysWith: { $1 }))
        catalog.givenSecrets[name] = secrets
        return catalog
    }

    /// The settings of a destination: the environment's `SUBMIT_<NAME>_<KEY>`, then the configuration, then the
    /// environment variables the type knows. A secret comes from the environment, else from the program that
    /// `<key>_command` names, else from where secrets are kept.
    ///
    /// - Parameter notes: what the submitter may remember; `nil` for the journal's.
    /// - Throws: when its secrets cannot be had.
    func settings(
        _ name: String, _ type: SubmitterType, notes: (any DestinationNotes)? = nil
    ) throws(SubmitFailure) -> Settings {
        var values: [String: String] = [:]
        var setSecrets: [String: String] = [:]
        var commonSecrets: [String: String] = [:]
        for key in type.settings {
            let own = places.environment[Self.variable(name, key.name)]
            let common = key.environment.lazy.compactMap { places.environment[$0] }.first { !$0.isEmpty }
            if key.kind == .secret {
                if let own {
                    setSecrets[key.name] = own
                } else if let command = command(for: key, type, of: name) {
                    setSecrets[key.name] = try vault.printed(by: command.text, for: "“\(command.key)” of “\(name)”")
                }
                if let common { commonSecrets[key.name] = common }
            } else {
                let value = own ?? file.destinations[name]?.values[key.name]?.text ?? common ?? fallback(key, type)
                values[key.name] = key.kind == .path ? value.map(places.expanded) : value
            }
        }
        var ownSecrets = givenSecrets[name] ?? [:]
        if givenSecrets[name] == nil, vault.isQuiet(for: name) || type.settings.contains(where: { $0.kind == .secret }) {
            ownSecrets = try vault.secrets(of: name)
        }
        ownSecrets.merge(setSecrets) { $1 }
        // Secrets belong together: a key from here and its password from there would fit no lock.
        let secrets = ownSecrets.isEmpty ? commonSecrets : ownSecrets
        return Settings(
            destination: name, values: values, secrets: secrets,
            notes: notes ?? JournalNotes(destination: name, journal: { [journal] in try? journal.open() }),
            secretStore: givenSecrets[name] == nil
                ? VaultSecrets(name, vault, set: setSecrets, common: commonSecrets) : PassingSecrets(secrets))
    }

    /// The environment variable or the setting that a secret comes from before it is looked for where secrets are kept.
    func source(before key: SettingKey, _ type: SubmitterType, of name: String) -> String? {
        let variable = Self.variable(name, key.name)
        return places.environment[variable] != nil ? variable : command(for: key, type, of: name)?.key
    }

    /// The program that prints a secret, and the setting that names it.
    private func command(
        for key: SettingKey, _ type: SubmitterType, of name: String
    ) -> (key: String, text: String)? {
        let setting = Self.commandKey(key)
        guard key.kind == .secret, !type.settings.contains(where: { $0.name == setting }) else { return nil }
        let text = places.environment[Self.variable(name, setting)] ?? file.destinations[name]?.values[setting]?.text
        return text.flatMap { $0.isEmpty ? nil : (setting, $0) }
    }

    /// The setting of a destination that names the program for a secret.
    static func commandKey(_ key: SettingKey) -> String { "\(key.name)_command" }

    /// The destination whose environment variables are those of this one: the secrets of one would go to the other.
    func twin(of name: String) -> String? {
        file.destinations.keys.sorted().first { $0 != name && Self.variable($0, "") == Self.variable(name, "") }
    }

    /// What two destinations must not share.
    static func sharing(_ name: String, _ twin: String) -> String {
        "“\(name)” and “\(twin)” would share their environment variables (\(variable(name, ""))…), and so their secrets"
    }

    /// The environment variable of one setting of one destination.
    static func variable(_ destination: String, _ key: String) -> String {
        String("SUBMIT_\(destination)_\(key)".uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// The one default that only the command knows.
    private func fallback(_ key: SettingKey, _ type: SubmitterType) -> String? {
        type.name == "file" && key.name == "path" ? places.pictures.appending("Submitted").string : nil
    }

    /// The type of a destination all of whose keys are its own.
    private func checkedType(of name: String) throws(SubmitFailure) -> SubmitterType {
        guard let entry = file.destinations[name] else { return try type(of: name) }
        if let twin = twin(of: name) {
            throw file.complaint(entry.line, "\(Self.sharing(name, twin)): rename one of them.")
        }
        let type = try type(of: name)
        for (key, value) in entry.values.sorted(by: { $0.value.line < $1.value.line }) {
            guard let known = type.settings.first(where: { $0.name == key }) else {
                if type.settings.contains(where: { $0.kind == .secret && Self.commandKey($0) == key }) { continue }
                throw file.unknown(
                    (key, value.line), among: type.settings.filter { $0.kind != .secret }.map(\.name) + ["type"],
                    of: "the destination “\(name)”")
            }
            try check(known, value)
        }
        return type
    }

    /// The names that the configuration gives for a run without `--to`.
    ///
    /// - Throws: for one that is no destination, with file and line.
    func defaults() throws(SubmitFailure) -> [String] {
        var names: [String] = []
        for (name, line) in file.defaults {
            names.append(try located(line) { () throws(SubmitFailure) in try canonicalName(name) })
        }
        return names
    }

    private func check(_ key: SettingKey, _ value: (text: String, line: Int)) throws(SubmitFailure) {
        if key.kind == .secret {
            throw file.complaint(
                value.line,
                "“\(key.name)” is a secret and must not stand here: put it into \(places.secrets) or the environment, or "
                    + "name a program that prints it in “\(Self.commandKey(key))”.")
        }
        if let complaint = key.complaint(about: value.text) { throw file.complaint(value.line, complaint) }
    }
}
