/// One thing that can be configured of a submitter.
public struct SettingKey: Sendable, Hashable {
    /// What a setting's text may be.
    public enum Kind: Sendable, Hashable {
        /// Any text.
        case text
        /// A whole number in decimal digits.
        case integer
        /// `true`, `yes`, `on`, `1` or `false`, `no`, `off`, `0`, in any case.
        case boolean
        /// A path; `~/` stands for the home folder.
        case path
        /// An `http` or `https` URL.
        case url
        /// One of these words.
        case choice([String])
        /// Never in the configuration file: from the environment, a 0600 file or the Secret Service.
        case secret
    }

    /// The key below the destination in the configuration: lower case, `_` between words.
    public let name: String
    /// What its text may be.
    public let kind: Kind
    /// One line on what it is.
    public let summary: String
    /// A destination cannot be made without it.
    public let isRequired: Bool
    /// Environment variables that supply it when the configuration does not, best first.
    public let environment: [String]

    /// A setting; where no more is said, any text that may be left out.
    public init(
        _ name: String, _ kind: Kind = .text, summary: String, isRequired: Bool = false, environment: [String] = []
    ) {
        self.name = name
        self.kind = kind
        self.summary = summary
        self.isRequired = isRequired
        self.environment = environment
    }
}

/// What is configured of one destination, checked against its type's ``SettingKey`` list.
public struct DestinationSettings: Sendable {
    /// The destination's name.
    public let destination: String
    /// What a submitter may remember of this destination.
    public let notes: any DestinationNotes
    /// The secrets of this destination that change while it is used, such as tokens.
    public let secretStore: any SecretStore
    private let values: [String: String]
    private let secrets: [String: String]

    /// The secrets are in ``KnownSecrets`` from now on.
    ///
    /// - Parameter secretStore: `nil` for one that begins with `secrets` and ends with the process.
    public init(
        destination: String, values: [String: String] = [:], secrets: [String: String] = [:],
        notes: any DestinationNotes = TransientNotes(), secretStore: (any SecretStore)? = nil
    ) {
        self.destination = destination
        self.notes = notes
        self.secretStore = secretStore ?? TransientSecrets(secrets)
        self.values = values
        self.secrets = secrets
        KnownSecrets.add(kept: secrets, isConfigured: true)
    }

    /// All that is set, as one text, without secrets: with other settings, copies may lie in another place.
    public var place: String {
        values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "\0")
    }

    /// The settings that are given, sorted; without secrets.
    var names: [String] { values.keys.sorted() }

    /// A setting's text; `nil` if it is not set. An empty text counts as not set.
    public subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A secret's text; `nil` if it is not set.
    public func secret(_ name: String) -> String? {
        secrets[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The same with what a login gave in place of what was set, in a store that ends with the process.
    public func adding(_ grant: LoginGrant) -> DestinationSettings {
        DestinationSettings(
            destination: destination, values: values.merging(grant.settings) { $1 },
            secrets: secrets.merging(grant.secrets) { $1 }, notes: notes)
    }

    /// A setting that must be there.
    ///
    /// - Throws: `configuration`, which puts the destination on hold as misconfigured, where it is not set, with how to set it.
    public func required(_ name: String) throws(SubmitFailure) -> String {
        guard let value = self[name] else {
            throw invalid(name, "is not set: give it a value below the destination in the configuration")
        }
        return value
    }

    /// A whole number, within `range`.
    ///
    /// - Returns: `nil` if it is not set.
    /// - Throws: `configuration`, which puts the destination on hold as misconfigured, with the setting's name, for anything else.
    public func integer(_ name: String, in range: ClosedRange<Int>) throws(SubmitFailure) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw invalid(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound), not “\(text)”")
        }
        return number
    }

    /// `true`, `yes`, `on`, `1` or `false`, `no`, `off`, `0`.
    ///
    /// - Returns: `nil` if it is not set.
    /// - Throws: `configuration`, which puts the destination on hold as misconfigured, with the setting's name, for anything else.
    public func boolean(_ name: String) throws(SubmitFailure) -> Bool? {
        guard let text = self[name] else { return nil }
        switch text.lowercased() {
        case "true", "yes", "on", "1": return true
        case "false", "no", "off", "0": return false
        default: throw invalid(name, "must be true or false, not “\(text)”")
        }
    }

    /// A failure that blames this setting.
    public func invalid(_ name: String, _ complaint: String) -> SubmitFailure {
        SubmitFailure(
            .hold(.misconfigured, after: nil), code: "configuration",
            message: "The setting “\(name)” of the destination “\(destination)” \(complaint).")
    }
}

extension DestinationSettings: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What is configured, in words: what each setting says, and of secrets that there are some.
    ///
    /// - Parameter keys: those of the destination's type; what none of them is stays hidden, too.
    public func summary(_ keys: [SettingKey]) -> String {
        let plain = Set(keys.filter { $0.kind != .secret }.map(\.name))
        let shown = values.sorted { $0.key < $1.key }.map { "\($0.key)=\(plain.contains($0.key) ? $0.value : "…")" }
        return "\(destination)(\((shown + secrets.keys.sorted().map { "\($0)=…" }).joined(separator: ", ")))"
    }

    /// Names the destination and its settings; never what they say: one of them may be a secret in the wrong place.
    public var description: String {
        "\(destination)(\((names + secrets.keys.sorted()).map { "\($0)=…" }.joined(separator: ", ")))"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
