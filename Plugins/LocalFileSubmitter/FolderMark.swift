internal import Submit
internal import SubmitPlatform
internal import SystemPackage

/// The small hidden file by which a destination's root is known again, whatever disk is mounted there now. It goes along
/// where the folder is copied to another disk.
enum FolderMark {
    static let name = ".submit-folder"

    private static let scratch = "folder"

    private static let words =
        "\nBy this file `submit` knows this folder again, wherever its disk is mounted. Leave it here.\n"
    private static let length = 32

    /// What the mark says; `nil` where there is none, or something else has its name.
    static func read(in root: Folder) throws(Errno) -> String? {
        let descriptor = openat(root.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
        guard descriptor >= 0 else {
            if [ENOENT, EACCES, EPERM, ELOOP].contains(errno) { return nil }
            throw Errno(rawValue: errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: length)
        let count: Int
        do throws(Errno) {
            count = try FileContent.read(descriptor, into: &bytes, at: 0)
        } catch .isDirectory {
            return nil
        }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        return count == length && text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) ? text : nil
    }

    /// Marks a folder durably.
    ///
    /// - Parameter mark: what it is to say; `nil` for something new.
    /// - Returns: what it says: others may have been first. `nil` where none can be made.
    /// - Throws: where nothing can be made now, a copy neither.
    static func make(_ mark: String?, in root: Folder) throws(SubmitFailure) -> String? {
        // One at a time on this computer: on a file system without exclusive names, both would believe in theirs. Who has
        // locked it for a backup is not waited for.
        root.lock()
        defer { root.unlock() }
        // Another may have made it, whom a scratch file beside it would outlive.
        if let there = try SubmitFailure.at(root.path, { () throws(Errno) in try read(in: root) }) { return there }
        let mark = mark ?? (0..<length).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
        do throws(SubmitFailure) {
            if try give(mark, to: root) { return mark }
        } catch  where error.isOfPlaceNow {
            throw error
        } catch {}
        return (try? read(in: root)) ?? nil
    }

    /// - Returns: false where others were first.
    private static func give(_ mark: String, to root: Folder) throws(SubmitFailure) -> Bool {
        // The same name for everyone: what a kill left of it is taken over by whoever marks the folder next.
        let file = try SubmitFailure.at(root.path) { () throws(Errno) in
            try TemporaryFile(in: root, submission: scratch)
        }
        let bytes = Array((mark + words).utf8)
        try SubmitFailure.at(root.path) { () throws(Errno) in try file.write(bytes, bytes.count, at: 0) }
        try file.stamp(modified: .now)
        try SubmitFailure.at(root.path) { () throws(Errno) in try Durability.sync(file: file.descriptor) }
        // Where a file system cannot give a name exclusively, whoever died while giving it left an empty file.
        let isLeft = (try? FileContent.seen(name, in: root))?.isEmpty ?? false
        guard try file.rename(to: name, replacing: isLeft) else { return false }
        try SubmitFailure.at(root.path) { () throws(Errno) in try Durability.sync(folder: root.descriptor) }
        return true
    }

    /// Removes what somebody left who died, or was refused it, when the mark was there already, or cannot be made.
    ///
    /// - Throws: where it stays because nothing can be changed now. What another person left may stay.
    static func removeLeft(in root: Folder) throws(SubmitFailure) {
        let left = TemporaryFile.name(of: scratch)
        guard unlinkat(root.descriptor, left, 0) != 0 else { return }
        let (error, path) = (Errno(rawValue: errno), root.path)
        // Where nothing can be changed the same is said of what is not there.
        guard faccessat(root.descriptor, left, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT else { return }
        let failure = SubmitFailure.file(error, path)
        if failure.isOfPlaceNow || error == .readOnlyFileSystem { throw failure }
    }
}
