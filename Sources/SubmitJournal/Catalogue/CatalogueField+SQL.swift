internal import SubmitCatalogue

extension CatalogueField {
    /// Where it stands: a column of `picture`; nothing for what holds several texts, or a place.
    var column: BoundSQL? {
        switch self {
        case .id: "picture.id"
        case .item: "picture.sha256"
        case .name: "picture.name"
        case .title: "picture.title"
        case .caption: "picture.caption"
        case .kind: "picture.kind"
        case .type: "picture.type"
        case .size: "picture.size"
        case .width: "picture.width"
        case .height: "picture.height"
        case .latitude: "picture.lat"
        case .longitude: "picture.lng"
        case .place: "picture.place"
        case .placeShown: "picture.place_shown"
        case .captured: "picture.captured"
        case .accepted: "picture.accepted"
        case .owner: "picture.owner"
        case .tags, .albums, .destinations, .proven, .evidence, .urls, .location, .copies: nil
        }
    }

    /// The same, folded.
    var foldedColumn: BoundSQL {
        switch self {
        case .name: "picture.name_folded"
        case .title: "picture.title_folded"
        case .caption: "picture.caption_folded"
        case .place: "picture.place_folded"
        default: "catalogue_folded(\(column ?? "NULL"))"
        }
    }

    /// Whether there is an index by which it is gone through from one value to the next.
    var isIndexed: Bool { [.item, .owner, .kind, .type, .captured, .accepted].contains(self) }

    /// Where the texts are of which it holds several.
    var link: CatalogueLink? {
        switch self {
        case .tags:
            CatalogueLink(
                tables: "picture_tag CROSS JOIN tag ON tag.id = picture_tag.tag", picture: "picture_tag.picture",
                text: "tag.name", folded: "tag.folded", names: CatalogueNames(link: "picture_tag", name: "tag"))
        case .albums:
            CatalogueLink(
                tables: "picture_album CROSS JOIN album ON album.id = picture_album.album",
                picture: "picture_album.picture", text: "album.name", folded: "album.folded",
                names: CatalogueNames(link: "picture_album", name: "album"))
        case .destinations: .copies(of: "picture_copy.destination")
        case .proven: .copies(of: "picture_copy.destination", "picture_copy.evidence = \(.text(CatalogueCopy.proof))")
        case .evidence: .copies(of: "picture_copy.evidence")
        case .urls: .copies(of: "picture_copy.url", "picture_copy.url IS NOT NULL")
        default: nil
        }
    }
}

/// The rows that hold texts of a picture.
struct CatalogueLink {
    let tables: BoundSQL
    /// Whose they are.
    let picture: BoundSQL
    let text: BoundSQL
    let folded: BoundSQL
    /// Which of them count.
    var condition: BoundSQL = "1"
    /// Where texts have numbers by which a picture's are found.
    var names: CatalogueNames?

    /// Those of copies are kept as destinations gave them.
    fileprivate static func copies(of column: BoundSQL, _ condition: BoundSQL = "1") -> CatalogueLink {
        CatalogueLink(
            tables: "picture_copy", picture: "picture_copy.picture", text: "catalogue_composed(\(column))",
            folded: "catalogue_folded(\(column))", condition: condition)
    }
}

/// Texts that many pictures have, each written down once.
struct CatalogueNames {
    /// The table that says which picture has which.
    let link: BoundSQL
    /// The column there, and the table of texts.
    let name: BoundSQL

    func number(of text: CatalogueKey) -> BoundSQL { "(SELECT id FROM \(name) WHERE name = \(text))" }
}
