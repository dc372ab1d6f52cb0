public import Submit
public import SystemPackage

/// What a user asks for: these files, to these destinations, with these words.
public struct SubmitRequest: Sendable, Codable {
    /// Files and folders, absolute.
    public var paths: [FilePath]
    /// Names of destinations. Each counts once.
    public var destinations: [String]
    /// The album at each destination, as `outer/inner`.
    public var album: String?
    public var caption: String?
    public var tags: [String]
    public var onConflict: ConflictPolicy
    /// Files that are neither photo nor video are taken too.
    public var takesAnyFile: Bool

    public init(
        paths: [FilePath], destinations: [String], album: String? = nil, caption: String? = nil, tags: [String] = [],
        onConflict: ConflictPolicy = .rename, takesAnyFile: Bool = false
    ) {
        self.paths = paths
        self.destinations = destinations
        self.album = album
        self.caption = caption
        self.tags = tags
        self.onConflict = onConflict
        self.takesAnyFile = takesAnyFile
    }

    /// - Throws: when the album is not a plain relative path.
    public func validate() throws(SubmitFailure) {
        guard let album else { return }
        let parts = album.split(separator: "/", omittingEmptySubsequences: false)
        if parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." || $0.utf8.contains(0) }) {
            throw SubmitFailure(
                .giveUp, code: "album",
                "The album “\(album)” is not a name or names with “/” between them: leave out empty parts, “.” and “..”.")
        }
    }
}

/// What came of an acceptance.
public struct Acceptance: Sendable, Hashable {
    /// Items accepted.
    public var accepted = 0
    /// Paths refused.
    public var refused = 0
    /// Files below named folders that are neither photo nor video.
    public var passedOver = 0
    /// Bytes of the items accepted.
    public var bytes: Int64 = 0

    public init() {}
}
