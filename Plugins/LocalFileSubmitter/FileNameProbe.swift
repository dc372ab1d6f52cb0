internal import Submit
internal import SubmitPlatform
internal import SystemPackage

/// Tries scratch names in a hidden folder of its own, and looks what they became: what a file system is called says little
/// of its names, which a server or a mount option may decide.
final class FileNameProbe {
    private static let scratch = ".submit-names"
    private static let plain = "Plain"

    private let root: Folder
    private let folder: Folder
    private var made: Set<String> = []

    /// What names a folder's file system takes; `nil` where that cannot be tried.
    ///
    /// - Throws: where nothing can be stored now either.
    static func manners(in root: Folder) throws(SubmitFailure) -> FileNameRules? {
        do throws(Errno) {
            let trial = try FileNameProbe(in: root)
            let manners = try trial.run()
            try trial.remove()
            return manners
        } catch {
            let failure = SubmitFailure.file(error, root.path)
            if failure.isOfPlaceNow || error == .readOnlyFileSystem { throw failure }
            return nil
        }
    }

    private init(in root: Folder) throws(Errno) {
        self.root = root
        folder = try Self.scratchFolder(in: root)
        // What a crash left.
        clear()
    }

    /// One at a time has it, on this computer; where there are no such locks, names that are there count as taken.
    private static func scratchFolder(in root: Folder) throws(Errno) -> Folder {
        for _ in 0..<10 {
            guard let folder = try root.folder(scratch, creates: true) else { continue }
            folder.lock()
            // Whoever had it before has removed it at its end, and nothing can be made in it any more.
            let file = openat(folder.descriptor, plain, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if file < 0, errno == ENOENT { continue }
            if file >= 0 { close(file) }
            return folder
        }
        throw .resourceBusy
    }

    deinit { try? remove() }

    /// Leaves nothing. What somebody else put there, or is not listed yet, stays for the next trial.
    private func remove() throws(Errno) {
        clear()
        guard unlinkat(root.descriptor, Self.scratch, AT_REMOVEDIR) == 0 || [ENOENT, ENOTEMPTY, EEXIST].contains(errno)
        else { throw Errno(rawValue: errno) }
        // What it found out is remembered, and nobody looks here again after a loss of power.
        try? Durability.sync(folder: root.descriptor)
    }

    /// Names that were made lately may not be listed yet.
    private func clear() {
        for name in made.union([Self.plain]).union((try? folder.names()) ?? []) { unlinkat(folder.descriptor, name, 0) }
    }

    private func run() throws(Errno) -> FileNameRules? {
        guard try make(Self.plain) else { return nil }
        var manners = FileNameRules()
        var status = stat()
        try make("Folded-\u{e9}")
        for other in ["folded-\u{e9}", "Folded-e\u{301}"] {
            if fstatat(folder.descriptor, other, &status, AT_SYMLINK_NOFOLLOW) == 0 { manners.folds = true }
        }
        if try !takes("a" + String(String.UnicodeScalarView(FileNameRules.doubtful)) + "z") {
            for scalar in FileNameRules.doubtful where try !takes("a\(scalar)z") { manners.refused.insert(scalar) }
        }
        for scalar in FileNameRules.ends where try !takes("a\(scalar)", not: "a") { manners.refusedEnds.insert(scalar) }
        manners.refusesDevices = try !takes("con.jpg")
        for length in FileNameRules.lengths {
            manners.longest = length
            if try takes(String(repeating: "n", count: length)) { break }
        }
        // It was about the names all along, and not about the folder.
        unlinkat(folder.descriptor, Self.plain, 0)
        return try make(Self.plain) ? manners : nil
    }

    /// Whether a name is stored as it is told; but for how its accents are written, which is the same name.
    ///
    /// - Parameter other: what it may become, and nobody makes otherwise.
    private func takes(_ name: String, not other: String? = nil) throws(Errno) -> Bool {
        guard try make(name) else { return false }
        defer { unlinkat(folder.descriptor, name, 0) }
        if let other, faccessat(folder.descriptor, other, F_OK, AT_SYMLINK_NOFOLLOW) == 0 { return false }
        // What was made lately may not be listed yet, and what was removed may still be; a spelling of its own tells.
        let names = try folder.names()
        return names.contains { $0 == name } || made.isSuperset(of: names)
    }

    @discardableResult
    private func make(_ name: String) throws(Errno) -> Bool {
        let file = openat(folder.descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if file >= 0 {
            close(file)
            made.insert(name)
            return true
        }
        // Full, broken or gone: that says nothing of the name.
        if [ENOSPC, EDQUOT, EIO, EROFS, ENODEV, ENXIO, ENOTCONN, ESTALE, EMFILE, ENFILE, EINTR].contains(errno) {
            throw Errno(rawValue: errno)
        }
        return errno == EEXIST
    }
}
