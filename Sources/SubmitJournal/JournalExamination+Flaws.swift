internal import GRDB

extension JournalExamination {
    /// What has to hold between rows, as sentences on what breaks it; each query counts the breaches.
    private static let rules = [
        (
            "counts that are not those of the submissions",
            """
            SELECT count(*) FROM (
                SELECT batch, destination, state, count, bytes FROM tally
                EXCEPT SELECT submission.batch, destination, state, count(*), sum(size)
                FROM submission JOIN item ON item.id = submission.item GROUP BY 1, 2, 3)
            """
        ),
        (
            "submissions that are not counted",
            """
            SELECT count(*) FROM (SELECT DISTINCT batch, destination, state FROM submission
                EXCEPT SELECT batch, destination, state FROM tally)
            """
        ),
        (
            "submissions of another batch than their item's",
            "SELECT count(*) FROM submission JOIN item ON item.id = submission.item WHERE submission.batch <> item.batch"
        ),
        (
            "submissions that ended at no time",
            "SELECT count(*) FROM submission WHERE state IN (2, 3, 4) AND settled IS NULL"
        ),
        (
            "submissions that run and are nobody's",
            "SELECT count(*) FROM submission WHERE state = 1 AND claimed_by IS NULL"
        ),
        (
            "submissions that are done without a receipt",
            "SELECT count(*) FROM submission WHERE state = 2 AND remote_id IS NULL"
        ),
        ("submissions in a state that there is not", "SELECT count(*) FROM submission WHERE state NOT BETWEEN 0 AND 4"),
        (
            "acceptances that go on in batches that are complete",
            "SELECT count(*) FROM acceptance JOIN batch ON batch.id = acceptance.batch WHERE complete = 1"
        ),
        ("identities other than one", "SELECT count(*) FROM journal HAVING count(*) <> 1"),
    ]

    /// What breaks SQLite's rules or ours, one phrase each. It reads all of the file.
    static func flaws(_ db: Database) throws -> [String] {
        var flaws: [String] = []
        let references = try Row.fetchAll(
            db, sql: "SELECT \"table\", count(*) FROM pragma_foreign_key_check GROUP BY 1")
        flaws += try references.map {
            let (table, count): (String, Int) = (try $0.value(0), try $0.value(1))
            return "\(count) rows of “\(table)” that belong to nothing"
        }
        for (what, query) in rules {
            if let count = try Int.readOne(db, sql: query), count > 0 { flaws.append("\(count) \(what)") }
        }
        return flaws
    }
}
