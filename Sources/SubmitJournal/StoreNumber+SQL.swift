internal import GRDB
internal import SubmitStore

/// Values are read by these. GRDB's subscripts end the process where a damaged journal has something else in a column.
extension Row {
    func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ index: Int) throws -> Value {
        try decode(atIndex: index)
    }

    func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ column: String) throws -> Value {
        try decode(forColumn: column)
    }

    /// Numbers stand in the journal as what they are.
    func value<Number: StoreNumber>(_ index: Int) throws -> Number { Number(rawValue: try value(index)) }

    func value<Number: StoreNumber>(_ index: Int) throws -> Number? {
        let number: Int64? = try value(index)
        return number.map { Number(rawValue: $0) }
    }
}

extension StoreNumber {
    static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> [Self] {
        try Int64.fetchAll(db, sql: sql, arguments: arguments).map(Self.init(rawValue:))
    }

    static func fetchAll(_ statement: Statement, arguments: StatementArguments? = nil) throws -> [Self] {
        try Int64.fetchAll(statement, arguments: arguments).map(Self.init(rawValue:))
    }

    static func fetchOne(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> Self? {
        try Int64.fetchOne(db, sql: sql, arguments: arguments).map(Self.init(rawValue:))
    }
}
