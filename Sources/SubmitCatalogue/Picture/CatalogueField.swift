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
        let others = table.flatMap { field, row in row.others.map { ($0, field) } }
        return Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) } + others)
    }()

    private static let table = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.row) })

    /// Its row of the table.
    private var row: (holds: CatalogueFieldType, isOptional: Bool, others: [String]) {
        switch self {
        case .id: (.number, false, [])
        case .item: (.digest, false, ["digest", "sha256"])
        case .name, .kind, .type: (.text, false, [])
        case .title, .caption, .place: (.text, true, [])
        case .tags: (.texts, true, ["tag"])
        case .albums: (.texts, true, ["album"])
        case .size: (.number, false, ["bytes"])
        case .width, .height: (.number, true, [])
        case .location: (.place, true, ["near"])
        case .latitude: (.number, true, ["location.lat"])
        case .longitude: (.number, true, ["location.lng"])
        case .placeShown: (.truth, false, [])
        case .captured: (.time, true, ["taken"])
        case .accepted: (.time, false, ["uploaded"])
        case .owner: (.text, false, ["user"])
        case .destinations: (.texts, true, ["destination", "at"])
        case .proven, .evidence: (.texts, true, [])
        case .urls: (.texts, true, ["url"])
        case .copies: (.objects, true, [])
        }
    }

    /// What it holds.
    public var holds: CatalogueFieldType { (Self.table[self] ?? row).holds }

    /// Whether a picture may have none of it.
    public var isOptional: Bool { (Self.table[self] ?? row).isOptional }

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
