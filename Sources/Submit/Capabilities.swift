/// The facts of a submitter, as values: what the engine reads to schedule and to refuse before bytes move.
public struct Capabilities: Sendable, Hashable, Codable {
    /// How many submissions may run at once.
    public var ordering: Ordering
    /// How many items of up to ``smallSize`` bytes may take the place of one: more than 1 where what they take is mostly
    /// waiting for answers. The engine begins with four, and sends more as long as answers take no longer for it.
    public var smallPerPlace: Int
    /// The least time between the starts of two submissions.
    public var minimumGap: Duration
    /// The kinds of media it takes.
    public var kinds: Set<MediaKind>
    /// The MIME types it takes; `nil` for all of its kinds.
    public var mimeTypes: Set<String>?
    /// The largest item of each kind in bytes; no entry, no limit.
    public var maximumSize: [MediaKind: Int64]
    /// The longest caption in characters (extended grapheme clusters): `nil` without limit, 0 where it takes none.
    public var captionLimit: Int?
    /// Albums can be named, listed and created: exactly when ``Facets/albums`` is present.
    public var supportsAlbums: Bool
    /// A broken submission goes on in the middle of the item.
    public var canResume: Bool
    /// It needs a network.
    public var requiresNetwork: Bool
    /// The digests it wants computed beforehand. SHA-256 always is.
    public var digests: Set<DigestAlgorithm>
    /// The largest item in bytes that one of ``digests`` is wanted of; no entry, no limit.
    public var digestLimits: [DigestAlgorithm: Int64]
    /// It can prove a copy by reading it back: see ``Verification/readback``.
    public var canReadBack: Bool
    /// The best evidence that its ``PresenceFacet`` gives without reading a copy back, where that is known beforehand.
    public var proves: Evidence?
    /// It uses the date of capture, so that the file's metadata is worth reading.
    public var usesCaptureTime: Bool
    /// Who sees what it gets. What is public is sent without the place where it was taken, unless somebody says otherwise.
    public var visibility: Visibility
    /// It keeps the bytes of items. Where not, it keeps what is said of them, and nothing there is a copy of anything,
    /// whatever its receipts say.
    public var keepsBytes: Bool

    /// The facts that are given; the others are those of a destination that takes any file of any size with any caption,
    /// and has no albums, no resuming and no reading back.
    public init(
        ordering: Ordering, smallPerPlace: Int = 1, minimumGap: Duration = .zero,
        kinds: Set<MediaKind> = Set(MediaKind.allCases),
        mimeTypes: Set<String>? = nil, maximumSize: [MediaKind: Int64] = [:], captionLimit: Int? = nil,
        supportsAlbums: Bool = false, canResume: Bool = false, requiresNetwork: Bool,
        digests: Set<DigestAlgorithm> = [],
        digestLimits: [DigestAlgorithm: Int64] = [:], canReadBack: Bool = false, proves: Evidence? = nil,
        usesCaptureTime: Bool = false, visibility: Visibility = .private, keepsBytes: Bool = true
    ) {
        self.ordering = ordering
        self.smallPerPlace = smallPerPlace
        self.minimumGap = minimumGap
        self.kinds = kinds
        self.mimeTypes = mimeTypes
        self.maximumSize = maximumSize
        self.captionLimit = captionLimit
        self.supportsAlbums = supportsAlbums
        self.canResume = canResume
        self.requiresNetwork = requiresNetwork
        self.digests = digests
        self.digestLimits = digestLimits
        self.canReadBack = canReadBack
        self.proves = proves
        self.usesCaptureTime = usesCaptureTime
        self.visibility = visibility
        self.keepsBytes = keepsBytes
    }
}

extension Capabilities {
    /// Bytes up to which an item is small: sent about as fast as a question is answered.
    public static let smallSize: Int64 = 1 << 20

    /// The digests it wants of an item of so many bytes.
    public func digests(ofSize size: Int64) -> Set<DigestAlgorithm> {
        digests.filter { size <= digestLimits[$0] ?? .max }.union([.sha256])
    }
}

/// How many submissions a destination takes at once.
public enum Ordering: Sendable, Hashable, Codable {
    /// One after the other, in the order of acceptance.
    case sequential
    /// Up to this many at once, in no promised order.
    case concurrent(Int)

    /// The greatest number at once, at least 1.
    public var width: Int {
        switch self {
        case .sequential: 1
        case .concurrent(let limit): max(1, limit)
        }
    }
}
