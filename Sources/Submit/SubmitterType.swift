internal import SubmitConcurrency

/// A kind of submitter, as it is registered: its names, its facts and how to make one.
public struct SubmitterType: Sendable {
    /// The type name: lower case letters, digits and `-`, such as `objstore`.
    public let name: String
    /// Other names people may call it by.
    public let aliases: [String]
    /// Where the code comes from: `built-in`, or a program's path.
    public let origin: String

    /// What is known of a type before anything is configured.
    public struct Facts: Sendable {
        /// One line on what it is.
        public var summary: String
        /// What it can do before anything is configured.
        public var capabilities: Capabilities
        /// What can be configured, secrets included.
        public var settings: [SettingKey]

        /// - Parameters:
        ///   - capabilities: those of a configured one may be less, never more.
        ///   - settings: secrets included.
        public init(summary: String, capabilities: Capabilities, settings: [SettingKey]) {
            self.summary = summary
            self.capabilities = capabilities
            self.settings = settings
        }
    }

    /// Facts that are found out when someone asks, and once.
    private final class LazyFacts: Sendable {
        private let known = Locked<Facts?>(nil)
        private let find: @Sendable () -> Facts

        init(_ find: @escaping @Sendable () -> Facts) {
            self.find = find
        }

        var facts: Facts {
            if let facts = known.withLock({ $0 }) { return facts }
            let facts = find()
            known.withLock { $0 = facts }
            return facts
        }
    }

    private let late: LazyFacts
    private let makeSubmitter: @Sendable (DestinationSettings) throws(SubmitFailure) -> any Submitter

    /// One line on what it is.
    public var summary: String { late.facts.summary }

    /// What it can do before anything is configured. A configured one may do less, never more.
    public var capabilities: Capabilities { late.facts.capabilities }

    /// What can be configured.
    public var settings: [SettingKey] { late.facts.settings }

    /// A type whose facts are known.
    ///
    /// - Parameter make: makes a submitter of settings whose keys are all known. It touches no network, and throws a
    ///   failure that names the setting which is missing or wrong.
    public init(
        name: String, aliases: [String] = [], summary: String, origin: String = "built-in",
        capabilities: Capabilities, settings: [SettingKey],
        make: @escaping @Sendable (DestinationSettings) throws(SubmitFailure) -> any Submitter
    ) {
        let facts = Facts(summary: summary, capabilities: capabilities, settings: settings)
        self.init(name: name, aliases: aliases, origin: origin, facts: { facts }, make: make)
    }

    /// A type whose facts are costly to find out.
    ///
    /// - Parameter facts: called when someone asks for one of them, once as a rule.
    public init(
        name: String, aliases: [String] = [], origin: String = "built-in", facts: @escaping @Sendable () -> Facts,
        make: @escaping @Sendable (DestinationSettings) throws(SubmitFailure) -> any Submitter
    ) {
        self.name = name
        self.aliases = aliases
        self.origin = origin
        late = LazyFacts(facts)
        makeSubmitter = make
    }

    private var refine: (@Sendable (DestinationSettings) throws(SubmitFailure) -> SubmitterType?)?

    /// The same, but settings may make another of it: one that names a file which brings settings of its own.
    ///
    /// - Parameter refine: throws what is wrong with what the settings name; `nil` where they name nothing.
    public func refining(
        by refine: @escaping @Sendable (_ settings: DestinationSettings) throws(SubmitFailure) -> SubmitterType?
    ) -> SubmitterType {
        var type = self
        type.refine = refine
        return type
    }

    /// What settings make of it; itself where they make nothing else.
    ///
    /// - Parameter settings: as configured, without secrets.
    /// - Throws: what is wrong with what the settings name, such as a file that cannot be read.
    public func refined(by settings: DestinationSettings) throws(SubmitFailure) -> SubmitterType {
        try refine?(settings) ?? self
    }

    /// Makes a submitter for one destination. Touches no network.
    ///
    /// - Throws: a failure that names the setting that is missing, unknown or wrong.
    public func make(_ settings: DestinationSettings) throws(SubmitFailure) -> any Submitter {
        try check(settings)
        return try makeSubmitter(settings)
    }

    /// - Throws: where a setting is none of this type, or a secret stands where others can read it.
    private func check(_ settings: DestinationSettings) throws(SubmitFailure) {
        guard !settings.names.isEmpty else { return }
        let known = try refined(by: settings).settings
        for name in settings.names {
            guard let key = known.first(where: { $0.name == name }) else {
                let others = known.filter { $0.kind != .secret }.map(\.name)
                throw SubmitFailure(
                    .hold(.misconfigured, after: nil), code: "configuration",
                    message:
                        "“\(name)” is no setting of the destination “\(settings.destination)”, which is of the type “\(self.name)”"
                        + "\(NearestNames.hint(for: name, among: others)); there are \(others.sorted().joined(separator: ", "))."
                )
            }
            if key.kind == .secret {
                throw settings.invalid(
                    name, "is a secret: give it among the secrets, and not among what others can read")
            }
        }
    }
}
