public import Submit
public import SubmitEngine

extension DestinationCatalog {
    /// Adds a destination that stands in no configuration, and makes it. From now on the catalogue has it; the
    /// configuration stays as it is.
    ///
    /// Environment variables `SUBMIT_<NAME>_<KEY>` go before what is given here, as they do for configured ones.
    ///
    /// - Parameters:
    ///   - name: letters, digits, `-`, `_` and `.`.
    ///   - type: a type by any of its names, or the path of a program that is a submitter.
    ///   - settings: by the keys of the type, without secrets.
    ///   - secrets: by the keys of the type; they, and what becomes of them, end with the process. `nil`: those that are
    ///     kept for this name where the catalogue's secrets are, in which changes are kept too.
    /// - Throws: a failure to give up with, `configuration`, for a name that cannot be or is taken, for a key that is none
    ///   of the type, with the nearest ones, for a secret among the settings, and for a value that cannot be; as
    ///   ``TypeCatalog/type(named:)``; what the type says of settings and secrets that are missing or wrong. Then nothing
    ///   was added.
    public mutating func addDestination(
        _ name: String, type: String, settings: [String: String] = [:], secrets: [String: String]? = nil
    ) throws(SubmitFailure) -> Destination {
        func refusal(_ sentence: String) -> SubmitFailure {
            SubmitFailure(.giveUp, code: "configuration", message: sentence)
        }
        if let complaint = complaint(aboutNew: name) { throw refusal(complaint) }
        let typeName = try types.canonicalName(type)
        let type = try types.type(named: typeName).refined(by: DestinationSettings(destination: name, values: settings))
        for (key, value) in settings.sorted(by: { $0.key < $1.key }) {
            switch type.fault(of: key, value) {
            case nil: continue
            case .unknown:
                let keys = type.settings.filter { $0.kind != .secret }.map(\.name)
                throw refusal(
                    "“\(key)” is not a setting of \(type.name)\(NearestNames.hint(for: key, among: keys)); there are "
                        + "\(keys.sorted().joined(separator: ", ")).")
            case .secret:
                throw refusal(
                    "“\(key)” is a secret: give it among the secrets of “\(name)” and not among its settings.")
            case .value(let complaint): throw refusal("“\(name)” was not added: \(complaint)")
            }
        }
        let keys = type.settings.filter { $0.kind == .secret }.map(\.name)
        if let key = secrets?.keys.sorted().first(where: { !keys.contains($0) }) {
            throw refusal("“\(key)” is not a secret of \(type.name)\(NearestNames.hint(for: key, among: keys)).")
        }
        let catalog = adding(name, typeName, settings.map { ($0.key, $0.value) }, secrets)
        let made = try catalog.settings(name, type)
        let destination = Destination(name: name, type: type, submitter: try type.make(made), settings: made)
        self = catalog
        return destination
    }

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

    /// The same with another configuration.
    package func reading(_ file: ConfigurationFile) -> DestinationCatalog {
        var catalog = self
        catalog.file = file
        return catalog
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

    /// The same with these secrets of a destination in place of those that are kept.
    package func giving(_ name: String, _ secrets: [String: String]) -> DestinationCatalog {
        var catalog = self
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
