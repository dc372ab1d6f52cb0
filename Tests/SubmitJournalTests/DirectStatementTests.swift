import GRDB
import Testing

@testable import SubmitJournal

@Suite struct `A statement that goes straight to SQLite` {
    private static let query = "SELECT value FROM thing WHERE owner = ? ORDER BY value"

    private func database() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE thing (owner TEXT, value INTEGER)")
            for (owner, value) in [("a", 1), ("a", 2), ("b", 3), ("b", 4)] {
                try db.execute(sql: "INSERT INTO thing VALUES (?, ?)", arguments: [owner, value])
            }
        }
        return queue
    }

    @Test func `tells nobody of the rows that another left`() throws {
        try database().read { db in
            let left = try DirectStatement(Self.query, db)
            left.bind("a")
            #expect(try left.next())
            let statement = try DirectStatement(Self.query, db)
            statement.bind("b")
            var values: [Int64?] = []
            while try statement.next() { values.append(try statement.integer(0)) }
            #expect(values == [3, 4])
        }
    }

    @Test func `that takes a value no more is not run, and is as good as new after that`() throws {
        try database().read { db in
            let statement = try DirectStatement(Self.query, db)
            statement.bind("a")
            statement.bind("b")
            #expect(throws: DatabaseError.self) { try statement.next() }
            statement.bind("b")
            #expect(try statement.first() == 3)
            statement.bind("a")
            #expect(try statement.next())
            // In the midst of its rows.
            statement.bind("b")
            #expect(throws: DatabaseError.self) { try statement.next() }
        }
    }
}
