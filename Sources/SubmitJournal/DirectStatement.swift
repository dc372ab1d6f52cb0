internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SystemPackage

/// A statement that is run for every submission. Its values go to SQLite, and come from it, as they are: GRDB makes several
/// objects of each, which takes longer than SQLite does.
///
/// It belongs to the connection on which it was made, and to one access to that. Values are bound one after the other.
final class DirectStatement {
    private let statement: Statement
    private let handle: SQLiteStatement
    private let db: Database
    private var bound: CInt = 0
    /// The first of what SQLite refused to bind.
    private var refusal = SQLITE_OK

    /// SQLite makes its own copy.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// - Parameters:
    ///   - sql: what it says is compiled once for each connection.
    ///   - isKept: `false`: it is compiled for this once, as there are ever other ones.
    init(_ sql: String, _ db: Database, isKept: Bool = true) throws {
        statement = isKept ? try db.cachedStatement(sql: sql) : try db.makeStatement(sql: sql)
        handle = statement.sqliteStatement
        self.db = db
        // Whoever had it before may have left it in the midst of its rows, with which it would go on.
        sqlite3_reset(handle)
    }

    // MARK: Its values

    private func note(_ code: CInt) { if refusal == SQLITE_OK { refusal = code } }

    func bind(_ value: Int64?) {
        bound += 1
        note(value.map { sqlite3_bind_int64(handle, bound, $0) } ?? sqlite3_bind_null(handle, bound))
    }

    func bind(_ value: Int) { bind(Int64(value)) }

    func bind(_ value: Bool?) { bind(value.map { $0 ? 1 : 0 }) }

    func bind(real value: Double?) {
        bound += 1
        note(value.map { sqlite3_bind_double(handle, bound, $0) } ?? sqlite3_bind_null(handle, bound))
    }

    func bind(_ value: String?) {
        bound += 1
        guard var value else {
            note(sqlite3_bind_null(handle, bound))
            return
        }
        value.withUTF8 { text in
            let address = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
            // No address would mean NULL.
            note(
                address.map { sqlite3_bind_text(handle, bound, $0, CInt(text.count), Self.copied) }
                    ?? sqlite3_bind_text(handle, bound, "", 0, Self.copied))
        }
    }

    func bind(_ value: [UInt8]?) {
        bound += 1
        guard let value else {
            note(sqlite3_bind_null(handle, bound))
            return
        }
        value.withUnsafeBytes { bytes in bindBlob(bytes.baseAddress, bytes.count) }
    }

    /// The path's bytes as they are, without the NUL.
    func bind(_ path: FilePath) {
        bound += 1
        path.withPlatformString { bindBlob($0, path.length) }
    }

    private func bindBlob(_ bytes: UnsafeRawPointer?, _ count: Int) {
        note(
            count == 0
                ? sqlite3_bind_zeroblob(handle, bound, 0)
                : sqlite3_bind_blob(handle, bound, bytes, CInt(count), Self.copied))
    }

    // MARK: Running it

    /// Runs it to its end.
    func run() throws {
        while try next() {}
    }

    /// The first integer of its first row; `nil` where there is none, or no row.
    func first() throws -> Int64? {
        defer { reset() }
        return try next() ? try integer(0) : nil
    }

    /// Whether there is another row. At the end, and when it fails, it is ready to be bound anew.
    func next() throws -> Bool {
        guard refusal == SQLITE_OK else {
            defer { reset() }
            throw DatabaseError(resultCode: ResultCode(rawValue: refusal), sql: statement.sql)
        }
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        defer { reset() }
        if code == SQLITE_DONE { return false }
        throw DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(db.sqliteConnection)),
            message: db.lastErrorMessage, sql: statement.sql)
    }

    /// How many steps SQLite has taken for it, to see what it looks at.
    var steps: Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)) }

    /// Ends it before its last row.
    func reset() {
        sqlite3_reset(handle)
        (bound, refusal) = (0, SQLITE_OK)
    }
}

// The present row.
extension DirectStatement: ColumnValues {
    func integer(_ column: Int) throws -> Int64? {
        try holds(SQLITE_INTEGER, CInt(column)) ? sqlite3_column_int64(handle, CInt(column)) : nil
    }

    func real(_ column: Int) throws -> Double? {
        try holds(SQLITE_FLOAT, CInt(column)) ? sqlite3_column_double(handle, CInt(column)) : nil
    }

    func text(_ column: Int) throws -> String? {
        let column = CInt(column)
        guard try holds(SQLITE_TEXT, column), let text = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        guard let text = String(validating: UnsafeBufferPointer(start: text, count: count), as: UTF8.self) else {
            throw endedByOddValue()
        }
        return text
    }

    func bytes(_ column: Int) throws -> [UInt8]? {
        let column = CInt(column)
        guard try holds(SQLITE_BLOB, column) else { return nil }
        guard let blob = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: blob, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Whether a column holds a value of this type, and not NULL. SQLite would convert any other.
    private func holds(_ type: CInt, _ column: CInt) throws -> Bool {
        let found = sqlite3_column_type(handle, column)
        if found == type { return true }
        if found == SQLITE_NULL { return false }
        throw endedByOddValue()
    }

    /// A statement in the midst of its rows would keep its transaction open.
    private func endedByOddValue() -> DatabaseError {
        reset()
        return .oddValue
    }
}

/// What the columns of a row hold, by their place in it; `nil` for NULL.
///
/// All of them throw `DatabaseError` with `SQLITE_CORRUPT` for a value of another type.
protocol ColumnValues {
    func integer(_ column: Int) throws -> Int64?
    func text(_ column: Int) throws -> String?
    func bytes(_ column: Int) throws -> [UInt8]?
}

/// Values of columns that are never NULL.
extension ColumnValues {
    /// - Throws: `DatabaseError` with `SQLITE_CORRUPT` for NULL.
    func given<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw DatabaseError.oddValue }
        return value
    }

    /// A count or a size.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_CORRUPT` for NULL, and for a number that isn't an ``Amount``.
    func amount<Number: FixedWidthInteger>(_ column: Int) throws -> Number {
        try Amount.checked(given(integer(column)))
    }
}

/// Cases that are stored by their names.
extension ColumnValues {
    /// - Returns: `nil` for NULL.
    /// - Throws: `DatabaseError` with `SQLITE_CORRUPT` for an unknown name.
    func name<Case: RawRepresentable<String>>(_ column: Int) throws -> Case? {
        try text(column).map { try given(Case(rawValue: $0)) }
    }
}

extension Row: ColumnValues {
    func integer(_ column: Int) throws -> Int64? { try value(column) }
    func text(_ column: Int) throws -> String? { try value(column) }
    func bytes(_ column: Int) throws -> [UInt8]? {
        let data: Data? = try value(column)
        return data.map { Array($0) }
    }
}
