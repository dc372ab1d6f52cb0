/// An edit of what people say of pictures: what is given is changed, all else stays.
public struct PictureChange: Sendable, Hashable {
    /// An edit of a text.
    public enum Text: Sendable, Hashable {
        /// It stays.
        case asItIs
        /// There is none any more.
        case removed
        /// It is this one.
        case replaced(String)
    }

    /// An edit of names of which there may be any number.
    public struct Names: Sendable, Hashable {
        /// These instead of those that there are; `nil`: those stay.
        public var replaced: [String]?
        /// These as well, at the end.
        public var added: [String]
        /// These no longer.
        public var removed: [String]

        /// - Parameter replaced: `nil`: those that there are.
        public init(replaced: [String]? = nil, added: [String] = [], removed: [String] = []) {
            (self.replaced, self.added, self.removed) = (replaced, added, removed)
        }

        fileprivate func applied(to names: [String]) -> [String] {
            let gone = removed.map(TextFolding.composed)
            return CataloguePicture.once((replaced ?? names) + added).filter { name in
                !gone.contains(where: name.isSame)
            }
        }

        fileprivate var all: [String] { (replaced ?? []) + added }
    }

    /// What it is called.
    public var title: Text = .asItIs
    /// The words beside it.
    public var caption: Text = .asItIs
    /// How people call the place where it was taken.
    public var place: Text = .asItIs
    /// Keywords.
    public var tags = Names()
    /// The albums that it is in.
    public var albums = Names()
    /// Whose it is; `nil`: as before.
    public var owner: String?
    /// Whether others are shown where it was taken; `nil`: as before.
    public var isPlaceShown: Bool?

    /// The fields that people may change.
    public static let fields: [CatalogueField] = [.title, .caption, .place, .tags, .albums, .owner, .placeShown]

    /// Changes one of ``fields``.
    ///
    /// - Parameter words: all that it is to hold, as texts.
    public mutating func set(_ field: CatalogueField, to words: [String]) {
        let text = words.first.map(Text.replaced) ?? .removed
        switch field {
        case .title: title = text
        case .caption: caption = text
        case .place: place = text
        case .tags: tags.replaced = words
        case .albums: albums.replaced = words
        case .owner: owner = words.first ?? ""
        case .placeShown: isPlaceShown = words == ["true"]
        default: break
        }
    }

    /// Nothing is changed by it yet.
    public init() {}

    /// Whether nothing is changed by it, whatever the picture.
    public var isEmpty: Bool { self == PictureChange() }

    /// - Throws: where a text is longer than ``CatalogueLimits/words``, a name is none or longer than ``CatalogueLimits/name``, or there
    ///   are more of them than ``CatalogueLimits/names``.
    public func check() throws(CatalogueFault) {
        for (field, text) in [(CatalogueField.title, title), (.caption, caption), (.place, place)] {
            guard case .replaced(let text) = text, text.utf8.count > CatalogueLimits.words else { continue }
            throw CatalogueFault("No \(field.rawValue) is longer than \(CatalogueLimits.words) bytes.", at: nil)
        }
        for (field, names) in [
            (CatalogueField.tags, tags.all), (.albums, albums.all), (.owner, owner.map { [$0] } ?? []),
        ] {
            if names.count > CatalogueLimits.names {
                throw CatalogueFault("A picture has no more than \(CatalogueLimits.names) \(field.rawValue).", at: nil)
            }
            for name in names where name.utf8.count > CatalogueLimits.name || !Self.isName(name) {
                throw CatalogueFault(
                    "“\(name.prefix(40))” cannot stand in \(field.rawValue): a name is a line of 1 to \(CatalogueLimits.name) bytes "
                        + "that says something.", at: nil)
            }
        }
    }

    private static func isName(_ text: String) -> Bool {
        text.unicodeScalars.contains { !$0.properties.isWhitespace }
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// The picture after it.
    public func applied(to picture: CataloguePicture) -> CataloguePicture {
        var changed = picture
        changed.title = title.applied(to: picture.title)
        changed.caption = caption.applied(to: picture.caption)
        changed.placeName = place.applied(to: picture.placeName)
        changed.tags = tags.applied(to: picture.tags)
        changed.albums = albums.applied(to: picture.albums)
        if let owner { changed.owner = TextFolding.composed(owner) }
        if let isPlaceShown { changed.isPlaceShown = isPlaceShown }
        return changed
    }
}

extension PictureChange.Text {
    fileprivate func applied(to text: String?) -> String? {
        switch self {
        case .asItIs: text
        case .removed: nil
        case .replaced(let text): text.isEmpty ? nil : TextFolding.composed(text)
        }
    }
}
