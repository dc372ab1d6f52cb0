/// A kind of submitter, as it is registered: its names, its facts and how to make one.
public struct SubmitterType: Sendable {
    /// The type name: lower case letters, digits and `-`, such as `objstore`.
    public let name: String
    /// Other names people may call it by.
    public let aliases: [String]
    /// One line on what it is.
    public let summary: String
    /// Where the code comes from: `built-in`, or a program's path.
    public let origin: String
    /// What it can do before anything is configured. A configured one may do less, never more.
    public let capabilities: Capabilities
    /// What can be configured.
    public let settings: [SettingKey]

    private let makeSubmitter: @Sendable (Settings) throws(SubmitFailure) -> any Submitter

    public init(
        name: String, aliases: [String] = [], summary: String, origin: String = "built-in",
        capabilities: Capabilities, settings: [SettingKey],
        make: @escaping @Sendable (Settings) throws(SubmitFailure) -> any Submitter
    ) {
        self.name = name
        self.aliases = aliases
        self.summary = summary
        self.origin = origin
        self.capabilities = capabilities
        self.settings = settings
        self.makeSubmitter = make
    }

    /// Makes a submitter for one destination. Touches no network.
    ///
    /// - Throws: a failure that names the setting that is missing or wrong.
    public func make(_ settings: Settings) throws(SubmitFailure) -> any Submitter {
        try makeSubmitter(settings)
    }
}
