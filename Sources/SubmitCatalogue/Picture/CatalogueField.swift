internal import Submit

/// What can be asked of a picture: the fixed table of fields. Each may have other names besides, and be missing where that is said.
public enum CatalogueField: String, Sendable, Hashable, CaseIterable {
    /// A number, in the order of acceptance.
    case id
    /// SHA-256 of the original, 64 hexadecimal digits. Also `digest`, `sha256`.
    case item
    /// The file's name.
    case name
    /// What it is called; may be missing.
    case title
    /// The words beside it; may be missing.
    case caption
    /// Any number of texts. Also `tag`.
    case tags
    /// Any number of texts. Also `album`.
    case albums
    /// `photo`, `video` or `other`.
    case kind
    /// Its MIME type, such as `image/jpeg`.
    case type
    /// Bytes. Also `bytes`.
    case size
    /// Pixels; may be missing.
    case width
    /// Pixels; may be missing.
    case height
    /// A place on Earth; may be missing. Also `near`.
    case location
    /// Degrees; may be missing. Also `location.lat`.
    case latitude = "lat"
    /// Degrees; may be missing. Also `location.lng`.
    case longitude = "lng"
    /// How people call the place; may be missing.
    case place
    /// Whether the owner shows the place to others.
    case placeShown
    /// When it was taken, as the camera's clock showed it; may be missing. Also `taken`.
    case captured
    /// When it was accepted, by our clock. Also `uploaded`.
    case accepted
    /// Whose it is. Also `user`.
    case owner
    /// Names of those where copies are. Also `destination`, `at`.
    case destinations
    /// Names of those where copies are that are verified.
    case proven
    /// What the copies have of it.
    case evidence
    /// Where people see copies. Also `url`.
    case urls
    /// Each copy with its destination, evidence, URL and rendition. It is told, and nothing is asked of it: see ``destinations``,
    /// ``proven``, ``evidence`` and ``urls``.
    case copies

    /// The field of this name, or of another one that it has.
    public init?(named name: String) {
        guard let field = Self.byName[name] else { return nil }
        self = field
    }

    /// All names, without the others that they have.
    public static let names = allCases.map(\.rawValue)

    static let byName: [String: CatalogueField] = {
        let others: [String: CatalogueField] = [
            "digest": .item, "sha256": .item, "tag": .tags, "album": .albums, "bytes": .size, "near": .location,
            "location.lat": .latitude, "location.lng": .longitude, "taken": .captured, "uploaded": .accepted,
            "user": .owner, "destination": .destinations, "at": .destinations, "url": .urls,
        ]
        return others.merging(allCases.map { ($0.rawValue, $0) }) { _, own in own }
    }()

    /// What it holds.
    public var holds: CatalogueFieldType {
        switch self {
        case .id, .size, .width, .height, .latitude, .longitude: .number
        case .item: .digest
        case .name, .title, .caption, .kind, .type, .place, .owner: .text
        case .tags, .albums, .destinations, .proven, .evidence, .urls: .texts
        case .location: .place
        case .copies: .objects
        case .placeShown: .truth
        case .captured, .accepted: .time
        }
    }

    /// Whether a picture may have none of it.
    public var isOptional: Bool {
        switch self {
        case .id, .item, .name, .kind, .type, .size, .placeShown, .accepted, .owner: false
        default: true
        }
    }

    /// The only texts that it ever holds; `nil`: any.
    var known: [String]? {
        switch self {
        case .kind: MediaKind.allCases.map(\.rawValue)
        case .evidence: Evidence.allCases.map(\.rawValue)
        default: nil
        }
    }

    /// Whether pictures can be ordered by it.
    public var isOrdered: Bool { ![.texts, .place, .objects].contains(holds) }

    /// Whether it tells where a picture was taken, which others learn only where the owner says so.
    public var tellsPlace: Bool { [.location, .latitude, .longitude, .place].contains(self) }
}

/// What a field holds, by which is decided what can be asked of it.
public enum CatalogueFieldType: String, Sendable, Hashable, CaseIterable {
    /// One text. Ordered by its bytes.
    case text
    /// Any number of texts: a condition holds where it does of any of them, its negation where it does of none.
    case texts
    /// A whole one, or one with a fraction.
    case number
    /// SHA-256: it is the same, or another.
    case digest
    /// A written date is all the time that is called so.
    case time
    /// The same, or the other one.
    case truth = "true or false"
    /// A place on Earth.
    case place
    /// Any number of values with parts: they are told, and nothing is asked of them.
    case objects

    /// What can be asked of it, in LoopBack's words.
    public var operators: [String] {
        let order = ["eq", "neq", "gt", "gte", "lt", "lte", "between", "inq", "nin"]
        return switch self {
        case .text, .texts: order + ["like", "nlike", "ilike", "nilike", "regexp", "exists"]
        case .number, .time: order + ["exists"]
        case .digest: ["eq", "neq", "inq", "nin", "exists"]
        case .truth: ["eq", "neq", "exists"]
        case .place: ["eq", "neq", "near", "exists"]
        case .objects: []
        }
    }
}
