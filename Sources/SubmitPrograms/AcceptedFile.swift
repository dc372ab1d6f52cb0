public import Submit
internal import SubmitDigest
internal import SubmitPlatform
internal import SystemPackage

/// A path that leads to the accepted bytes, for a program to open.
public final class AcceptedFile: Sendable {
    public let path: String
    private let folder: PrivateFolder?

    /// The original's own path as long as that leads to the file that was accepted; else the descriptor's, which still
    /// does. Bytes without a file are copied into one that only we may read, which goes with this value.
    ///
    /// Whether the own path still led there when the program opened it is for ``MediaBytes/verifyUnchanged()`` of a host
    /// to find: it told the path.
    public init(_ item: MediaItem, _ bytes: any MediaBytes) throws(SubmitFailure) {
        if let accepted = AcceptedPath(item, bytes) {
            folder = nil
            path = accepted.text
            return
        }
        let folder = try PrivateFolder()
        self.folder = folder
        path = folder.path(item.name)
        try Self.copy(item, bytes, to: path)
    }

    /// A copy of this name that only we may read, which goes with this value. It is the item by its SHA-256.
    public init(copying item: MediaItem, _ bytes: any MediaBytes, named name: String) throws(SubmitFailure) {
        let folder = try PrivateFolder()
        self.folder = folder
        path = folder.path(name)
        try Self.copy(item, bytes, to: path)
    }

    private static func copy(_ item: MediaItem, _ bytes: any MediaBytes, to path: String) throws(SubmitFailure) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .noPrivateCopy(item.name, errno) }
        defer { close(file) }
        let digests = try Digests.reading([.sha256], size: bytes.size) { (buffer, offset) throws(SubmitFailure) in
            var filled = 0
            while filled < buffer.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                let count = try bytes.read(into: rest, at: offset + Int64(filled))
                if count == 0 { break }
                filled += count
            }
            var written = 0
            while written < filled {
                let result = write(file, buffer.baseAddress! + written, filled - written)
                if result > 0 { written += result } else if errno != EINTR { throw .noPrivateCopy(item.name, errno) }
            }
            return filled
        }
        var status = stat()
        fstat(file, &status)
        guard Int64(status.st_size) == item.size, digests[.sha256] == item.digests[.sha256] else {
            try bytes.verifyUnchanged()
            throw SubmitFailure(
                .retry(after: nil), code: "source-short",
                message: "“\(item.name)” is not what was accepted, or could not be read to its end; try again.")
        }
    }
}

/// A folder for a program's files that nobody else may look into. It goes with this value, and what is in it.
public final class PrivateFolder: Sendable {
    public let path: String

    /// - Throws: where there is no room for it.
    public init() throws(SubmitFailure) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var name = Array("\(parent)/submit-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw .noPrivateCopy("A folder", errno) }
        path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The path of something in it.
    public func path(_ name: String) -> String { "\(path)/\(name)" }

    deinit { Self.remove(path) }

    private static func remove(_ folder: String) {
        if let stream = opendir(folder) {
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name == "." || name == ".." { continue }
                if unlink("\(folder)/\(name)") != 0, errno == EISDIR || errno == EPERM { remove("\(folder)/\(name)") }
            }
            closedir(stream)
        }
        rmdir(folder)
    }
}

extension SubmitFailure {
    fileprivate static func noPrivateCopy(_ name: String, _ error: CInt) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "no-copy",
            message:
                "“\(name)” could not be written for the program (\(Errno(rawValue: error))): make room in $TMPDIR or /tmp."
        )
    }
}
