public import Submit
internal import SubmitPlatform
public import SystemPackage

/// The files that the paths on a command line mean: themselves, and those below them.
///
/// Directories are read in byte order of their names, one at a time. Hidden entries (`.name`) below a named directory
/// are ignored, links to directories are not followed, links to files are.
public struct FileWalk: Sequence, IteratorProtocol {
    /// What a walk comes upon.
    public enum Entry: Sendable {
        /// A regular file, of so many bytes now. `named`: the user wrote this very path.
        case file(FilePath, size: Int64, named: Bool)
        /// A path that cannot be used, with a sentence that says why.
        case refused(FilePath, SubmitFailure)
    }

    private var pending: [(path: FilePath, named: Bool)]
    private let journal: Set<FileNumber>

    /// - Parameters:
    ///   - paths: absolute ones.
    ///   - journal: the files of the journal that is open in this process. They are refused: when whoever read one of them
    ///     closed it, all locks that hold the journal together would be gone (fcntl(2)).
    init(_ paths: [FilePath], besides journal: Set<FileNumber>) {
        pending = paths.reversed().map { ($0, true) }
        self.journal = journal
    }

    /// - Parameter paths: absolute ones.
    public init(_ paths: [FilePath]) {
        self.init(paths, besides: [])
    }

    public mutating func next() -> Entry? {
        while let (path, named) = pending.popLast() {
            var status = stat()
            guard path.withPlatformString({ stat($0, &status) }) == 0 else {
                return .refused(path, Self.refusal(path, Errno(rawValue: errno)))
            }
            switch status.st_mode & S_IFMT {
            case S_IFREG:
                if journal.contains(FileNumber(status)) {
                    return .refused(
                        path,
                        SubmitFailure(
                            .giveUp, code: "own-journal",
                            message:
                                "“\(path)” is part of the journal of submit itself, and is not sent: copy it first and send the copy."
                        ))
                }
                return .file(path, size: Int64(status.st_size), named: named)
            case S_IFDIR:
                if !named && Self.isLink(path) { continue }
                do throws(Errno) {
                    pending += try Self.children(of: path).reversed().map { ($0, false) }
                } catch {
                    return .refused(path, Self.refusal(path, error))
                }
            default:
                if !named { continue }
                return .refused(
                    path,
                    SubmitFailure(
                        .giveUp, code: "not-a-file",
                        message: "“\(path)” is neither a file nor a folder: name the photos themselves."))
            }
        }
        return nil
    }

    /// What tells one file from any other.
    struct FileNumber: Hashable, Sendable {
        private let device: UInt64
        private let inode: UInt64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }

        /// - Returns: `nil` where there is none.
        init?(of path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            self.init(status)
        }
    }

    static func refusal(_ path: FilePath, _ error: Errno) -> SubmitFailure {
        switch error {
        case .noSuchFileOrDirectory, .notDirectory:
            SubmitFailure(.giveUp, code: "not-found", message: "“\(path)” does not exist: check its name.")
        case .permissionDenied, .notPermitted:
            SubmitFailure(.giveUp, code: "unreadable", message: "“\(path)” may not be read: check its permissions.")
        case .tooManySymbolicLinkLevels:
            SubmitFailure(
                .giveUp, code: "unreadable",
                message: "“\(path)” is a link that leads in a circle: name the file itself.")
        case .fileNameTooLong:
            SubmitFailure(
                .giveUp, code: "unreadable", message: "“\(path)” is longer than the system takes: check its name.")
        default:
            SubmitFailure(
                .giveUp, code: "unreadable", message: "“\(path)” cannot be read (\(error)): check the disk it is on.")
        }
    }

    private static func isLink(_ path: FilePath) -> Bool {
        var status = stat()
        return path.withPlatformString { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    private static func children(of folder: FilePath) throws(Errno) -> [FilePath] {
        guard let stream = folder.withPlatformString({ opendir($0) }) else { throw Errno(rawValue: errno) }
        defer { closedir(stream) }
        var names: [(name: FilePath.Component, key: [UInt8])] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                // A card that fails in the midst must not look like a short one.
                if errno != 0 { throw Errno(rawValue: errno) }
                break
            }
            // The name is as long as its record says, which the fixed-size array of the imported type does not tell.
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            if name.pointee == CChar(UInt8(ascii: ".")) { continue }
            guard let component = FilePath.Component(platformString: name) else { continue }
            names.append((component, Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))))
        }
        names.sort { $0.key.lexicographicallyPrecedes($1.key) }
        return names.map { folder.appending($0.name) }
    }
}
