internal import CLinux
internal import Submit
internal import SubmitDigest
internal import SubmitPlatform
internal import SystemPackage

/// The copy while it is being made: a hidden file beside its final name, which only its owner may read.
///
/// Its name follows from the submission, so that whoever tries again finds and removes what a crash left.
final class TemporaryFile {
    private let folder: Folder
    private let name: String
    private let aside: String
    private var isThere = true
    /// -1 once the file is closed, before it gets its final name.
    private(set) var descriptor: CInt
    /// As it was when it was closed.
    private var closed: FileContent.Seen?
    let identity: Folder.Identity

    /// What a submission's temporary file is called.
    static func name(of submission: String) -> String { ".submit-\(submission).part" }

    /// What it is called for a moment, to find out how names are given.
    static func trialName(of submission: String) -> String { ".submit-\(submission).try" }

    /// What the file that it replaces is called for a moment, where nothing can be replaced.
    private static func asideName(of submission: String) -> String { ".submit-\(submission).aside" }

    /// Gives what an attempt put aside that was killed its name again, so that it is not lost where nothing comes there.
    static func putBack(of submission: String, to final: String, in folder: Folder) throws(SubmitFailure) {
        let aside = asideName(of: submission)
        guard faccessat(folder.descriptor, aside, F_OK, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        _ = try SubmitFailure.at("\(folder.path)/\(final)") { () throws(Errno) in
            try ExclusiveRename.putBack(in: folder.descriptor, aside, to: final)
        }
    }

    /// Removes what an earlier attempt of a submission left in a folder, if it did.
    static func remove(of submission: String, in folder: Folder) throws(SubmitFailure) {
        for name in [name(of: submission), trialName(of: submission)]
        where unlinkat(folder.descriptor, name, 0) != 0 && errno != ENOENT {
            throw .file(Errno(rawValue: errno), "\(folder.path)/\(name)")
        }
    }

    /// Whether an attempt of a submission may have been killed while an empty file held its final name: it left its
    /// temporary file, on a file system where names cannot be given exclusively otherwise. That file is gone then.
    static func leftPlaceholder(of submission: String, in folder: Folder) throws(SubmitFailure) -> Bool {
        var status = stat()
        let (name, other) = (name(of: submission), trialName(of: submission))
        let isLeft =
            fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
            && ExclusiveRename.needsPlaceholder(in: folder.descriptor, name, to: other)
        // The power may have gone while it was tried.
        try remove(of: submission, in: folder)
        return isLeft
    }

    /// Bytes between two looks at whether the submission was cancelled.
    private static let chunk = 4 << 20

    init(in folder: Folder, submission: String) throws(Errno) {
        self.folder = folder
        (name, aside) = (Self.name(of: submission), Self.asideName(of: submission))
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        var descriptor = openat(folder.descriptor, name, flags, 0o600)
        if descriptor < 0, errno == EEXIST {
            guard unlinkat(folder.descriptor, name, 0) == 0 || errno == ENOENT else { throw Errno(rawValue: errno) }
            descriptor = openat(folder.descriptor, name, flags, 0o600)
        }
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        self.descriptor = descriptor
        identity = Folder.Identity(of: descriptor)
    }

    /// Removes the file unless it got its final name. Where that fails, the next attempt does it.
    deinit { try? remove() }

    /// Removes the file unless it got its final name, for who has no next attempt.
    func remove() throws(SubmitFailure) {
        let isOurs = isThere && !wasTakenOver
        // First: by FUSE an open file that is removed stays under another name until it is closed.
        try? close()
        guard isOurs else { return }
        guard unlinkat(folder.descriptor, name, 0) == 0 || errno == ENOENT else {
            throw .file(Errno(rawValue: errno), "\(folder.path)/\(name)")
        }
        isThere = false
    }

    /// Some file systems send a file away only now, and say only now that it did not go.
    private func close() throws(SubmitFailure) {
        guard descriptor >= 0 else { return }
        let error = Glibc.close(descriptor) == 0 ? 0 : errno
        descriptor = -1
        closed = try? FileContent.seen(name, in: folder)
        guard [0, EINTR].contains(error) else { throw .file(Errno(rawValue: error), folder.path) }
    }

    /// Another process took this submission for dead, removed the file and makes its own under the same name.
    private var wasTakenOver: Bool {
        guard let there = try? FileContent.seen(name, in: folder) else { return false }
        if descriptor < 0, let closed { return !closed.isUnchanged(there) && !closed.isSameFile(there) }
        guard let own = FileContent.seen(descriptor) else { return false }
        return own.identity != there.identity && !own.isUnchanged(there)
    }

    private var isInFolder: Bool {
        var status = stat()
        return fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    // MARK: - Content

    /// Copies the item's bytes, by sharing blocks, else inside the kernel, else through memory, and reads the copy back:
    /// each part as soon as it is there. Throws unless it equals the item, which also catches a source that changed
    /// meanwhile.
    func fill(
        with item: MediaItem, from bytes: any MediaBytes, sent: (Int64) -> Void
    ) throws(SubmitFailure) {
        var copied: Int64 = 0
        if let source = bytes.fileDescriptor, submit_clone(descriptor, source) == 0 {
            copied = bytes.size
            sent(copied)
        }
        var source = bytes.fileDescriptor
        var buffer: ReadWriteBuffer?
        var isReadable = true
        func copy(upTo end: Int64) throws(SubmitFailure) {
            while copied < min(end, bytes.size) {
                if Task.isCancelled { throw .cancelled }
                let chunk = Int(min(Int64(Self.chunk), bytes.size - copied))
                let length = SendingAllowance.current?.take(chunk) ?? chunk
                var count = 0
                if let descriptor = source {
                    count = copyInKernel(from: descriptor, copied, length)
                    // Nothing came: the kernel cannot copy between these two, or one of them is broken. Reading and
                    // writing will tell which.
                    if count == 0 { source = nil }
                }
                if source == nil {
                    let through = buffer ?? ReadWriteBuffer()
                    buffer = through
                    count = try copyThrough(through.bytes, from: bytes, copied, length)
                }
                try keepPace(copied, Int64(count))
                copied += Int64(count)
                sent(copied)
            }
        }
        var digests = try Digests.reading([.sha256], size: item.size) {
            (back, offset) throws(SubmitFailure) in
            try copy(upTo: offset + Int64(back.count))
            do throws(Errno) {
                return try FileContent.read(descriptor, into: back, at: offset)
            } catch .notPermitted, .badFileDescriptor, .notSupportedOnSocket {
                isReadable = false
                return 0
            } catch {
                throw .file(error, folder.path)
            }
        }
        if !isReadable {
            try copy(upTo: bytes.size)
            try reopen()
            digests[.sha256] = try FileContent.sha256(descriptor, size: item.size, folder.path)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(Errno(rawValue: errno), folder.path) }
        guard status.st_size == Int(item.size), digests[.sha256] == item.digests[.sha256] else { throw damaged(bytes) }
    }

    /// Reads the copy from the disk, as far as the system lets go of what it has of it in memory, and throws unless it equals
    /// the item.
    func readBack(_ item: MediaItem, _ bytes: any MediaBytes) throws(SubmitFailure) {
        try SubmitFailure.at(folder.path, needed: item.size) { () throws(Errno) in try Durability.sync(file: descriptor)
        }
        leaveMemory()
        let digest = try FileContent.sha256(descriptor, size: item.size, folder.path)
        guard digest == item.digests[.sha256] else { throw damaged(bytes) }
    }

    /// For a copy that the disk has. Memory is better spent on the sources, which other destinations read too. And pages
    /// that come back at once are quicker to fill than ever fresh ones: it halves the kernel's time for small files.
    func leaveMemory() {
        if descriptor >= 0 { posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }
    }

    /// For file systems that let nobody read what is being written: rclone's without a cache, MTP.
    private func reopen() throws(SubmitFailure) {
        try close()
        descriptor = openat(folder.descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw .file(Errno(rawValue: errno), folder.path) }
    }

    private func copyInKernel(from source: CInt, _ offset: Int64, _ length: Int) -> Int {
        var copied = 0
        var total = 0
        while total < length,
            submit_copy_range(descriptor, source, offset + Int64(total), length - total, &copied) == 0, copied > 0
        {
            total += copied
        }
        return total
    }

    private func copyThrough(
        _ buffer: UnsafeMutableRawBufferPointer, from bytes: any MediaBytes, _ offset: Int64, _ length: Int
    ) throws(SubmitFailure) -> Int {
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(length, buffer.count)])
        let count = try bytes.read(into: piece, at: offset)
        guard count > 0 else { throw damaged(bytes) }
        try SubmitFailure.at(folder.path, needed: bytes.size - offset) { () throws(Errno) in
            try write(piece.baseAddress!, count, at: offset)
        }
        return count
    }

    func write(_ bytes: UnsafeRawPointer, _ count: Int, at offset: Int64) throws(Errno) {
        var written = 0
        while written < count {
            let result = pwrite(descriptor, bytes + written, count - written, Int(offset) + written)
            if result > 0 {
                written += result
            } else if result == 0 || errno != EINTR {
                throw result == 0 ? .ioError : Errno(rawValue: errno)
            }
        }
    }

    /// Lets the disk begin with what is written, and the writer run only two chunks ahead of it: what is still to be
    /// written at the end is little, so that nobody waits long for this file and cancelling stays prompt. What the disk
    /// has was read back by then, and leaves memory: pages that come back at once are quicker to fill than fresh ones.
    private func keepPace(_ offset: Int64, _ count: Int64) throws(SubmitFailure) {
        guard offset + count >= Int64(Self.chunk) else { return }
        _ = submit_start_writing(descriptor, offset, count)
        let behind = offset - 2 * Int64(Self.chunk)
        guard behind >= 0 else { return }
        let error = submit_finish_writing(descriptor, behind, count)
        guard [0, ESPIPE, EINVAL, ENOSYS, EOPNOTSUPP].contains(error) else {
            throw .file(Errno(rawValue: error), folder.path, needed: count)
        }
        posix_fadvise(descriptor, Int(behind), Int(count), POSIX_FADV_DONTNEED)
    }

    /// Gives the file the item's modification time, and the permissions any new file gets.
    ///
    /// - Parameter source: the open file that it is a copy of, where there is one: whoever may not read or write that gets
    ///   no right to the copy. Its owner may read and write the copy in any case, and nobody may execute it.
    func stamp(modified: Timestamp, asCopyOf source: CInt? = nil) throws(SubmitFailure) {
        let timeError = submit_set_modification_time(descriptor, modified.seconds, modified.nanosecondsOfSecond)
        var original = stat()
        let isKnown = source.map { fstat($0, &original) == 0 } ?? false
        let most = isKnown ? original.st_mode | 0o600 : 0o666
        let permissionError = fchmod(descriptor, Self.permissions & most) == 0 ? 0 : errno
        // A file system without such times or permissions is no reason to refuse a photo.
        let none = [0, EPERM, EACCES, ENOENT, EINVAL, ENOSYS, EOPNOTSUPP]
        for error in [timeError, permissionError] where !none.contains(error) {
            throw .file(Errno(rawValue: error), folder.path)
        }
    }

    /// Asked of /proc, because umask(2) cannot be read without changing it for all threads.
    private static let permissions: mode_t = {
        var mask: mode_t = 0o022
        if let status = try? FileDescriptor.open("/proc/self/status", .readOnly) {
            defer { try? status.close() }
            var text = [UInt8](repeating: 0, count: 4096)
            let count = (try? text.withUnsafeMutableBytes { try status.read(into: $0) }) ?? 0
            let lines = String(decoding: text.prefix(count), as: UTF8.self).split(separator: "\n")
            let line = lines.first { $0.hasPrefix("Umask:") }
            mask = line.flatMap { mode_t($0.dropFirst(6).filter(\.isNumber), radix: 8) } ?? mask
        }
        return 0o666 & ~mask
    }()

    private func damaged(_ bytes: any MediaBytes) -> SubmitFailure {
        do throws(SubmitFailure) {
            try bytes.verifyUnchanged()
        } catch {
            return error
        }
        return SubmitFailure(
            .retry(after: nil), code: "damaged",
            message:
                "The copy in “\(folder.path)” differs from the original; it was removed; try again, and check that disk if it stays so."
        )
    }

    // MARK: - Name

    /// Gives the file its final name.
    ///
    /// - Returns: false if the name is taken; with `replacing` by somebody who came meanwhile.
    func rename(to final: String, replacing: Bool) throws(SubmitFailure) -> Bool {
        // Whoever took over writes under the temporary name now: that file is not ours to rename.
        guard !wasTakenOver else { throw takenOver }
        try close()
        let isRenamed = try SubmitFailure.at("\(folder.path)/\(final)") { () throws(Errno) in
            do throws(Errno) {
                guard replacing else { return try ExclusiveRename.rename(in: folder.descriptor, name, to: final) }
                return try ExclusiveRename.replace(in: folder.descriptor, name, to: final, aside: aside)
            } catch .noSuchFileOrDirectory where isInFolder {
                // So exFAT by FUSE calls a name that it does not take.
                throw .invalidArgument
            }
        }
        isThere = !isRenamed
        // It may have been linked, and not told so.
        if isThere { closed = try? FileContent.seen(name, in: folder) }
        return isRenamed
    }

    private var takenOver: SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "taken-over",
            message: "Another process writes the same copy into “\(folder.path)”; it is tried again.")
    }
}

/// Memory to copy through where the kernel cannot.
private final class ReadWriteBuffer {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
    deinit { bytes.deallocate() }
}
