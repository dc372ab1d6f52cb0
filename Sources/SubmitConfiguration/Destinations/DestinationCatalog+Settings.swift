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
            let own = places.environment[Self.variable(name, key.name)]
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
            places.environment[Self.variable(name, key.name)] != nil || environmentValue(of: key) != nil
        }
    }

    /// The environment variable of one setting of one destination.
    package static func variable(_ destination: String, _ key: String) -> String {
        String("SUBMIT_\(destination)_\(key)".uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// The one default that no type can know: a folder of this user for copies.
    private func fallback(_ key: SettingKey, _ type: SubmitterType) -> String? {
        guard type.name == "file", key.name == "path" else { return nil }
        return FormerFolder(places, journal).path ?? places.copies.string
    }
}
