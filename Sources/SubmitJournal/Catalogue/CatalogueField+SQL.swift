internal import SubmitCatalogue

extension CatalogueField {
    /// Where it stands: a column of `picture`; nothing for what holds several texts, or a place.
    var column: BoundSQL? { isOrdered ? BoundSQL(columnOf: self) : nil }

    /// The same, folded.
    var foldedColumn: BoundSQL {
        let column = column ?? "NULL"
        let isKept = [.name, .title, .caption, .place].contains(self)
        return isKept ? "\(column)_folded" : "catalogue_folded(\(column))"
    }

    /// Whether there is an index by which it is gone through from one value to the next.
    var isIndexed: Bool { [.item, .owner, .kind, .type, .captured, .accepted].contains(self) }

    /// Where the texts are of which it holds several.
    var link: CatalogueLink? {
        switch self {
        case .tags: .names("picture_tag", "tag")
        case .albums: .names("picture_album", "album")
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

    fileprivate static func names(_ link: BoundSQL, _ name: BoundSQL) -> CatalogueLink {
        CatalogueLink(
            tables: "\(link) CROSS JOIN \(name) ON \(name).id = \(link).\(name)", picture: "\(link).picture",
            text: "\(name).name", folded: "\(name).folded", names: CatalogueNames(link: link, name: name))
    }

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
