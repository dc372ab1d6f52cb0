internal import Submit
internal import SubmitDigest
internal import SubmitPlatform
internal import SubmitTransfer
internal import SystemPackage

/// Comparing what is stored with what should be.
enum FileContent {
    enum Comparison {
        case missing
        /// The same bytes, in this open file.
        case same(OpenFile)
        /// Other bytes, or no regular file.
        case different(Difference, OtherContent)
        /// What it holds is not ours to read.
        case unreadable(Errno)

        var isMissing: Bool { if case .missing = self { true } else { false } }
    }

    /// Looks at what a name in a folder holds.
    static func compare(
        _ name: String, in folder: Folder, with item: MediaItem
    ) throws(SubmitFailure) -> Comparison {
        let path = "\(folder.path)/\(name)"
        var status = stat()
        guard fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return .missing }
            throw .file(Errno(rawValue: errno), path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return .different(.kind, .noFile) }
        guard status.st_size == Int(item.size) else {
            return .different(.size, OtherContent(size: Int64(status.st_size)))
        }
        let descriptor = openat(folder.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return .missing
            case EACCES, EPERM: return .unreadable(Errno(rawValue: errno))
            case ELOOP: return .different(.kind, .noFile)
            default: throw .file(Errno(rawValue: errno), path)
            }
        }
        let file = OpenFile(descriptor)
        let digest = try sha256(descriptor, size: item.size, path)
        // A disk that answers no more says nothing of what it holds.
        guard fstat(descriptor, &status) == 0 else { throw .file(Errno(rawValue: errno), path) }
        guard digest == item.digests[.sha256], status.st_size == Int(item.size) else {
            return .different(.digest, OtherContent(size: Int64(status.st_size), sha256: digest))
        }
        return .same(file)
    }

    /// By which a file that was looked at is known to be the same, and unchanged.
    struct Seen {
        let identity: Folder.Identity
        private let size: Int
        private let times: [Int]

        fileprivate init(_ status: stat) {
            identity = Folder.Identity(status)
            size = status.st_size
            times = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
        }

        var isEmpty: Bool { size == 0 }

        /// Some file systems give a file another number at each look; exact times are enough for them.
        func isUnchanged(_ now: Seen) -> Bool {
            size == now.size && times == now.times && (identity == now.identity || times[3] != 0)
        }

        /// The same file with the same bytes; it may have got another name since.
        func isSameFile(_ now: Seen) -> Bool {
            identity == now.identity && size == now.size && times[..<2] == now.times[..<2]
        }
    }

    /// A regular file, and no link; `nil` where there is none.
    static func seen(_ name: String, in folder: Folder) throws(Errno) -> Seen? {
        var status = stat()
        guard fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw Errno(rawValue: errno)
        }
        return status.st_mode & S_IFMT == S_IFREG ? Seen(status) : nil
    }

    /// The same of an open file.
    static func seen(_ descriptor: CInt) -> Seen? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Seen(status) : nil
    }

    /// The SHA-256 of a file's first `size` bytes.
    static func sha256(
        _ descriptor: CInt, size: Int64, _ path: String
    ) throws(SubmitFailure) -> [UInt8]? {
        try Digests.reading([.sha256], size: size) { (buffer, offset) throws(SubmitFailure) in
            try SubmitFailure.at(path) { () throws(Errno) in try read(descriptor, into: buffer, at: offset) }
        }[.sha256]
    }

    /// The same into bytes.
    static func read(_ descriptor: CInt, into bytes: inout [UInt8], at offset: Int64) throws(Errno) -> Int {
        let result = bytes.withUnsafeMutableBytes { (buffer) -> Result<Int, Errno> in
            Result { () throws(Errno) in try read(descriptor, into: buffer, at: offset) }
        }
        return try result.get()
    }

    /// Fills the buffer, or stops at the file's end.
    ///
    /// - Returns: how many bytes there were.
    static func read(
        _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(Errno) -> Int {
        var total = 0
        while total < buffer.count {
            let count = pread(descriptor, buffer.baseAddress! + total, buffer.count - total, Int(offset) + total)
            if count == 0 { break }
            if count > 0 {
                total += count
            } else if errno != EINTR {
                throw Errno(rawValue: errno)
            }
        }
        return total
    }
}

/// A descriptor that is closed when no one needs it.
final class OpenFile {
    let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}

extension OtherContent {
    /// Not a file, so never the item.
    fileprivate static let noFile = OtherContent(sha256: [])
}
