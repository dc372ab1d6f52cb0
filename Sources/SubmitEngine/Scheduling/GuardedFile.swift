public import Submit
package import SubmitPlatform
public import SubmitStore
internal import SystemPackage

/// A source file whose reader gets what was accepted or a failure.
///
/// The file stays open as long as this value lives: a source that is deleted meanwhile can be sent to its end.
public final class GuardedFile: MediaBytes {
    public let size: Int64
    /// The file as it was when it was opened.
    public let identity: SourceIdentity

    private let descriptor: CInt
    private let path: FilePath

    /// Takes over an open descriptor.
    ///
    /// - Throws: when it is not a regular file.
    init(descriptor: CInt, path: FilePath) throws(SubmitFailure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let error = Errno(rawValue: errno)
            close(descriptor)
            throw Self.unseen(path, error)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw SubmitFailure(
                .giveUp, code: "not-a-file", message: "“\(path)” is not a file: name the photos themselves.")
        }
        self.descriptor = descriptor
        self.path = path
        identity = SourceIdentity(status)
        size = identity.size
    }

    deinit {
        close(descriptor)
    }

    /// Opens an accepted item's source.
    ///
    /// - Throws: with the code `source-vanished`, `source-denied`, `source-unreadable` or, when the size differs, `source-changed`.
    ///
    /// - Parameter followsLinks: false: a link is no source either, with the code `source-denied`.
    static func open(_ item: MediaItem, followsLinks: Bool = true) throws(SubmitFailure) -> GuardedFile {
        let descriptor = item.source.withPlatformString {
            Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
        }
        guard descriptor >= 0 else { throw openFailure(item, Errno(rawValue: errno)) }
        let file = try GuardedFile(descriptor: descriptor, path: item.source)
        guard file.size == item.size else {
            throw SubmitFailure(
                .sourceLost, code: "source-changed",
                message:
                    "“\(item.source)” is no longer what was accepted (it has \(file.size) bytes and had \(item.size)): "
                    + "submit it again to send it as it now is.")
        }
        return file
    }

    private static func openFailure(_ item: MediaItem, _ error: Errno) -> SubmitFailure {
        switch error {
        case .noSuchFileOrDirectory, .notDirectory:
            SubmitFailure(
                .sourceLost, code: "source-vanished",
                message:
                    "“\(item.source)” is no longer there: bring it back and try again, or submit it from its new place."
            )
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory:
            SubmitFailure(
                .retry(after: nil), code: "resources",
                message: "“\(item.source)” could not be opened now (\(error)): raise `ulimit -n`, or send less at once."
            )
        case .permissionDenied, .notPermitted, .tooManySymbolicLinkLevels, .fileNameTooLong:
            SubmitFailure(
                .giveUp, code: "source-denied",
                message: "“\(item.source)” can no longer be read (\(error)): mend that and try again.")
        // A share or a disk may answer again.
        default:
            SubmitFailure(
                .retry(after: nil), code: "source-unreadable",
                message: "“\(item.source)” could not be opened (\(error)): check the disk it is on.")
        }
    }

    public var fileDescriptor: CInt? { descriptor }

    /// Its marks at this moment.
    var marks: SourceIdentity? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? SourceIdentity(status) : nil
    }

    /// Whether a program is still writing it.
    ///
    /// - Parameter keepsLease: as far as the kernel can, it keeps others from writing it until ``releaseLease()``.
    func isWritten(by writers: FileWriters, keepsLease: Bool = false) -> Bool {
        writers.isWriting(descriptor, path, identity, keepsLease: keepsLease)
    }

    func releaseLease() { FileLease.release(descriptor) }

    /// Who may read and write it.
    var permissions: mode_t {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_mode & 0o777 : 0o600
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        let wanted = Int(min(Int64(buffer.count), max(0, size - offset)))
        var filled = 0
        while filled < wanted {
            let count = pread(
                descriptor, buffer.baseAddress?.advanced(by: filled), wanted - filled, off_t(offset) + off_t(filled))
            if count > 0 {
                filled += count
            } else if count == 0 {
                throw changed("it shrank while it was read")
            } else if errno != EINTR {
                throw Self.unread(path, Errno(rawValue: errno))
            }
        }
        // After reading, never before: whoever gets the last byte has got all of them from the accepted file.
        if offset + Int64(filled) == size { try verifyUnchanged() }
        return filled
    }

    public func verifyUnchanged() throws(SubmitFailure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.unseen(path, Errno(rawValue: errno)) }
        let now = SourceIdentity(status)
        if now.size != size {
            throw changed(now.size < size ? "it shrank while it was sent" : "it grew while it was sent")
        }
        if now.modified != identity.modified || isRewritten(now) {
            throw changed("it was written to while it was sent")
        }
    }

    /// Whether something was done to it besides taking away its name, which can be done to a source that is sent to its end:
    /// it may have been written to, and its time set back.
    private func isRewritten(_ now: SourceIdentity) -> Bool { now.changed != identity.changed && isStillInPlace }

    private static func unread(_ path: FilePath, _ error: Errno) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "source-unreadable",
            message: "“\(path)” could not be read (\(error)): check the disk it is on.")
    }

    private static func unseen(_ path: FilePath, _ error: Errno) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "source-unreadable",
            message: "“\(path)” could not be looked at (\(error)): check the disk it is on.")
    }

    /// Throws if more can be read than the file system tells, as of what it makes up when it is read, or counts in 32 bits:
    /// only a part would be sent.
    func verifySize() throws(SubmitFailure) {
        var (byte, count) = (UInt8(0), -1)
        repeat { count = pread(descriptor, &byte, 1, off_t(size)) } while count < 0 && errno == EINTR
        guard count >= 0 else { throw Self.unread(path, Errno(rawValue: errno)) }
        if count == 0 { return }
        try verifyUnchanged()
        throw SubmitFailure(
            .giveUp, code: "unknown-size",
            message:
                "“\(path)” has more bytes than its file system tells (\(size)): copy it to another disk and submit that."
        )
    }

    /// Nothing, or another file, has the name by now; as far as can be told where numbers of files change at each look.
    var isGone: Bool {
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else { return [ENOENT, ENOTDIR].contains(errno) }
        let now = SourceIdentity(status)
        return now.inode != identity.inode && (now.size != size || now.modified != identity.modified)
    }

    /// The name still leads to this file.
    var isStillInPlace: Bool {
        var status = stat()
        return path.withPlatformString { stat($0, &status) } == 0 && status.st_ino == identity.inode
            && UInt64(status.st_dev) == identity.device
    }

    /// Whether what changed is only the marks and not the bytes is found out by the next attempt, before it sends any.
    private func changed(_ how: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: .zero), code: "source-changed",
            message: "“\(path)” is no longer what was accepted (\(how)): submit it again to send it as it now is.")
    }
}

extension SourceIdentity {
    package init(_ status: stat) {
        self.init(
            size: Int64(status.st_size),
            modified: Timestamp(seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int64(status.st_mtim.tv_nsec)),
            changed: Timestamp(seconds: Int64(status.st_ctim.tv_sec), nanoseconds: Int64(status.st_ctim.tv_nsec)),
            inode: UInt64(status.st_ino), device: UInt64(status.st_dev))
    }

    /// Whether a file that is not found may lie on a disk that is not mounted now: the innermost of its folders that is there is
    /// on another one.
    func isOfAbsentDisk(_ path: FilePath) -> Bool {
        var folder = path.removingLastComponent()
        while true {
            var status = stat()
            if folder.withPlatformString({ stat($0, &status) }) == 0 { return UInt64(status.st_dev) != device }
            guard folder.removeLastComponent() else { return false }
        }
    }
}
