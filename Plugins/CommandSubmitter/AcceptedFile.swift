internal import Glibc
internal import Submit
internal import SystemPackage

/// A path that leads to the accepted bytes, for a program to open.
///
/// It is the original's own path as long as that leads to the file that was accepted; else the descriptor's, which still
/// does. Bytes without a file are copied into one that only we may read, which goes with this value.
final class AcceptedFile: Sendable {
    let path: String
    private let folder: String?

    init(_ item: MediaItem, _ bytes: any MediaBytes) throws(SubmitFailure) {
        if let descriptor = bytes.fileDescriptor {
            folder = nil
            path = Self.leads(item.source, to: descriptor) ? item.source.string : "/proc/\(getpid())/fd/\(descriptor)"
            return
        }
        var name = Array("\(Self.temporaryFolder)/submit-to-command-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw Self.failure(item, errno) }
        let folder = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.folder = folder
        path = "\(folder)/\(item.name)"
        do throws(SubmitFailure) {
            try Self.copy(item, bytes, to: path)
        } catch {
            Self.remove(folder, path)
            throw error
        }
    }

    deinit {
        if let folder { Self.remove(folder, path) }
    }

    private static var temporaryFolder: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    private static func leads(_ path: FilePath, to descriptor: CInt) -> Bool {
        var (there, accepted) = (stat(), stat())
        // What is not UTF-8 cannot be put into a word.
        guard path.withPlatformString({ stat($0, &there) }) == 0, fstat(descriptor, &accepted) == 0,
            FilePath(path.string) == path
        else { return false }
        return there.st_dev == accepted.st_dev && there.st_ino == accepted.st_ino
    }

    private static func copy(_ item: MediaItem, _ bytes: any MediaBytes, to path: String) throws(SubmitFailure) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(item, errno) }
        defer { close(file) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while offset < bytes.size {
            if Task.isCancelled { throw .cancelled }
            let count = try bytes.read(into: buffer, at: offset)
            guard count > 0 else {
                throw SubmitFailure(
                    .retry(afterMilliseconds: nil), code: "source-short",
                    "“\(item.name)” ended at \(offset) of \(bytes.size) bytes; try again.")
            }
            var written = 0
            while written < count {
                let result = write(file, buffer.baseAddress! + written, count - written)
                if result > 0 { written += result } else if errno != EINTR { throw failure(item, errno) }
            }
            offset += Int64(count)
        }
    }

    private static func failure(_ item: MediaItem, _ error: CInt) -> SubmitFailure {
        SubmitFailure(
            .retry(afterMilliseconds: nil), code: "no-copy",
            "“\(item.name)” could not be copied to “\(temporaryFolder)” for the program "
                + "(\(Errno(rawValue: error))); make room there.")
    }

    private static func remove(_ folder: String, _ path: String) {
        unlink(path)
        rmdir(folder)
    }
}
