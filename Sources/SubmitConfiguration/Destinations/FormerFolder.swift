internal import Foundation
internal import LocalFileSubmitter
internal import SubmitJournal
internal import SystemPackage

/// The folder that the destination `file` had by default in early versions: `Submitted` among the user's pictures. If there
/// are copies in it, it stays the default.
struct FormerFolder {
    private let folder: FilePath
    private let journalFile: FilePath
    private let journal: LazyJournal

    init(_ places: AppPaths, _ journal: LazyJournal) {
        (folder, journalFile) = (places.pictures.appending("Submitted"), places.journal)
        self.journal = journal
    }

    /// `nil` if there are no copies in it. Its disk may be unmounted now: then the journal knows.
    var path: String? {
        let isThere = FileManager.default.fileExists(atPath: journalFile.string)
        let journal = isThere ? try? journal.open() : nil
        let isKnown = LocalFileSubmitter.hasUsed(folder.string) { topic in try? journal?.note(topic, of: "file") }
        return isKnown ?? ((try? journal?.holdsCopies("file")) ?? false) ? folder.string : nil
    }
}
