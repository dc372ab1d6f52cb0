internal import CLinux
internal import Submit
internal import SubmitPlatform
internal import SubmitStore
internal import SystemPackage

/// A folder of the owner's, where what arrives is kept for good under names that people know.
///
/// All of it blocks its thread.
struct KeepFolder {
    typealias Fault = IncomingFolder.Fault

    private let path: FilePath

    init(_ path: FilePath) { self.path = path }

    /// Gives a file a name here, or a copy of it where it is on another disk. Nothing is replaced, and the file stays. On return
    /// all of it is on disk. Asked again it gives the same, as long as the file is the same.
    func take(_ source: FilePath, named name: String, _ id: IncomingFileID) throws(Fault) -> FilePath {
        if mkdir(path.string, 0o755) == 0 {
            try Self.sync(path.removingLastComponent())
        } else if errno != EEXIST {
            throw Fault(number: errno)
        }
        let folder = open(path.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Fault(number: errno) }
        defer { close(folder) }
        for number in 0..<10_000 {
            let candidate = number == 0 ? name : FileName(name).numbered(number)
            if link(source.string, path.appending(candidate).string) == 0 || isSame(source, candidate) {
                if fsync(folder) != 0 { throw Fault(number: errno) }
                return path.appending(candidate)
            }
            switch errno {
            case EEXIST: continue
            // Another disk, one without such names, or one that lets nobody link what is not his.
            case EXDEV, EPERM, EOPNOTSUPP, EMLINK: return try copy(source, named: name, id, folder)
            case let error: throw Fault(number: error)
            }
        }
        throw Fault(number: EEXIST)
    }

    private static func sync(_ folder: FilePath) throws(Fault) {
        let descriptor = open(folder.isEmpty ? "." : folder.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Fault(number: errno) }
        defer { close(descriptor) }
        if fsync(descriptor) != 0 { throw Fault(number: errno) }
    }

    /// Takes a name away again that a file was given, where it is still that file's.
    static func remove(_ kept: FilePath, ifSameAs source: FilePath) {
        var (one, other) = (stat(), stat())
        guard lstat(kept.string, &one) == 0, lstat(source.string, &other) == 0, one.st_ino == other.st_ino,
            one.st_dev == other.st_dev
        else { return }
        unlink(kept.string)
    }

    /// Whether somebody has given the file this name, as one did who was killed afterwards. Leaves `errno` as it is.
    private func isSame(_ source: FilePath, _ name: String) -> Bool {
        let error = errno
        defer { errno = error }
        var (one, other) = (stat(), stat())
        guard error == EEXIST, lstat(source.string, &one) == 0, lstat(path.appending(name).string, &other) == 0 else {
            return false
        }
        return one.st_ino == other.st_ino && one.st_dev == other.st_dev
    }

    private func copy(
        _ source: FilePath, named name: String, _ id: IncomingFileID, _ folder: CInt
    ) throws(Fault) -> FilePath {
        let unfinished = ".submit-\(id.rawValue)"
        let input = open(source.string, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard input >= 0 else { throw Fault(number: errno) }
        defer { close(input) }
        // One that was killed may have left it.
        unlinkat(folder, unfinished, 0)
        let output = openat(folder, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard output >= 0 else { throw Fault(number: errno) }
        defer { close(output) }
        do throws(Fault) {
            var status = stat()
            guard fstat(input, &status) == 0 else { throw Fault(number: errno) }
            try Self.copyBytes(input, output)
            _ = submit_set_modification_time(output, Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec))
            if fsync(output) != 0 { throw Fault(number: errno) }
            for number in 0..<10_000 {
                let candidate = number == 0 ? name : FileName(name).numbered(number)
                switch submit_rename_exclusive(folder, unfinished, candidate) {
                case 0:
                    if fsync(folder) != 0 { throw Fault(number: errno) }
                    return path.appending(candidate)
                case EEXIST: continue
                case let error: throw Fault(number: error)
                }
            }
            throw Fault(number: EEXIST)
        } catch {
            unlinkat(folder, unfinished, 0)
            throw error
        }
    }

    private static func copyBytes(_ input: CInt, _ output: CInt) throws(Fault) {
        let size = 1 << 20
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(input, buffer.baseAddress, size)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw Fault(number: errno) }
            if count == 0 { return }
            var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            while !rest.isEmpty {
                let written = write(output, rest.baseAddress, rest.count)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw Fault(number: written < 0 ? errno : EIO) }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            }
        }
    }
}
