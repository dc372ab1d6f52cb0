public import Submit
internal import SubmitJournal
internal import SubmitStore
internal import SystemPackage

extension DestinationCatalog {
    /// What the submitter of a destination is made with: the environment's `SUBMIT_<NAME>_<KEY>`, then the configuration,
    /// then the environment variables the type knows. Secrets come from where they are kept.
    ///
    /// - Throws: as ``destination(_:)``.
    public func settings(of name: String) throws(SubmitFailure) -> DestinationSettings {
        let name = try canonicalName(name)
        return try settings(name, checkedType(of: name))
    }

    /// The settings of a destination: the environment's `SUBMIT_<NAME>_<KEY>`, then the configuration, then the
    /// environment variables the type knows. A secret comes from the environment, else from the program that
    /// `<key>_command` names, else from where secrets are kept.
    ///
    /// - Parameter notes: what the submitter may remember; `nil` for the journal's.
    /// - Throws: when its secrets cannot be had.
    package func settings(
        _ name: String, _ type: SubmitterType, notes: (any DestinationNotes)? = nil
    ) throws(SubmitFailure) -> DestinationSettings {
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
        if givenSecrets[name] == nil, vault.isQuiet(for: name) || type.settings.contains(where: { $0.kind == .secret })
        {
            ownSecrets = try vault.secrets(of: name)
        }
        ownSecrets.merge(setSecrets) { $1 }
        // Secrets belong together: a key from here and its password from there would fit no lock.
        let secrets = ownSecrets.isEmpty ? commonSecrets : ownSecrets
        return DestinationSettings(
            destination: name, values: values, secrets: secrets,
            notes: notes ?? StoredNotes(destination: name, in: { [journal] in try? journal.open() }),
            secretStore: givenSecrets[name] == nil
                ? DestinationSecrets(name, vault, set: setSecrets, common: commonSecrets) : TransientSecrets(secrets))
    }

    /// The environment variable or the setting that a secret comes from before it is looked for where secrets are kept.
    package func source(before key: SettingKey, _ type: SubmitterType, of name: String) -> String? {
        let variable = Self.variable(name, key.name)
        return places.environment[variable] != nil ? variable : command(for: key, type, of: name)?.key
    }

    /// The program that prints a secret, and the setting that names it.
    private func command(
        for key: SettingKey, _ type: SubmitterType, of name: String
    ) -> (key: String, text: String)? {
        let setting = key.commandKey
        guard key.kind == .secret, !type.settings.contains(where: { $0.name == setting }) else { return nil }
        let text = places.environment[Self.variable(name, setting)] ?? file.destinations[name]?.values[setting]?.text
        return text.flatMap { $0.isEmpty ? nil : (setting, $0) }
    }

    /// The environment variable of one setting of one destination.
    package static func variable(_ destination: String, _ key: String) -> String {
        String("SUBMIT_\(destination)_\(key)".uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// The one default that no type can know: where this user's pictures are.
    private func fallback(_ key: SettingKey, _ type: SubmitterType) -> String? {
        type.name == "file" && key.name == "path" ? places.pictures.appending("Submitted").string : nil
    }
}
