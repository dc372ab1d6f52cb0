internal import GRDB
internal import SubmitStore

/// Numbers stand in the journal as what they are.
extension Row {
    subscript<Number: StoreNumber>(_ index: Int) -> Number { Number(rawValue: self[index]) }

    subscript<Number: StoreNumber>(_ index: Int) -> Number? {
        let number: Int64? = self[index]
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
