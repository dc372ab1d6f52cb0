import GRDBSQLite
import SubmitConcurrency

/// What SQLite does for the connections of this process that are opened from now on.
enum SQLiteCounts {
    struct Counts: Sendable {
        /// Of its virtual machine.
        var steps = 0
        /// That were not in a connection's own memory.
        var pages = 0
    }

    private static let counts = Locked(Counts())

    /// What was done since the last time.
    static func take() -> Counts {
        counts.withLock { counts in
            defer { counts = Counts() }
            return counts
        }
    }

    static func begin() {
        typealias Entry = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> CInt
        let entry: Entry = { db, _, _ in
            sqlite3_trace_v2(
                db, UInt32(SQLITE_TRACE_PROFILE),
                { _, _, statement, _ in
                    SQLiteCounts.add(OpaquePointer(statement))
                    return 0
                }, nil)
        }
        // SQLite calls it with three parameters, of which its header says nothing.
        sqlite3_auto_extension(unsafeBitCast(entry, to: (@convention(c) () -> Void).self))
    }

    /// Of a statement that ended.
    private static func add(_ statement: OpaquePointer?) {
        let steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1)
        var (pages, most): (CInt, CInt) = (0, 0)
        sqlite3_db_status(sqlite3_db_handle(statement), SQLITE_DBSTATUS_CACHE_MISS, &pages, &most, 1)
        counts.withLock { counts in
            counts.steps += Int(steps)
            counts.pages += Int(pages)
        }
    }
}
