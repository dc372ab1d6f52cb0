internal import GRDB
internal import SubmitStore

/// What settlements of one transaction have in common, and do once.
final class SettlementGroup {
    let db: Database
    var tally = TallyChanges()
    private var attending: [BatchID: [WorkerID]] = [:]
    private var isFollowed: Bool?
    private var statements: [SettlementStatement: DirectStatement] = [:]

    init(_ db: Database) {
        self.db = db
    }

    /// Compiled, and found, once.
    func statement(_ which: SettlementStatement) throws -> DirectStatement {
        if let statement = statements[which] { return statement }
        let statement = try DirectStatement(which.sql, db)
        statements[which] = statement
        return statement
    }

    /// Those who want to hear what becomes of a batch.
    func attending(_ batch: BatchID) throws -> [WorkerID] {
        if let workers = attending[batch] { return workers }
        let query = try DirectStatement("SELECT worker FROM attendance WHERE batch = ?", db)
        query.bind(batch.rawValue)
        var workers: [WorkerID] = []
        while try query.next() { workers.append(WorkerID(rawValue: try query.given(query.integer(0)))) }
        attending[batch] = workers
        return workers
    }

    /// Whether a destination keeps a catalogue.
    func hasFollowers() throws -> Bool {
        if let isFollowed { return isFollowed }
        let found = try FollowedPicture.isAny(db)
        isFollowed = found
        return found
    }

    /// Writes down what they have gathered. What comes now in the same transaction finds all of it, and may change what they knew.
    func end() throws {
        try tally.write(db)
        attending = [:]
        isFollowed = nil
    }
}

/// What a settlement runs.
enum SettlementStatement {
    case isToBeCancelled, move, attempt, news, forgetCheckpoint

    var sql: String {
        switch self {
        case .isToBeCancelled: "SELECT cancel FROM submission WHERE id = ?"
        case .move:
            """
            UPDATE submission SET state = ?, not_before = ?, claimed_by = NULL, settled = ?,
                failures = CASE WHEN ? > landed THEN 0 ELSE failures + ? END, landed = max(landed, ?),
                fault = CASE WHEN ? THEN fault ELSE ? END,
                remote_id = ?, url = ?, evidence = ?, was_there = ?, note = ?, marks = ?, code = ?, sentence = ?,
                disproved = iif(?, NULL, disproved), tries = tries - ?, place = ?, counted = 1 - counted
            WHERE id = ? AND fence = ? AND state = 1
            """
        case .attempt: "INSERT OR REPLACE INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?)"
        case .news: "INSERT OR REPLACE INTO news (worker, submission) VALUES (?, ?)"
        case .forgetCheckpoint: "DELETE FROM checkpoint WHERE submission = ?"
        }
    }
}
