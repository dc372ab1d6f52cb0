internal import GRDB
package import Submit

extension Journal {
    /// Gives a destination another name in all that is known of it: what waits for it, what arrived there, what it remembers.
    /// Repeated, it does nothing.
    ///
    /// - Throws: to give up with, `destination-in-use` where something is being sent there or yet to be accepted for it, or
    ///   where the other name is one that something was sent to; when the journal fails (`journal…`, to be tried again).
    package func rename(_ destination: String, to name: String) async throws(SubmitFailure) {
        let trouble: String? = try await write { db in
            func exists(_ condition: String, _ arguments: StatementArguments) throws -> Bool {
                try Bool.readOne(db, sql: "SELECT EXISTS (SELECT 1 FROM \(condition))", arguments: arguments) ?? false
            }
            guard
                try exists("tally WHERE destination = ?", [destination])
                    || exists("note WHERE destination = ?", [destination])
                    || exists("destination WHERE name = ?", [destination])
                    || exists("acceptance WHERE instr(request, ?) > 0", ["\"\(destination)\""])
            else { return nil }
            if try exists("tally WHERE destination = ? AND state = 1 AND count > 0", [destination]) {
                return "Something is being sent to “\(destination)” just now: rename it when that has ended."
            }
            if try exists("acceptance WHERE instr(request, ?) > 0", ["\"\(destination)\""]) {
                return "What was asked for “\(destination)” is not all accepted: rename it when that is done."
            }
            if try exists("tally WHERE destination = ?", [name]) {
                return "Something was sent to a destination “\(name)” before: choose another name."
            }
            for table in ["note", "destination"] {
                let column = table == "note" ? "destination" : "name"
                try db.execute(sql: "DELETE FROM \(table) WHERE \(column) = ?", arguments: [name])
                try db.execute(
                    sql: "UPDATE \(table) SET \(column) = ? WHERE \(column) = ?", arguments: [name, destination])
            }
            for (table, column) in [
                ("submission", "destination"), ("submission", "condemned_by"), ("tally", "destination"),
                ("follower", "destination"), ("untold", "destination"),
            ] {
                try db.execute(
                    sql: "UPDATE \(table) SET \(column) = ? WHERE \(column) = ?", arguments: [name, destination])
            }
            return nil
        }
        if let trouble { throw SubmitFailure(.giveUp, code: "destination-in-use", message: trouble) }
    }
}
