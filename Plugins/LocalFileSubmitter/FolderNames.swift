internal import Submit
internal import SubmitConcurrency
internal import SystemPackage

/// How names are spelled below a root, and what is really there. Found out once, when a name first needs it.
final class FolderNames: Sendable {
    private struct Listing {
        var folder: Folder.Identity
        var names: Set<[UInt8]>
    }

    /// By device: some file systems give a folder another number at each look.
    private let known = Locked<[UInt64: FileNameRules]>([:])
    private let listed = Locked<Listing?>(nil)

    /// The manners by which these names are to be spelled.
    func manners(for names: [String], in root: Folder) throws(SubmitFailure) -> FileNameRules {
        if names.allSatisfy(FileNameRules.isPlain) { return known.withLock { $0[root.device] } ?? FileNameRules() }
        return try manners(in: root)
    }

    /// The manners of a root's file system; those of no particular one where nothing can be tried.
    ///
    /// - Throws: where nothing can be stored now either.
    func manners(in root: Folder) throws(SubmitFailure) -> FileNameRules {
        // Whoever comes meanwhile waits for what is found.
        try known.withLock { (known) throws(SubmitFailure) in
            if let manners = known[root.device] { return manners }
            let manners = try FileNameProbe.manners(in: root)
            known[root.device] = manners
            return manners ?? FileNameRules()
        }
    }

    /// What a name that leads to something in a folder is called there, where names fold.
    func stored(_ name: String, in folder: Folder) throws(Errno) -> String {
        let wanted = Array(name.utf8)
        let isListed = listed.withLock { $0.map { $0.folder == folder.identity && $0.names.contains(wanted) } ?? false }
        if isListed { return name }
        let names = try folder.names()
        listed.withLock { $0 = Listing(folder: folder.identity, names: Set(names.map { Array($0.utf8) })) }
        if names.contains(where: { Array($0.utf8) == wanted }) { return name }
        // Characters compare as equal however their accents are written.
        return names.first { $0.lowercased() == name.lowercased() } ?? name
    }
}
