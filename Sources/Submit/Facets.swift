public import SystemPackage

/// The optional verbs of a submitter: present means implemented.
public struct Facets: Sendable {
    /// Albums can be listed and created. Present exactly when ``Capabilities/supportsAlbums`` is true.
    public var albums: (any AlbumFacet)?
    /// It can be asked whether an item is at the destination.
    public var presence: (any PresenceFacet)?
    /// Links can be made that lead to a copy for a while.
    public var links: (any LinkFacet)?
    /// What broken attempts left can be found and removed.
    public var leftovers: (any LeftoverFacet)?
    /// Copies can be removed again.
    public var removal: (any RemovalFacet)?
    /// People can sign in with a browser, and out again.
    public var login: (any LoginFacet)?
    /// It knows its place again, and can be told that this is another one from now on.
    public var home: (any HomeFacet)?
    /// It can be told beforehand where a copy would get.
    public var target: (any TargetFacet)?
    /// It tells what it takes, which its facts cannot know.
    public var limits: (any LimitFacet)?
    /// It keeps what the catalogue knows.
    public var catalogue: (any CatalogueFacet)?
    /// It can be tried with a few bytes after it failed to store an item.
    public var trial: (any TrialFacet)?

    /// Those that are given are implemented, and no others.
    public init(
        albums: (any AlbumFacet)? = nil, presence: (any PresenceFacet)? = nil, links: (any LinkFacet)? = nil,
        leftovers: (any LeftoverFacet)? = nil, removal: (any RemovalFacet)? = nil, login: (any LoginFacet)? = nil,
        home: (any HomeFacet)? = nil, target: (any TargetFacet)? = nil, limits: (any LimitFacet)? = nil,
        catalogue: (any CatalogueFacet)? = nil, trial: (any TrialFacet)? = nil
    ) {
        self.albums = albums
        self.presence = presence
        self.links = links
        self.leftovers = leftovers
        self.removal = removal
        self.login = login
        self.home = home
        self.target = target
        self.limits = limits
        self.catalogue = catalogue
        self.trial = trial
    }
}

/// Albums: folders, key prefixes, collections or a service's albums, by what the destination has.
public protocol AlbumFacet: Sendable {
    /// The albums there are, sorted by name; nested ones as `outer/inner`.
    ///
    /// - Throws: a failure with its remedy: ``Remedy/renewCredentials`` where the destination refuses the credentials,
    ///   ``Remedy/hold(_:after:)`` or ``Remedy/tryAnother(after:)`` where it cannot be reached or is in trouble.
    func list() async throws(SubmitFailure) -> [String]

    /// Makes an album unless it is there. Safe to call from many places at once: one album results.
    ///
    /// - Throws: as ``list()``; ``Remedy/giveUp`` for a name that no album can have there.
    func create(_ album: String) async throws(SubmitFailure)
}

/// Whether an item is at a destination.
public protocol PresenceFacet: Sendable {
    /// Looks for the copy that `receipt` speaks of.
    ///
    /// "Cannot reach" is ``Presence/unknown(_:)``, never ``Presence/absent``.
    func presence(of item: MediaItem, receipt: Receipt) async -> Presence

    /// The same after all bytes of the copy were read, which may take as long as it took to send them.
    ///
    /// Those that cannot read back need not implement it: they look as ever.
    func presenceReadBack(of item: MediaItem, receipt: Receipt) async -> Presence
}

extension PresenceFacet {
    public func presenceReadBack(of item: MediaItem, receipt: Receipt) async -> Presence {
        await presence(of: item, receipt: receipt)
    }

    /// The presence of a copy that says of itself what contradicts its receipt: it was stored anew, with the same bytes or
    /// with others. It is read where that costs little, though nobody asked for it.
    public func presenceStoredAnew(of item: MediaItem, receipt: Receipt) async -> Presence {
        if item.size <= 16 << 20 { return await presenceReadBack(of: item, receipt: receipt) }
        return .unknown(
            "“\(receipt.remoteID)” was stored anew after “\(item.name)” arrived there, with what that said of itself: look "
                + "again with the verification “readback”.")
    }
}

/// Where copies get, told before anything is sent.
public protocol TargetFacet: Sendable {
    /// The place of an item's copy, unless something else has its name by then: `remoteID` and `url` are those that its
    /// receipt would have, so that ``PresenceFacet`` can be asked what is there now.
    ///
    /// Nothing is changed at the destination, nor tried out there.
    ///
    /// - Parameter album: as in ``SubmissionOptions/album``.
    /// - Throws: a failure that says why it cannot be told, or what has to be done before it can.
    func target(of item: MediaItem, album: String?) async throws(SubmitFailure) -> Receipt
}

/// The answers to "is it there?": there, not there, cannot tell.
public enum Presence: Sendable, Hashable {
    /// It is there, and this is how sure we are that it is the same.
    case present(Evidence)
    /// Something is there in its place that is not the item.
    case changed(Difference)
    /// It is not there. Those who do not tell the two apart say so too of what is ``changed(_:)``.
    case absent
    /// It cannot be told, and why: one sentence.
    case unknown(String)
}

/// By what something that is in a copy's place is known to be something else.
public enum Difference: String, Sendable, Hashable, Codable, CaseIterable {
    /// It has another number of bytes.
    case size
    /// Its digest is another, or the bytes that were read are.
    case digest
    /// It is no file at all, or the destination says no more than that it is another.
    case kind
}

/// Links to copies that others may not read otherwise.
public protocol LinkFacet: Sendable {
    /// The longest life of a link.
    var longestLife: Duration { get }

    /// A URL that leads whoever has it to the copy that `receipt` speaks of.
    ///
    /// - Parameter life: how long it does; a second to ``longestLife``.
    /// - Throws: ``Remedy/renewCredentials`` where the destination refuses the credentials; a failure whose sentence
    ///   says what to do where it makes none, now or ever.
    func link(to receipt: Receipt, validFor life: Duration) async throws(SubmitFailure) -> String
}

/// What uploads that were begun and neither completed nor removed hold at a destination.
public protocol LeftoverFacet: Sendable {
    /// What this program left there, oldest first.
    ///
    /// - Parameter checkpoints: those of all submissions that may yet go on; what they speak of is none.
    /// - Throws: ``Remedy/renewCredentials`` where the destination refuses the credentials; another failure where it
    ///   cannot be reached or is in trouble, to be asked again later. Nothing is told then, rather than a part.
    func list(sparing checkpoints: [Checkpoint]) async throws(SubmitFailure) -> [Leftover]

    /// Removes one, and looks that it is gone.
    ///
    /// - Throws: a failure when it is not gone, or nobody can tell. It may be removed again.
    func remove(_ leftover: Leftover) async throws(SubmitFailure)
}

/// One thing that a broken upload left at a destination.
public struct Leftover: Sendable, Hashable {
    /// The destination's own name for it, by which it is removed.
    public var id: String
    /// What the upload was to become.
    public var name: String
    /// When it came there by the destination's own account, or was begun, where that is known. The date that a file was
    /// given is no such time: a photo's may be years old.
    public var begun: Timestamp?
    /// Bytes that it holds, where that is known.
    public var bytes: Int64?

    /// Something that was found; its date and size where the destination tells them.
    public init(id: String, name: String, begun: Timestamp? = nil, bytes: Int64? = nil) {
        self.id = id
        self.name = name
        self.begun = begun
        self.bytes = bytes
    }
}

/// Copies can be removed again. The contract suite tidies up with it; no submission ever removes a copy.
public protocol RemovalFacet: Sendable {
    /// Removes the copy that `receipt` speaks of; does nothing where there is none.
    ///
    /// - Throws: a failure when it is not gone, or nobody can tell. It may be removed again.
    func remove(_ receipt: Receipt) async throws(SubmitFailure)

    /// Removes an album that nothing is in; leaves one that holds anything, and does nothing where there is none.
    ///
    /// - Throws: a failure when the destination refuses or cannot be reached. It may be removed again.
    func removeAlbum(_ album: String) async throws(SubmitFailure)
}

/// A destination that knows its place again, such as the disk a folder is on, and is on hold where it finds another one.
public protocol HomeFacet: Sendable {
    /// The folder of this machine that its copies lie in; `nil` where they lie in none.
    var folder: FilePath? { get }

    /// Why the folder may not be the one that is meant, before its first use. For example, no disk is mounted where its path
    /// suggests one. Nothing is stored there until ``moved()`` confirms it.
    ///
    /// - Returns: the failure with which submissions wait until then; `nil` if there is no doubt, which is the default.
    func doubt() async -> SubmitFailure?

    /// Takes what is at the configured address now for the destination's place from now on.
    ///
    /// - Returns: one sentence on what that is.
    /// - Throws: a failure when what is there cannot be used, with why and what to do; the place it knew stays its own.
    func moved() async throws(SubmitFailure) -> String
}

extension HomeFacet {
    public func doubt() async -> SubmitFailure? { nil }
}

/// A destination that tells what it takes, such as a server whose administrator sets that.
public protocol LimitFacet: Sendable {
    /// What it takes of a kind of items now, never more than ``Capabilities`` say. Whoever makes renditions asks before each, so
    /// that the answer is to be kept for a while.
    ///
    /// - Throws: a failure with its remedy where it cannot be reached or is in trouble; none where it does not tell: then what is
    ///   known of it holds.
    func limits(of kind: MediaKind) async throws(SubmitFailure) -> ItemLimits
}

/// A destination that can be tried with a few bytes right after an item failed there with ``Remedy/tryAnother(after:)``.
///
/// The trial tells trouble with one item from trouble with the destination. The engine asks for one if no other item
/// arrived between two such failures.
public protocol TrialFacet: Sendable {
    /// Stores a few bytes and removes them. A destination that shows whatever it stores is only asked a question.
    ///
    /// - Parameters:
    ///   - item: the item that failed.
    ///   - context: the failed attempt's context. It, or ``LeftoverFacet``, leads to whatever a killed trial left behind.
    /// - Throws: ``Remedy/tryAnother(after:)`` or ``Remedy/hold(_:after:)`` with ``HoldReason/unreachable`` or
    ///   ``HoldReason/throttled`` if the destination is in trouble; another failure if the trial tells nothing, e.g. because
    ///   it isn't allowed.
    func trial(after item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) -> TrialResult
}

/// The result of a trial.
public enum TrialResult: Sendable, Hashable {
    /// The destination stored a few bytes.
    case stored
    /// The destination answered a question. Nothing was stored, so it may still be unable to store anything.
    case answered
}
