internal import GRDB
package import Submit
internal import SubmitStore

extension Journal {
    package func objection(to claim: ClaimedSubmission) async throws(SubmitFailure) -> ClaimObjection? {
        // Nobody has paused or cancelled anything since.
        if let controls = own.controls, controls.now == claim.controls { return nil }
        let (id, destination) = (claim.id, claim.destination)
        return try glance { db in
            let query = try db.cachedStatement(
                sql: """
                    SELECT cancel, EXISTS (SELECT 1 FROM destination WHERE name = ? AND paused)
                    FROM submission WHERE id = ?
                    """)
            guard let row = try Row.fetchOne(query, arguments: [destination, id.rawValue]) else { return nil }
            if try row.value(0) as Bool { return .cancelled }
            return try row.value(1) as Bool ? .paused : nil
        }
    }
}
