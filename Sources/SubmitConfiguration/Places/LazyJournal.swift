package import Submit
internal import SubmitConcurrency
package import SubmitJournal
package import SystemPackage

/// The journal, opened when it is first needed: verbs that only read the configuration leave no file behind.
package final class LazyJournal: Sendable {
    private let path: FilePath
    private let opened: Locked<Journal?>

    package init(_ path: FilePath) {
        self.path = path
        opened = Locked(nil)
    }

    /// One that is open already.
    package init(_ journal: Journal) {
        path = journal.path
        opened = Locked(journal)
    }

    package func open() throws(SubmitFailure) -> Journal {
        try opened.withLock { (opened) throws(SubmitFailure) in
            if let opened { return opened }
            let journal = try Journal(path: path)
            opened = journal
            return journal
        }
    }
}
