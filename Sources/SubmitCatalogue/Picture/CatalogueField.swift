/// What can be asked of a picture: the fixed table of fields.
///
/// | field | also | holds | may be null |
/// |---|---|---|---|
/// | `id` | | a number, in the order of acceptance | |
/// | `item` | `digest`, `sha256` | SHA-256 of the original, 64 hexadecimal digits | |
/// | `name` | | text: the file's name | |
/// | `title` | | text | yes |
/// | `caption` | | text | yes |
/// | `tags` | `tag` | texts | none |
/// | `albums` | `album` | texts | none |
/// | `kind` | | text: `photo`, `video`, `other` | |
/// | `type` | | text: `image/jpeg` | |
/// | `size` | `bytes` | a number | |
/// | `width`, `height` | | a number of pixels | yes |
/// | `location` | `near` | a place on Earth | yes |
/// | `lat`, `lng` | `location.lat`, `location.lng` | a number of degrees | yes |
/// | `place` | | text: how people call the place | yes |
/// | `placeShown` | | true or false: whether the owner shows it to others | |
/// | `captured` | `taken` | a time, as the camera's clock showed it | yes |
/// | `accepted` | `uploaded` | a time, by our clock | |
/// | `owner` | `user` | text | |
/// | `destinations` | `destination`, `at` | texts: where copies are | none |
/// | `proven` | | texts: where copies are that are verified | none |
/// | `evidence` | | texts: what all copies have | none |
/// | `urls` | `url` | texts: where people see copies | none |
public enum CatalogueField: String, Sendable, Hashable, CaseIterable {
    case id, item, name, title, caption, tags, albums, kind, type, size, width, height, location
    case latitude = "lat"
    case longitude = "lng"
    case place, placeShown, captured, accepted, owner, destinations, proven, evidence, urls

    /// The field of this name, or of another one that it has.
    public init?(named name: String) {
        guard let field = Self.byName[name] else { return nil }
        self = field
    }

    /// All names, without the others that they have.
    public static let names = allCases.map(\.rawValue)

    private static let byName: [String: CatalogueField] = {
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

    /// Whether pictures can be ordered by it.
    public var isOrdered: Bool { holds != .texts && holds != .place }

    /// Whether it tells where a picture was taken, which others learn only where the owner says so.
    public var tellsPlace: Bool { [.location, .latitude, .longitude, .place].contains(self) }
}

/// What a field holds, by which is decided what can be asked of it.
public enum CatalogueFieldType: String, Sendable, Hashable, CaseIterable {
    /// One text. Ordered by its bytes.
    case text
    /// Any number of texts: a condition holds where it does of any of them, its negation where it does of none.
    case texts
    case number
    /// SHA-256: it is the same, or another.
    case digest
    case time
    case truth = "true or false"
    /// A place on Earth.
    case place

    /// What can be asked of it, in LoopBack's words.
    public var operators: [String] {
        let order = ["eq", "neq", "gt", "gte", "lt", "lte", "between", "inq", "nin"]
        return switch self {
        case .text, .texts: order + ["like", "nlike", "ilike", "nilike", "regexp", "exists"]
        case .number, .time: order + ["exists"]
        case .digest: ["eq", "neq", "inq", "nin", "exists"]
        case .truth: ["eq", "neq", "exists"]
        case .place: ["eq", "neq", "near", "exists"]
        }
    }
}
