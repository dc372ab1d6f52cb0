internal import GRDB
package import SystemPackage

extension Journal {
    /// What became of a file: the submissions of all items that were accepted from this path, the newest first.
    ///
    /// - Parameters:
    ///   - source: the path as it was accepted: absolute, and not necessarily UTF-8.
    ///   - limit: so many at the most.
    package func submissions(
        ofSource source: FilePath, limit: Int
    ) async throws(JournalFailure) -> [SubmissionRecord] {
        try read { db in
            try SubmissionRecord.fetch(
                db, where: "item.path = ? ORDER BY submission.id DESC LIMIT ?", [source.bytes, limit])
        }
    }
}
