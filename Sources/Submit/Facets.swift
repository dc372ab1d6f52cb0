/// The optional verbs of a submitter: present means implemented.
public struct Facets: Sendable {
    /// Albums can be listed and created. Present exactly when ``Capabilities/albums`` is true.
    public var albums: (any AlbumFacet)?
    /// It can be asked whether an item is at the destination.
    public var presence: (any PresenceFacet)?

    public init(albums: (any AlbumFacet)? = nil, presence: (any PresenceFacet)? = nil) {
        self.albums = albums
        self.presence = presence
    }
}

/// Albums: folders, key prefixes, collections or a service's albums, by what the destination has.
public protocol AlbumFacet: Sendable {
    /// The albums there are, sorted by name; nested ones as `outer/inner`.
    func list() async throws(SubmitFailure) -> [String]

    /// Makes an album unless it is there. Safe to call from many places at once: one album results.
    func create(_ album: String) async throws(SubmitFailure)
}

/// Whether an item is at a destination.
public protocol PresenceFacet: Sendable {
    /// Looks for the copy that `receipt` speaks of.
    ///
    /// "Cannot reach" is ``Presence/unknown(_:)``, never ``Presence/absent``.
    func presence(of item: MediaItem, receipt: Receipt) async -> Presence
}

/// The three answers to "is it there?".
public enum Presence: Sendable, Hashable {
    /// It is there, and this is how sure we are that it is the same.
    case present(Evidence)
    /// It is not there, or something else is there in its place.
    case absent
    /// It cannot be told, and why: one sentence.
    case unknown(String)
}
