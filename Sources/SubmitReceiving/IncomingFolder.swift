internal import CLinux
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SubmitStore
internal import SystemPackage

/// Where bytes of strangers lie: the manager's spool, which only its owner can read. Each file is called by an id of ours.
///
/// All of it blocks its thread.
struct IncomingFolder: Sendable {
    /// The number of an error of the system.
    struct Fault: Error {
        let number: CInt
    }

    let path: FilePath
    /// So many bytes stay free.
    let floor: Int64
    private let prefix: String
    private let isMade = Locked(false)

    init(_ path: FilePath, floor: Int64) {
        self.path = path
        prefix = path.string + "/"
        self.floor = floor
    }

    func file(_ id: IncomingFileID) -> FilePath { path.appending(id.rawValue) }

    /// The file that a path of this folder is; `nil` for all others. It is asked for with each event, and takes no path apart.
    func id(of file: FilePath) -> IncomingFileID? {
        file.withPlatformString { name in
            guard strncmp(name, prefix, prefix.utf8.count) == 0 else { return nil }
            let rest = name + prefix.utf8.count
            return strlen(rest) == 32 && strchr(rest, CInt(UInt8(ascii: "/"))) == nil
                ? IncomingFileID(rawValue: String(cString: rest)) : nil
        }
    }

    /// - Throws: `ENOSPC` where there is no room for a file.
    func prepare(for room: Int64?) throws(Fault) {
        try makeFolder()
        try checkRoom(for: room ?? 0)
    }

    /// Makes a file, with room for all that is to come. Its name is on disk for good after ``syncNames()``.
    func make(_ id: IncomingFileID, room: Int64?) throws(Fault) {
        try prepare(for: room)
        let name = file(id).string
        let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Fault(number: errno) }
        defer { close(descriptor) }
        do throws(Fault) {
            if let room { try Self.reserve(descriptor, room) }
        } catch {
            unlink(name)
            throw error
        }
    }

    /// The names of all files that were made are on disk when this returns.
    func syncNames() throws(Fault) {
        do throws(Fault) {
            try sync(path)
        } catch {
            // All are kept elsewhere.
            if error.number != ENOENT { throw error }
        }
    }

    /// Takes room for the first bytes of a file. Where its file system cannot, what is free now has to do.
    static func reserve(_ descriptor: CInt, _ room: Int64) throws(Fault) {
        if room == 0 { return }
        switch submit_reserve(descriptor, room) {
        case 0, EOPNOTSUPP, ENOSYS, EINVAL: return
        case let error: throw Fault(number: error)
        }
    }

    /// - Throws: `ENOSPC` where less than the floor would be left.
    func checkRoom(for bytes: Int64) throws(Fault) {
        var status = statvfs()
        guard statvfs(path.string, &status) == 0 else { throw Fault(number: errno) }
        let free = Int64(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
        if free - floor < bytes { throw Fault(number: ENOSPC) }
    }

    private func makeFolder() throws(Fault) {
        if isMade.withLock({ $0 }) { return }
        if mkdir(path.string, 0o700) != 0, errno != EEXIST { throw Fault(number: errno) }
        var status = stat()
        guard lstat(path.string, &status) == 0 else { throw Fault(number: errno) }
        // Somebody else's, or a link to anywhere, is no place for what strangers send.
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw Fault(number: EPERM)
        }
        // Whoever made it may have died before it was on disk.
        try sync(path.removingLastComponent())
        isMade.withLock { $0 = true }
    }

    private func sync(_ folder: FilePath) throws(Fault) {
        let descriptor = open(folder.isEmpty ? "." : folder.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Fault(number: errno) }
        defer { close(descriptor) }
        if fsync(descriptor) != 0 { throw Fault(number: errno) }
    }

    func remove(_ id: IncomingFileID) { unlink(file(id).string) }

    /// What is there, with the bytes that each takes.
    func contents() -> [(id: IncomingFileID, bytes: Int64)] {
        guard let stream = opendir(path.string) else { return [] }
        defer { closedir(stream) }
        var found: [(id: IncomingFileID, bytes: Int64)] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            guard let id = id(of: path.appending(name)), lstat(file(id).string, &status) == 0 else { continue }
            found.append((id, Int64(status.st_blocks) * 512))
        }
        return found
    }
}
