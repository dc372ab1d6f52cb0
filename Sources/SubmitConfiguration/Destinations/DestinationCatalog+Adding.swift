package import Submit

extension DestinationCatalog {
    /// Why no new destination can be called this; `nil`: it can.
    package func complaint(aboutNew name: String) -> String? {
        guard ConfigurationFile.isName(name) else {
            return "“\(name)” is no name for a destination: use letters, digits, “-”, “_” and “.”."
        }
        guard !isConfigured(name) else {
            return "There is a destination “\(name)” already: remove it first, or edit \(places.configuration)."
        }
        return twin(of: name).map { "\(Self.sharing(name, $0)): choose another name." }
    }

    /// Why a destination that is not yet configured could not be used with these settings; `nil`: it could.
    package func trouble(
        of name: String, _ type: SubmitterType, _ values: [(key: String, value: String)], _ secrets: [String: String]
    ) -> SubmitFailure? {
        do throws(SubmitFailure) {
            _ = try type.make(adding(name, type.name, values, secrets).settings(name, type))
            return nil
        } catch {
            return error
        }
    }

    /// The same of one that is configured, with these secrets in place of those that are kept.
    package func trouble(of name: String, _ type: SubmitterType, _ secrets: [String: String]) -> SubmitFailure? {
        trouble(of: name, type, configured(name).map { ($0.key, $0.value) }, secrets)
    }

    /// The same with a destination that is not configured.
    ///
    /// - Parameter secrets: `nil` for those that are kept.
    package func adding(
        _ name: String, _ type: String, _ values: [(key: String, value: String)], _ secrets: [String: String]?
    ) -> DestinationCatalog {
        var catalog = self
        catalog.file.destinations[name] = ConfigurationFile.Entry(
            type: ConfigurationFile.Value(text: type, line: 0), line: 0,
            values: Dictionary(
                values.map { ($0.key, ConfigurationFile.Value(text: $0.value, line: 0)) }, uniquingKeysWith: { $1 }))
        catalog.givenSecrets[name] = secrets
        return catalog
    }

    /// The destination whose environment variables are those of this one: the secrets of one would go to the other.
    func twin(of name: String) -> String? {
        file.destinations.keys.sorted().first { $0 != name && Self.variable($0, "") == Self.variable(name, "") }
    }

    /// What two destinations must not share.
    static func sharing(_ name: String, _ twin: String) -> String {
        "“\(name)” and “\(twin)” would share their environment variables (\(variable(name, ""))…), and so their secrets"
    }
}
