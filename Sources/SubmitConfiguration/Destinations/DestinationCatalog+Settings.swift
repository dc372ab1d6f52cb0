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
    /// environment variables the type knows; its secrets as ``resolvedSecrets(of:_:)`` says.
    ///
    /// - Parameter notes: what the submitter may remember; `nil` for the journal's.
    /// - Throws: when its secrets cannot be had.
    package func settings(
        _ name: String, _ type: SubmitterType, notes: (any DestinationNotes)? = nil
    ) throws(SubmitFailure) -> DestinationSettings {
        var values: [String: String] = [:]
        for key in type.settings where key.kind != .secret {
            let own = ownText(of: key.name, name)
            let value =
                own ?? file.destinations[name]?.values[key.name]?.text ?? environmentValue(of: key)
                ?? fallback(key, type)
            values[key.name] = key.kind == .path ? value.map(places.expanded) : value
        }
        let resolved = try resolvedSecrets(of: name, type)
        return DestinationSettings(
            destination: name, values: values, secrets: resolved.all,
            notes: notes ?? StoredNotes(destination: name, in: { [journal] in try? journal.open() }),
            secretStore: givenSecrets[name] == nil
                ? DestinationSecrets(name, credentials, set: resolved.set, common: resolved.common)
                : TransientSecrets(resolved.all))
    }

    /// Whether the configuration or the environment says anything of it. `file` needs nothing said.
    package func isSetUp(_ name: String) -> Bool {
        if isConfigured(name) || name == "file" { return true }
        return ((try? type(of: name))?.settings ?? []).contains { key in
            ownText(of: key.name, name) != nil || environmentValue(of: key) != nil
        }
    }

    /// The environment variable of one setting of one destination.
    package static func variable(_ destination: String, _ key: String) -> String {
        String("SUBMIT_\(destination)_\(key)".uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// The text that the environment has for one setting of one destination.
    ///
    /// Types choose the names of their settings: `2_password` of “nas” must not find what is meant for “nas-2”, nor
    /// `webhook_secret` of “news” the secret of notifications.
    package func ownText(of key: String, _ name: String) -> String? {
        let variable = Self.variable(name, key)
        guard variable != Self.webhookSecret, variable != Passphrase.variable else { return nil }
        let own = Self.variable(name, "")
        let isAnothers = file.destinations.keys.contains { other in
            let others = Self.variable(other, "")
            return others.utf8.count > own.utf8.count && variable.hasPrefix(others)
        }
        return isAnothers ? nil : places.environment[variable]
    }

    /// The one default that no type can know: a folder of this user for copies.
    private func fallback(_ key: SettingKey, _ type: SubmitterType) -> String? {
        guard type.name == "file", key.name == "path" else { return nil }
        return FormerFolder(places, journal).path ?? places.copies.string
    }
}
