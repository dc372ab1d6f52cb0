package import Submit
internal import SubmitConcurrency
package import SubmitJournal
package import SystemPackage

/// The journal, opened when it is first needed: verbs that only read the configuration leave no file behind.
package final class LazyJournal: Sendable {
    private let path: FilePath
    private let isRead: Bool
    private let opened: Locked<Journal?>

    /// - Parameter isRead: nothing will be written, so that it need not be possible.
    package init(_ path: FilePath, isRead: Bool = false) {
        self.path = path
        self.isRead = isRead
        opened = Locked(nil)
    }

    /// One that is open already.
    package init(_ journal: Journal) {
        (path, isRead) = (journal.path, journal.isReadOnly)
        opened = Locked(journal)
    }

    package func open() throws(SubmitFailure) -> Journal {
        try opened.withLock { (opened) throws(SubmitFailure) in
            if let opened { return opened }
            let journal = try isRead ? Journal(toRead: path) : Journal(path: path)
            opened = journal
            return journal
        }
    }
}
