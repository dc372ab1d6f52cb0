internal import Foundation
internal import GRDB
package import Submit

extension Journal {
    package func note(_ topic: String, of destination: String) throws(SubmitFailure) -> [UInt8]? {
        try glance { db in
            try Data.readOne(
                db, sql: "SELECT data FROM note WHERE destination = ? AND topic = ?", arguments: [destination, topic])
        }.map(Array.init)
    }

    package func setNote(_ topic: String, of destination: String, to note: [UInt8]?) async throws(SubmitFailure) {
        try await write { db in
            if let note {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO note (destination, topic, data) VALUES (?, ?, ?)",
                    arguments: [destination, topic, Data(note)])
            } else {
                try db.execute(
                    sql: "DELETE FROM note WHERE destination = ? AND topic = ?", arguments: [destination, topic])
            }
        }
    }

    package func holdsCopies(_ destination: String) throws(SubmitFailure) -> Bool {
        try glance { db in
            try Bool.readOne(
                db,
                sql: """
                    SELECT (SELECT total(count) FROM tally WHERE destination = ?1 AND state = 2)
                        > (SELECT count(*) FROM submission WHERE destination = ?1 AND \(Self.isSkipped))
                    """, arguments: [destination]) ?? false
        }
    }
}
