internal import GRDB
internal import SubmitCatalogue

/// What in the catalogue is not as the rest of the journal has it.
struct CatalogueFlaws {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// How many rows are looked for of each kind.
    private static let most = 1000

    /// A sentence for each kind.
    func all() throws -> [String] {
        try Self.rules.compactMap { rule in
            let count =
                try Int.readOne(
                    db, sql: "SELECT count(*) FROM (SELECT 1 FROM \(rule.rows) LIMIT \(Self.most))") ?? 0
            return count == 0 ? nil : "\(count == Self.most ? "\(count) or more" : "\(count)") \(rule.words)."
        }
    }

    /// That a row of `picture` has not the folded texts that it should.
    static let isFoldedOtherwise = """
        name_folded IS NOT catalogue_folded(name) OR title_folded IS NOT catalogue_folded(title)
            OR caption_folded IS NOT catalogue_folded(caption) OR place_folded IS NOT catalogue_folded(place)
        """

    private static let rules: [(rows: String, words: String)] = [
        (
            """
            item WHERE EXISTS (SELECT 1 FROM submission WHERE \(PublishedItem.isPublished))
                AND NOT EXISTS (SELECT 1 FROM picture_item WHERE picture_item.item = item.id)
                AND NOT EXISTS (SELECT 1 FROM picture_gone WHERE picture_gone.sha256 = item.sha256)
                AND NOT EXISTS (SELECT 1 FROM catalogue WHERE item.id > taken AND item.id <= until)
            """, "published items are not in the catalogue"
        ),
        (
            """
            picture_item LEFT JOIN picture ON picture.id = picture LEFT JOIN item ON item.id = item
                WHERE picture.sha256 IS NOT item.sha256
            """, "items stand for pictures that are others"
        ),
        (
            """
            picture JOIN item ON item.id = picture.id
                WHERE picture.name IS NOT catalogue_composed(item.name) OR picture.kind IS NOT item.kind
                    OR picture.type IS NOT item.mime OR picture.size IS NOT item.size
            """, "pictures are called otherwise than their files, or are something else"
        ),
        ("picture WHERE sha256 IN (SELECT sha256 FROM picture_gone)", "pictures are there that were forgotten"),
        (
            """
            (SELECT picture FROM picture_tag UNION ALL SELECT picture FROM picture_album)
                WHERE picture NOT IN (SELECT id FROM picture)
            """, "tags and albums are of pictures that are not there"
        ),
        (
            """
            (SELECT (SELECT name FROM tag WHERE id = tag) AS name FROM picture_tag
                UNION ALL SELECT (SELECT name FROM album WHERE id = album) FROM picture_album) WHERE name IS NULL
            """, "pictures have tags or albums without a name"
        ),
        (
            """
            picture WHERE NOT EXISTS (SELECT 1 FROM picture_words WHERE picture = picture.id)
                AND NOT EXISTS (SELECT 1 FROM picture_unsearched WHERE picture = picture.id)
            """, "pictures cannot be found by their words"
        ),
        (
            "picture WHERE \(isFoldedOtherwise)",
            "pictures have texts that are compared by others than their own"
        ),
        (
            """
            picture WHERE revision <> 1 + (SELECT count(*) FROM picture_revision WHERE picture = picture.id)
            """, "pictures have edits that nobody made, or lack some"
        ),
    ]
}
