internal import Glibc
internal import Submit
internal import SystemPackage

/// The small hidden file by which a destination's root is known again, whatever disk is mounted there now. It goes along
/// where the folder is copied to another disk.
enum FolderMark {
    static let name = ".submit-folder"

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
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 || errno == EISDIR else { throw Errno(rawValue: errno) }
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return count == length && text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) ? text : nil
    }

    /// Marks a folder durably.
    ///
    /// - Parameter mark: what it is to say; `nil` for something new.
    /// - Returns: what it says: others may have been first. `nil` where none can be made.
    static func make(_ mark: String?, in root: Folder) -> String? {
        // One at a time on this computer: on a file system without exclusive names, both would believe in theirs. Who has
        // locked it for a backup is not waited for.
        var tries = 0
        while flock(root.descriptor, LOCK_EX | LOCK_NB) != 0, tries < 40 {
            tries += 1
            usleep(50_000)
        }
        defer { flock(root.descriptor, LOCK_UN) }
        if let there = (try? read(in: root)) ?? nil { return there }
        let mark = mark ?? (0..<length).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
        let isMade = try? { () throws in
            // The same name for everyone: what a kill left of it is taken over by whoever marks the folder next.
            let file = try TemporaryFile(in: root, submission: "folder")
            let bytes = Array((mark + words).utf8)
            guard pwrite(file.descriptor, bytes, bytes.count, 0) == bytes.count else { throw Errno(rawValue: errno) }
            try file.stamp(modified: .now)
            guard fsync(file.descriptor) == 0 else { throw Errno(rawValue: errno) }
            // Where a file system cannot give a name exclusively, whoever died while giving it left an empty file.
            let isLeft = FileContent.seen(name, in: root)?.isEmpty ?? false
            guard try file.rename(to: name, replacing: isLeft) else { return false }
            return fsync(root.descriptor) == 0 || errno == EINVAL
        }()
        if isMade == true { return mark }
        return (try? read(in: root)) ?? nil
    }
}
