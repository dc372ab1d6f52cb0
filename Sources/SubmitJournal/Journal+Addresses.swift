internal import Foundation
internal import GRDB
package import Submit

extension Journal {
    package func isCopyOfAnother(
        _ address: String, than claim: ClaimedSubmission
    ) async throws(SubmitFailure) -> Bool {
        guard let digest = claim.item.digests[.sha256] else { return false }
        try await makeIndex("submission_address", on: "submission (remote_id) WHERE state = 2")
        return try await read { db in
            // In older journals one photo may have replaced another: the one that came last is there. The receipt of a
            // repaired copy is gone, and was newer than those of submissions before it.
            try Bool.readOne(
                db,
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM submission JOIN item ON item.id = submission.item
                        WHERE submission.remote_id = :address AND submission.state = 2
                            AND submission.destination = :destination AND NOT \(OldHistory.skipped("submission"))
                            AND item.path <> :path AND item.sha256 <> :digest
                            AND (NOT :isRepaired OR submission.id > :own)
                            AND NOT EXISTS (
                                SELECT 1 FROM submission AS own JOIN item AS mine ON mine.id = own.item
                                WHERE own.remote_id = submission.remote_id AND own.state = 2
                                    AND own.destination = submission.destination AND mine.path = :path
                                    AND own.settled >= submission.settled))
                    """,
                arguments: [
                    "address": address, "destination": claim.destination, "path": claim.item.source.bytes,
                    "digest": Data(digest), "isRepaired": claim.disproved == address, "own": claim.id.rawValue,
                ]) ?? false
        }
    }
}
