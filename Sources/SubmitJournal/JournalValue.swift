internal import Foundation
internal import GRDB
internal import Submit
internal import SubmitStore

/// A value that the journal stores in one form.
///
/// SQLite and GRDB convert values of other forms: they read a text in a column of numbers as 0. submit calls it damage.
protocol JournalValue {
    /// Reads a value; `nil` if it has another form.
    init?(stored value: DatabaseValue)
}

extension JournalValue {
    /// - Throws: `DatabaseError` with `SQLITE_CORRUPT` for NULL and for any other form.
    static func read(_ value: DatabaseValue) throws -> Self {
        guard let read = Self(stored: value) else { throw DatabaseError.oddValue }
        return read
    }

    /// - Returns: `nil` for NULL.
    /// - Throws: `DatabaseError` with `SQLITE_CORRUPT` for any other form.
    static func readIfAny(_ value: DatabaseValue) throws -> Self? { value.isNull ? nil : try read(value) }
}

extension DatabaseError {
    /// The error for a value that submit never writes.
    static var oddValue: DatabaseError { DatabaseError(resultCode: .SQLITE_CORRUPT) }

    /// Whether values that submit never writes caused this error.
    ///
    /// SQLite fails if a sum is too large (https://www.sqlite.org/lang_aggfunc.html#sumunc). A sum with NULL or with a text
    /// breaks a constraint when it is stored, and so do rows that contradict each other.
    var isOfOddValue: Bool {
        switch resultCode {
        case .SQLITE_CORRUPT, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH: true
        case .SQLITE_ERROR: message == "integer overflow"
        default: false
        }
    }
}

// MARK: Forms

extension Int64: JournalValue {
    init?(stored value: DatabaseValue) {
        guard case .int64(let number) = value.storage else { return nil }
        self = number
    }
}

extension Int: JournalValue {
    init?(stored value: DatabaseValue) {
        guard let number = Int64(stored: value) else { return nil }
        self.init(exactly: number)
    }
}

extension Bool: JournalValue {
    init?(stored value: DatabaseValue) {
        guard let number = Int64(stored: value), number == 0 || number == 1 else { return nil }
        self = number == 1
    }
}

extension Double: JournalValue {
    init?(stored value: DatabaseValue) {
        guard case .double(let number) = value.storage else { return nil }
        self = number
    }
}

extension String: JournalValue {
    init?(stored value: DatabaseValue) {
        guard case .string(let text) = value.storage else { return nil }
        self = text
    }
}

extension Data: JournalValue {
    init?(stored value: DatabaseValue) {
        guard case .blob(let data) = value.storage else { return nil }
        self = data
    }
}

/// The journal stores identifiers and cases as their raw values.
extension JournalValue where Self: RawRepresentable, RawValue: JournalValue {
    init?(stored value: DatabaseValue) {
        guard let raw = RawValue(stored: value) else { return nil }
        self.init(rawValue: raw)
    }
}

extension BatchID: JournalValue {}
extension ItemID: JournalValue {}
extension SubmissionID: JournalValue {}
extension AcceptanceID: JournalValue {}
extension WorkerID: JournalValue {}
extension SessionID: JournalValue {}
extension SubmissionState: JournalValue {}
extension RemovalState: JournalValue {}
extension RemovalManner: JournalValue {}
extension StoreFault: JournalValue {}
extension InviteRecord.State: JournalValue {}
extension ReceivingSession.State: JournalValue {}
extension IncomingFile.State: JournalValue {}
extension Evidence: JournalValue {}
extension MediaKind: JournalValue {}
extension Verification: JournalValue {}
extension ConflictPolicy: JournalValue {}

// MARK: Reading

extension JournalValue {
    /// Reads the first column of all rows.
    static func readAll(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> [Self] {
        try DatabaseValue.fetchAll(db, sql: sql, arguments: arguments).map(read)
    }

    /// Reads the first column of all rows.
    static func readAll(_ statement: Statement, arguments: StatementArguments? = nil) throws -> [Self] {
        try DatabaseValue.fetchAll(statement, arguments: arguments).map(read)
    }

    /// Reads the first column of the first row; `nil` for NULL, and if there is no row.
    static func readOne(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> Self? {
        try DatabaseValue.fetchOne(db, sql: sql, arguments: arguments).flatMap(readIfAny)
    }

    /// Reads the first column of the first row; `nil` for NULL, and if there is no row.
    static func readOne(_ statement: Statement, arguments: StatementArguments? = nil) throws -> Self? {
        try DatabaseValue.fetchOne(statement, arguments: arguments).flatMap(readIfAny)
    }
}

extension Row {
    func value<Value: JournalValue>(_ index: Int) throws -> Value { try Value.read(decode(atIndex: index)) }

    func value<Value: JournalValue>(_ index: Int) throws -> Value? { try Value.readIfAny(decode(atIndex: index)) }

    func value<Value: JournalValue>(_ column: String) throws -> Value { try Value.read(decode(forColumn: column)) }

    func value<Value: JournalValue>(_ column: String) throws -> Value? {
        try Value.readIfAny(decode(forColumn: column))
    }

    /// See ``ColumnValues/amount(_:)``.
    func amount<Number: FixedWidthInteger>(_ column: String) throws -> Number {
        try Amount.checked(value(column))
    }
}

/// Counts and sizes, which submit adds up.
enum Amount {
    /// No file is larger. The sum of a few such numbers doesn't overflow.
    private static let most: Int64 = 1 << 56

    /// - Throws: `DatabaseError` with `SQLITE_CORRUPT` for numbers below 0 or above ``most``.
    static func checked<Number: FixedWidthInteger>(_ number: Int64) throws -> Number {
        guard 0...most ~= number, let amount = Number(exactly: number) else { throw DatabaseError.oddValue }
        return amount
    }
}
