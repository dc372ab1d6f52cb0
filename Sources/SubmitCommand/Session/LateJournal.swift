internal import Submit
internal import SubmitJournal
internal import SystemPackage

/// The journal, opened when it is first needed: verbs that only read the configuration leave no file behind.
final class LateJournal: Sendable {
    private let path: FilePath
    private let opened = Locked<Journal?>(nil)

    init(_ path: FilePath) {
        self.path = path
    }

    func open() throws(JournalFailure) -> Journal {
        try opened.withLock { (opened) throws(JournalFailure) in
            if let opened { return opened }
            let journal = try Journal(path: path)
            opened = journal
            return journal
        }
    }
}
