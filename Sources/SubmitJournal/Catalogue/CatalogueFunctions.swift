internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SubmitCatalogue

/// What SQLite has not by itself, or not as everybody else understands it: the very code that the evaluator runs.
///
/// Texts are given on with their length: GRDB's own functions, as SQLite's `LIKE` and `GLOB`, end them at a NUL.
enum CatalogueFunctions {
    /// Makes them known to a connection.
    static func install(_ db: Database) throws {
        try install("catalogue_like", 2, db) { context, _, values in
            guard let text = values?[0], let pattern = values?[1], sqlite3_value_type(text) != SQLITE_NULL else {
                return sqlite3_result_int(context, 0)
            }
            sqlite3_result_int(
                context, LikePattern.matches(CatalogueFunctions.bytes(text), CatalogueFunctions.bytes(pattern)) ? 1 : 0)
        }
        try install("catalogue_folded", 1, db) { context, _, values in
            CatalogueFunctions.transform(context, values?[0], TextFolding.folded)
        }
        try install("catalogue_composed", 1, db) { context, _, values in
            CatalogueFunctions.transform(context, values?[0], TextFolding.composed)
        }
        try install("catalogue_distance", 4, db) { context, _, values in
            guard let values, sqlite3_value_type(values[0]) != SQLITE_NULL,
                let one = CataloguePlace(
                    latitude: sqlite3_value_double(values[0]), longitude: sqlite3_value_double(values[1])),
                let other = CataloguePlace(
                    latitude: sqlite3_value_double(values[2]), longitude: sqlite3_value_double(values[3]))
            else { return sqlite3_result_null(context) }
            sqlite3_result_double(context, other.distance(to: one))
        }
        try install("catalogue_matches", 3, db) { context, _, values in
            guard let values, sqlite3_value_type(values[0]) != SQLITE_NULL else {
                return sqlite3_result_int(context, 0)
            }
            let expression = CatalogueFunctions.expression(
                context, values[1], isCaseless: sqlite3_value_int(values[2]) != 0)
            let isFound =
                expression?.isFound(in: String(decoding: CatalogueFunctions.bytes(values[0]), as: UTF8.self)) ?? false
            sqlite3_result_int(context, isFound ? 1 : 0)
        }
    }

    private typealias Values = UnsafeMutablePointer<OpaquePointer?>

    private static func install(
        _ name: String, _ count: CInt, _ db: Database,
        _ function: @escaping @convention(c) (OpaquePointer?, CInt, Values?) -> Void
    ) throws {
        let code = sqlite3_create_function_v2(
            db.sqliteConnection, name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, function, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    private static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
        // In this order: the first may move what the second counts.
        let text = sqlite3_value_text(value)
        return UnsafeRawBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
    }

    private static func transform(_ context: OpaquePointer?, _ value: OpaquePointer?, _ change: (String) -> String) {
        guard sqlite3_value_type(value) != SQLITE_NULL else { return sqlite3_result_null(context) }
        var text = change(String(decoding: bytes(value), as: UTF8.self))
        text.withUTF8 { text in
            let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            guard let start = text.baseAddress else { return sqlite3_result_text(context, "", 0, copied) }
            let characters = UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
            sqlite3_result_text(context, characters, CInt(text.count), copied)
        }
    }

    private final class KeptExpression {
        let expression: LinearExpression?
        init(_ expression: LinearExpression?) { self.expression = expression }
    }

    /// Compiled once for a statement.
    private static func expression(
        _ context: OpaquePointer?, _ pattern: OpaquePointer?, isCaseless: Bool
    ) -> LinearExpression? {
        if let kept = sqlite3_get_auxdata(context, 1) {
            return Unmanaged<KeptExpression>.fromOpaque(kept).takeUnretainedValue().expression
        }
        let text = String(decoding: bytes(pattern), as: UTF8.self)
        let kept = KeptExpression(try? LinearExpression(text, isCaseless: isCaseless))
        sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(kept).toOpaque()) { kept in
            if let kept { Unmanaged<KeptExpression>.fromOpaque(kept).release() }
        }
        return kept.expression
    }
}
