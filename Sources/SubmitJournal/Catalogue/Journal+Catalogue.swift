internal import Foundation
internal import GRDB
package import Submit
package import SubmitCatalogue
internal import SubmitConcurrency

extension Journal {
    package var owner: String {
        get { currentOwner.withLock { $0 } }
        set { currentOwner.withLock { $0 = newValue } }
    }

    package func pictures(_ query: CatalogueQuery) async throws(SubmitFailure) -> CataloguePage {
        try await ask { db in try CatalogueReading(db).page(query) }
    }

    package func countPictures(
        _ filter: CatalogueFilter, _ search: SearchWords?
    ) async throws(SubmitFailure) -> Int {
        try await ask { db in try CatalogueReading(db).count(filter, search) }
    }

    package func distinct(
        _ field: CatalogueField, _ filter: CatalogueFilter, _ search: SearchWords?, after: CatalogueKey?, limit: Int
    ) async throws(SubmitFailure) -> [CatalogueKey] {
        try await ask { db in try CatalogueReading(db).distinct(field, filter, search, after: after, limit: limit) }
    }

    /// A question may be none, which says nothing of the journal.
    private func ask<Answer: Sendable>(
        _ question: @escaping @Sendable (Database) throws -> Answer
    ) async throws(SubmitFailure) -> Answer {
        let answer = try await read { db -> Result<Answer, SubmitFailure> in
            do {
                return .success(try question(db))
            } catch let fault as CatalogueFault {
                return .failure(SubmitFailure(.giveUp, code: "query", message: fault.description))
            }
        }
        return try answer.get()
    }

    package func describe(
        _ pictures: [Int64], _ change: PictureChange, by editor: String
    ) async throws(SubmitFailure) -> [CataloguePicture] {
        let edited = clock().nanoseconds
        return try await write { db in
            try pictures.compactMap { id in
                guard let before = try CatalogueReading(db).picture(id) else { return nil }
                let after = change.applied(to: before)
                let differences = PictureRevision.differences(before, after)
                if differences.isEmpty { return nil }
                try after.update(differences, by: editor, edited, db)
                try FollowedPicture(id).changed(db)
                return after
            }
        }
    }

    package func revisions(of picture: Int64) async throws(SubmitFailure) -> [PictureRevision] {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT revision, edited, editor, change FROM picture_revision WHERE picture = ? ORDER BY revision
                    """, arguments: [picture])
            return try rows.map { row in
                try PictureRevision(
                    number: row.value(0), edited: row.value(1), editor: row.value(2),
                    differences: try PictureRevision.differences(of: row.value(3)))
            }
        }
    }

    package func forget(_ pictures: [Int64]) async throws(SubmitFailure) -> Int {
        let gone = clock().nanoseconds
        return try await write { db in
            try pictures.count { id in
                try db.cachedStatement(
                    sql: """
                        INSERT INTO picture_gone
                            SELECT id, sha256, owner, ?, revision + 1, \(PictureFacts.columns) FROM picture WHERE id = ?
                        """
                ).execute(arguments: [gone, id])
                guard db.changesCount == 1 else { return false }
                try FollowedPicture(id).changed(db)
                for table in [
                    "picture_tag", "picture_album", "picture_item", "picture_words", "picture_unsearched",
                    "picture_revision",
                ] {
                    try db.cachedStatement(sql: "DELETE FROM \(table) WHERE picture = ?").execute(arguments: [id])
                }
                try db.cachedStatement(sql: "DELETE FROM picture WHERE id = ?").execute(arguments: [id])
                return true
            }
        }
    }

    package func isForgotten(_ digest: [UInt8]) async throws(SubmitFailure) -> Bool {
        try await read { db in
            try Bool.readOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM picture_gone WHERE sha256 = ?)", arguments: [Data(digest)])
                ?? false
        }
    }

    package func complete(_ facts: [Int64: PictureFacts]) async throws(SubmitFailure) -> Int {
        try await write { db in
            let isFollowed = try FollowedPicture.isAny(db)
            return try facts.sorted { $0.key < $1.key }.count { picture, facts in
                guard try facts.complete(picture, db) else { return false }
                if isFollowed { try FollowedPicture(picture).changed(db) }
                return true
            }
        }
    }

    package func forgotten(before: Int64?, limit: Int) async throws(SubmitFailure) -> [ForgottenPicture] {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT picture_gone.id, picture_gone.sha256, ifnull(item.name, ''), picture_gone.owner, picture_gone.gone
                    FROM picture_gone LEFT JOIN item ON item.id = picture_gone.id
                    WHERE picture_gone.id < ? ORDER BY picture_gone.id DESC LIMIT ?
                    """, arguments: [before ?? .max, limit])
            return try rows.map { row in
                try ForgottenPicture(
                    id: row.value(0), digest: Array(row.value(1) as Data), name: row.value(2), owner: row.value(3),
                    gone: Timestamp(nanoseconds: row.value(4)))
            }
        }
    }

    package func recall(_ digests: [[UInt8]]) async throws(SubmitFailure) -> Int {
        try await write { [owner] db in
            try digests.count { digest in
                let row = try Row.fetchOne(
                    db, sql: "SELECT * FROM picture_gone WHERE sha256 = ?", arguments: [Data(digest)])
                guard let row else { return false }
                try db.execute(sql: "DELETE FROM picture_gone WHERE sha256 = ?", arguments: [Data(digest)])
                let items = try PublishedItem.fetch("item.sha256 = :digest", ["digest": Data(digest)], owner, db)
                for var item in items {
                    try item.take(row)
                    if let picture = try item.write(db) { try FollowedPicture(picture).changed(db) }
                }
                return !items.isEmpty
            }
        }
    }

    package func catchUp(includesWords: Bool) async throws(SubmitFailure) -> Bool {
        if isReadOnly { return false }
        // Looking is no writer's turn.
        let isBehind = try await read { db in
            try Bool.readOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM catalogue WHERE taken < until)
                        OR ? AND EXISTS (SELECT 1 FROM picture_unsearched)
                    """, arguments: [includesWords]) ?? false
        }
        if !isBehind { return false }
        return try await write(.patient) { [owner] db in
            if try PublishedItem.takeInFormer(limit: Self.catalogueStep, owner, db) { return true }
            return try includesWords && CatalogueWords.write(limit: Self.catalogueStep, db)
        }
    }

    /// Pictures of one transaction: a few hundredths of a second, not much less than it waits for others.
    private static let catalogueStep = 500

    package func rebuildCatalogue() async throws(SubmitFailure) {
        try await write { db in
            try CatalogueWords.forgetAll(db)
            try db.execute(
                sql: """
                    UPDATE catalogue SET taken = 0, until = (SELECT ifnull(max(id), 0) FROM item);
                    DELETE FROM picture_item WHERE picture NOT IN (SELECT id FROM picture);
                    DELETE FROM picture_tag WHERE picture NOT IN (SELECT id FROM picture);
                    DELETE FROM picture_album WHERE picture NOT IN (SELECT id FROM picture);
                    """)
        }
        // By parts: whoever writes meanwhile waits for one of them.
        var last: Int64? = 0
        while let first = last {
            last = try await write(.patient) { db in
                let last = try Int64.readOne(
                    db,
                    sql: "SELECT max(id) FROM (SELECT id FROM picture WHERE id > ? ORDER BY id LIMIT ?)",
                    arguments: [first, Self.foldingStep])
                try db.execute(
                    sql: """
                        UPDATE OR IGNORE picture SET sha256 = item.sha256, name = catalogue_composed(item.name),
                            kind = item.kind, type = item.mime, size = item.size
                            FROM item WHERE item.id = picture.id AND picture.id > ? AND picture.id <= ?
                                AND (picture.sha256 IS NOT item.sha256
                                    OR picture.name IS NOT catalogue_composed(item.name) OR picture.kind IS NOT item.kind
                                    OR picture.type IS NOT item.mime OR picture.size IS NOT item.size)
                        """, arguments: [first, last])
                try db.execute(
                    sql: """
                        UPDATE picture SET name_folded = catalogue_folded(name), title_folded = catalogue_folded(title),
                            caption_folded = catalogue_folded(caption), place_folded = catalogue_folded(place)
                        WHERE id > ? AND id <= ? AND (\(CatalogueFlaws.isFoldedOtherwise))
                        """, arguments: [first, last])
                return last
            }
        }
    }

    /// Pictures of one transaction: some tenths of a second.
    private static let foldingStep = 20_000

    package func catalogueFlaws() async throws(SubmitFailure) -> [String] {
        let flaws = try await read { db in try CatalogueFlaws(db).all() }
        // SQLite looks through the index in a writer's turn only.
        return try await flaws + write { db in try CatalogueWords.flaws(db) }
    }
}
