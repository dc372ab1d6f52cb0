internal import Foundation
internal import GRDB
package import Submit

extension Journal {
    package func isCopyOfAnother(
        _ address: CopyAddress, than claim: ClaimedSubmission
    ) async throws(SubmitFailure) -> Bool {
        guard let digest = claim.item.digests[.sha256] else { return false }
        try await makeIndex("submission_address", on: "submission (remote_id) WHERE state = 2")
        try await makeIndex("submission_url", on: "submission (url) WHERE state = 2")
        return try await read { db in
            // A version of the claim's own file: stored by this journal, and not removed since. If its source is gone, what
            // comes by that path is another photo.
            let isVersion =
                "item.path = :path AND NOT EXISTS (SELECT 1 FROM removal WHERE removal.item = item.id AND state = 2)"
            // In older journals one photo may have replaced another: the one that came last is there. A receipt that found
            // its bytes there replaced nothing. The receipt of a repaired copy is gone, so its attempt says when it came.
            return try Bool.readOne(
                db,
                sql: """
                    WITH there AS (
                        SELECT submission.id, settled, was_there, sha256, \(isVersion) AS is_version
                        FROM submission JOIN item ON item.id = submission.item
                        WHERE submission.state = 2 AND NOT \(OldHistory.skipped("submission"))
                            AND (destination = :destination AND remote_id = :address OR url = :url))
                    SELECT EXISTS (
                        SELECT 1 FROM there AS other
                        WHERE NOT is_version AND sha256 <> :digest
                            AND NOT (:isRepaired AND settled < ifnull(
                                (SELECT max(ended) FROM attempt WHERE submission = :own AND outcome = 'done'), 0))
                            AND NOT EXISTS (
                                SELECT 1 FROM there
                                WHERE is_version AND NOT was_there AND settled >= other.settled))
                    """,
                arguments: [
                    "address": address.remoteID, "url": address.url, "destination": claim.destination,
                    "path": claim.item.source.bytes, "digest": Data(digest),
                    "isRepaired": claim.disproved == address.remoteID, "own": claim.id.rawValue,
                ]) ?? false
        }
    }

    package func lockAddress(_ name: String) -> Bool { own.lockAddress(name) }

    package func unlockAddress(_ name: String) { own.unlockAddress(name) }
}
