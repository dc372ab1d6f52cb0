public import Submit

/// The protocol by which submitters run as other programs: JSON lines on standard input and output.
///
/// Its specification is `PluginProtocol.md` in the documentation of `Submit`.
public enum PluginProtocol {
    /// The versions this code speaks, best first.
    public static let versions = [1]

    /// The longest line a submitter may write, in bytes without the line's end.
    public static let longestLine = 1 << 20

    /// The longest line the host may write, in bytes without the line's end.
    public static let longestHostLine = 64 << 20

    /// How many questions of a submitter may be open.
    public static let mostQuestions = 16

    /// The most bytes of an item that one message may ask for.
    public static let longestRead = 256 << 10

    /// The longest checkpoint or note, in bytes of UTF-8.
    public static let longestCheckpoint = 48 << 10

    /// How the programs are called: this, and the type's name.
    public static let programPrefix = "submit-to-"
}

/// What a submitter says of itself and its type before anything is configured.
public struct TypeDescription: Sendable, Hashable {
    /// The protocol's version that it chose of those the host offered.
    public var version: Int
    public var summary: String
    public var capabilities: Capabilities
    public var settings: [SettingKey]
    /// For how many seconds a request may show no sign of life before it is taken for hung; 1...86400.
    public var silenceSeconds: Int

    public init(
        version: Int = PluginProtocol.versions[0], summary: String, capabilities: Capabilities,
        settings: [SettingKey] = [], silenceSeconds: Int = 300
    ) {
        self.version = version
        self.summary = summary
        self.capabilities = capabilities
        self.settings = settings
        self.silenceSeconds = silenceSeconds
    }
}

/// What a submitter says of itself once it is configured.
public struct ConfiguredDescription: Sendable, Hashable {
    /// Its facts; `nil` where the settings change none of them.
    public var capabilities: Capabilities?
    /// The optional verbs it has.
    public var facets: Set<FacetName>
    /// The longest life of a link in seconds, with ``FacetName/links``.
    public var longestLink: Int?
    /// The names of the secrets a login gives, with ``FacetName/login``.
    public var loginSecrets: Set<String>

    public init(
        capabilities: Capabilities? = nil, facets: Set<FacetName> = [], longestLink: Int? = nil,
        loginSecrets: Set<String> = []
    ) {
        self.capabilities = capabilities
        self.facets = facets
        self.longestLink = longestLink
        self.loginSecrets = loginSecrets
    }
}

/// The optional verbs by name.
public enum FacetName: String, Sendable, Hashable, CaseIterable {
    case albums, presence, links, leftovers, removal, login
}

/// One attempt, as the messages `submit` and `discard` tell it.
public struct AttemptDescription: Sendable, Hashable {
    public var submission: String
    public var attempt: Int
    public var item: MediaItem
    /// Where its bytes can be read; `nil` where the submitter has to ask for them.
    public var path: String?
    public var options: SubmissionOptions
    /// The remote id of a copy that an audit found to be something else.
    public var disproved: String?
    public var checkpoint: String?

    public init(
        submission: String, attempt: Int, item: MediaItem, path: String?, options: SubmissionOptions,
        disproved: String? = nil, checkpoint: String?
    ) {
        self.submission = submission
        self.attempt = attempt
        self.item = item
        self.path = path
        self.options = options
        self.disproved = disproved
        self.checkpoint = checkpoint
    }
}
