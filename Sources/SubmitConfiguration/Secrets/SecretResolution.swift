package import Submit

/// In which order places are asked for a secret.
extension DestinationCatalog {
    /// The secrets of one destination, by where they come from.
    struct ResolvedSecrets {
        /// From `SUBMIT_<NAME>_<KEY>` in the environment, else from the program that `<key>_command` names.
        var set: [String: String] = [:]
        /// From the environment variables that the type knows.
        var common: [String: String] = [:]
        /// What the destination gets.
        var all: [String: String] = [:]
    }

    /// Each from `SUBMIT_<NAME>_<KEY>` in the environment, else from the program that `<key>_command` names, else from where
    /// secrets are kept. Where a destination has none of these, all come from the environment variables that the type
    /// knows.
    ///
    /// - Throws: when they cannot be had.
    func resolvedSecrets(of name: String, _ type: SubmitterType) throws(SubmitFailure) -> ResolvedSecrets {
        var resolved = ResolvedSecrets()
        for key in type.settings where key.kind == .secret {
            if let own = ownText(of: key.name, name) {
                resolved.set[key.name] = own
            } else if let command = command(for: key, type, of: name) {
                resolved.set[key.name] = try credentials.printed(by: command.text, for: "“\(command.key)” of “\(name)”")
            }
            if let common = environmentValue(of: key) { resolved.common[key.name] = common }
        }
        var own = givenSecrets[name] ?? [:]
        let hasSecrets = type.settings.contains { $0.kind == .secret }
        if givenSecrets[name] == nil, credentials.isQuiet(for: name) || hasSecrets {
            own = try credentials.secrets(of: name)
        }
        own.merge(resolved.set) { $1 }
        // Secrets belong together: a key from here and its password from there would fit no lock.
        resolved.all = own.isEmpty ? resolved.common : own
        return resolved
    }

    /// Where each secret of a destination comes from, in words, as ``resolvedSecrets(of:_:)`` takes them.
    ///
    /// - Parameter kept: the names of those that are kept; `nil` where that cannot be seen.
    package func secretSources(of name: String, _ type: SubmitterType, kept: Set<String>?) -> [String: String] {
        let keys = type.settings.filter { $0.kind == .secret }
        var sources: [String: String] = [:]
        for key in keys {
            sources[key.name] =
                source(before: key, type, of: name)
                ?? (kept?.contains(key.name) == true ? "the secrets file" : nil)
        }
        // Those that the type knows count together, where there is no other.
        if sources.isEmpty {
            for key in keys {
                sources[key.name] = key.environment.first { places.environment[$0]?.isEmpty == false }
            }
        }
        return sources
    }

    /// What the first of the environment variables that the type knows for a setting says.
    func environmentValue(of key: SettingKey) -> String? {
        key.environment.lazy.compactMap { places.environment[$0] }.first { !$0.isEmpty }
    }

    /// The environment variable or the setting that a secret comes from before it is looked for where secrets are kept.
    package func source(before key: SettingKey, _ type: SubmitterType, of name: String) -> String? {
        ownText(of: key.name, name) != nil
            ? Self.variable(name, key.name) : command(for: key, type, of: name)?.key
    }

    /// The program that prints a secret, and the setting that names it.
    private func command(
        for key: SettingKey, _ type: SubmitterType, of name: String
    ) -> (key: String, text: String)? {
        let setting = key.commandKey
        guard key.kind == .secret, !type.settings.contains(where: { $0.name == setting }) else { return nil }
        let text = ownText(of: setting, name) ?? file.destinations[name]?.values[setting]?.text
        return text.flatMap { $0.isEmpty ? nil : (setting, $0) }
    }
}
