/// A picture as the catalogue knows it: what was accepted, what people say of it, and where its copies are.
///
/// Its texts are in NFC (Unicode Standard Annex 15), by which one text is written one way.
public struct CataloguePicture: Sendable, Hashable {
    /// Its number. What was accepted later has a greater one: this is the order of the feed.
    public var id: Int64
    /// SHA-256 of the original.
    public var digest: [UInt8]
    /// The file's name.
    public var name: String
    /// What it is called.
    public var title: String?
    /// The words beside it.
    public var caption: String?
    /// In the order given, each once.
    public var tags: [String]
    /// Those it is in, each once.
    public var albums: [String]
    /// `photo`, `video` or `other`.
    public var kind: String
    /// Of the MIME kind: `image/jpeg`.
    public var type: String
    /// Bytes.
    public var size: Int64
    /// Pixels.
    public var width: Int64?
    /// Pixels.
    public var height: Int64?
    /// Where it was taken.
    public var place: CataloguePlace?
    /// How that place is called, as people say it; also where the coordinates are not known.
    public var placeName: String?
    /// Whether the owner shows others where it was taken.
    public var isPlaceShown: Bool
    /// When it was taken.
    public var captured: WallClockTime?
    /// When it was accepted, by our clock: nanoseconds since 1970.
    public var accepted: Int64
    /// Whose it is.
    public var owner: String
    /// At destinations, in the order in which they were sent.
    public var copies: [CatalogueCopy]

    /// - Parameters:
    ///   - digest: SHA-256, 32 bytes.
    ///   - accepted: nanoseconds since 1970.
    public init(
        id: Int64, digest: [UInt8], name: String, title: String? = nil, caption: String? = nil, tags: [String] = [],
        albums: [String] = [], kind: String, type: String, size: Int64, width: Int64? = nil, height: Int64? = nil,
        place: CataloguePlace? = nil, placeName: String? = nil, isPlaceShown: Bool = false,
        captured: WallClockTime? = nil, accepted: Int64, owner: String, copies: [CatalogueCopy] = []
    ) {
        self.id = id
        self.digest = digest
        self.name = TextFolding.composed(name)
        self.title = title.map(TextFolding.composed)
        self.caption = caption.map(TextFolding.composed)
        self.tags = Self.once(tags)
        self.albums = Self.once(albums)
        self.kind = TextFolding.composed(kind)
        self.type = TextFolding.composed(type)
        self.size = size
        self.width = width
        self.height = height
        self.place = place
        self.placeName = placeName.map(TextFolding.composed)
        self.isPlaceShown = isPlaceShown
        self.captured = captured
        self.accepted = accepted
        self.owner = TextFolding.composed(owner)
        self.copies = copies
    }

    package static func once(_ texts: [String]) -> [String] {
        texts.map(TextFolding.composed).reduce(into: []) { known, text in
            if !known.contains(where: text.isSame) { known.append(text) }
        }
    }

    /// What a field holds; of several texts and of a place nothing, as neither has an order.
    package func key(_ field: CatalogueField) -> CatalogueKey {
        func number(_ number: Int64?) -> CatalogueKey { number.map(CatalogueKey.integer) ?? .null }
        func text(_ text: String?) -> CatalogueKey { text.map(CatalogueKey.text) ?? .null }
        return switch field {
        case .id: .integer(id)
        case .item: .bytes(digest)
        case .name: .text(name)
        case .title: text(title)
        case .caption: text(caption)
        case .kind: .text(kind)
        case .type: .text(type)
        case .size: .integer(size)
        case .width: number(width)
        case .height: number(height)
        case .latitude: place.map { .real($0.latitude) } ?? .null
        case .longitude: place.map { .real($0.longitude) } ?? .null
        case .place: text(placeName)
        case .placeShown: .integer(isPlaceShown ? 1 : 0)
        case .captured: number(captured?.seconds)
        case .accepted: .integer(accepted)
        case .owner: .text(owner)
        case .tags, .albums, .destinations, .proven, .evidence, .urls, .location, .copies: .null
        }
    }

    /// The texts of a field that holds several.
    package func texts(_ field: CatalogueField) -> [String] {
        switch field {
        case .tags: tags
        case .albums: albums
        case .destinations: copies.map(\.destination)
        case .proven: copies.filter { $0.evidence == CatalogueCopy.proof }.map(\.destination)
        case .evidence: copies.map(\.evidence)
        case .urls: copies.compactMap(\.url)
        default: []
        }
    }
}
