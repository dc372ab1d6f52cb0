internal import GRDB
package import Submit

extension Journal {
    package func document(
        of claim: ClaimedSubmission, _ facts: PictureFacts
    ) async throws(SubmitFailure) -> CatalogueDocument? {
        try await write { [owner] db in
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO follower VALUES (?)").execute(
                arguments: [claim.destination])
            guard let picture = try PublishedItem(claim, of: owner, facts).known(db) else { return nil }
            return try FollowedPicture.documents(of: picture, db).last
        }
    }

    package func untold(at destination: String, limit: Int) async throws(SubmitFailure) -> [UntoldPicture] {
        // Looking is no writer's turn.
        let isAny = try await read { db in
            try Bool.readOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM untold WHERE destination = ? AND code IS NULL)",
                arguments: [destination]) ?? false
        }
        if !isAny { return [] }
        return try await write(.patient) { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT picture, changes FROM untold WHERE destination = ? AND code IS NULL ORDER BY picture LIMIT ?
                    """, arguments: [destination, limit])
            return try rows.map { row in
                try UntoldPicture(
                    picture: row.value(0), changes: row.value(1),
                    documents: try FollowedPicture(row.value(0)).documents(db))
            }
        }
    }

    package func noteTold(
        _ pictures: [UntoldPicture], at destination: String, troubles: [Int64: SubmitFailure]
    ) async throws(SubmitFailure) {
        try await write(.patient) { db in
            for picture in pictures {
                if let trouble = troubles[picture.picture] {
                    try db.cachedStatement(
                        sql: """
                            UPDATE untold SET code = ?, sentence = ?
                            WHERE destination = ? AND picture = ? AND changes = ?
                            """
                    ).execute(arguments: [
                        trouble.code, trouble.message, destination, picture.picture, picture.changes,
                    ])
                } else {
                    try db.cachedStatement(
                        sql: "DELETE FROM untold WHERE destination = ? AND picture = ? AND changes = ?"
                    ).execute(arguments: [destination, picture.picture, picture.changes])
                }
            }
        }
    }

    package func tellAgain(at destinations: [String]) async throws(SubmitFailure) {
        try await write { db in
            let all = try String.readAll(db, sql: "SELECT destination FROM follower")
            for destination in all where destinations.isEmpty || destinations.contains(destination) {
                try db.cachedStatement(
                    sql: "UPDATE untold SET code = NULL, sentence = NULL WHERE destination = ? AND code IS NOT NULL"
                ).execute(arguments: [destination])
            }
        }
    }

    package func untoldTallies() async throws(SubmitFailure) -> [UntoldTally] {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT destination, sum(code IS NULL), sum(code IS NOT NULL), max(sentence) FROM untold
                    GROUP BY destination ORDER BY destination
                    """)
            return try rows.map {
                try UntoldTally(
                    destination: $0.value(0), waiting: $0.value(1), refused: $0.value(2), sentence: $0.value(3))
            }
        }
    }
}
