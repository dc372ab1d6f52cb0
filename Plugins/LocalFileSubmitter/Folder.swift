internal import CLinux
internal import Submit
internal import SubmitPlatform
internal import SystemPackage

/// An open folder, at or below the destination's root.
///
/// Everything below the root is reached from here, one name at a time and never through a symbolic link, so that no
/// album and no template can lead out of it. The root itself may be a link.
final class Folder: Sendable {
    /// What tells files and folders apart while they are open.
    struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }

        init(of descriptor: CInt) {
            var status = stat()
            fstat(descriptor, &status)
            self.init(status)
        }
    }

    let descriptor: CInt
    /// The folder it was opened from; `nil` for the root.
    let parent: Folder?
    /// For sentences.
    let path: String
    let identity: Identity
    /// One call writes all that its file system has to disk, and promises as much as one for each file.
    let syncsTogether: Bool

    var device: UInt64 { identity.device }

    /// The root that it was reached from.
    var root: Folder { parent?.root ?? self }

    private init(descriptor: CInt, parent: Folder?, path: String) throws(Errno) {
        self.descriptor = descriptor
        self.parent = parent
        self.path = path
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let error = Errno(rawValue: errno)
            close(descriptor)
            throw error
        }
        identity = Identity(status)
        // Another one may be mounted below.
        if let parent, parent.identity.device == identity.device {
            syncsTogether = parent.syncsTogether
        } else {
            syncsTogether = submit_can_sync_file_system(descriptor) != 0
        }
    }

    deinit { close(descriptor) }

    /// Opens the destination's root. `creates`: makes it, and what is missing above it, durably.
    static func root(_ path: String, creates: Bool) throws(Errno) -> Folder {
        var descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT, creates {
            try make(path)
            descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        return try Folder(descriptor: descriptor, parent: nil, path: path)
    }

    private static func make(_ path: String) throws(Errno) {
        guard mkdir(path, 0o777) != 0 else { return try syncParent(of: path) }
        guard errno != EEXIST else { return }
        guard errno == ENOENT, let parent = parentPath(path) else { throw Errno(rawValue: errno) }
        try make(parent)
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
        try syncParent(of: path)
    }

    private static func syncParent(of path: String) throws(Errno) {
        guard let parent = parentPath(path) else { return }
        let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        try Durability.sync(folder: descriptor)
    }

    /// `nil` for `/`.
    static func parentPath(_ path: String) -> String? {
        let path = FilePath(path)
        let parent = path.removingLastComponent()
        return parent == path || parent.isEmpty ? nil : parent.string
    }

    /// Opens a folder in this one; `nil` if it is not there and `creates` is false.
    func folder(_ name: String, creates: Bool) throws(Errno) -> Folder? {
        guard !name.utf8.contains(UInt8(ascii: "/")), name != ".." else { throw .invalidArgument }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        var child = openat(descriptor, name, flags, 0)
        if child < 0, errno == ENOENT {
            guard creates else { return nil }
            let isMade = mkdirat(descriptor, name, 0o777) == 0
            guard isMade || errno == EEXIST else { throw Errno(rawValue: errno) }
            child = openat(descriptor, name, flags, 0)
            // Another name is taken for this one, and does not lead there: FAT with names in UTF-8.
            if child < 0, errno == ENOENT, !isMade { throw .fileExists }
        }
        guard child >= 0 else { throw Errno(rawValue: errno) }
        return try Folder(descriptor: child, parent: self, path: "\(path)/\(name)")
    }

    /// Keeps out others of this computer who lock the folder too, as far as there are locks here. Who keeps it for long is
    /// not waited for.
    func lock() {
        var tries = 0
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0, [EWOULDBLOCK, EINTR].contains(errno), tries < 40 {
            tries += 1
            usleep(50_000)
        }
    }

    func unlock() { flock(descriptor, LOCK_UN) }

    /// Writes to disk which names are in this folder, and in those above it up to the root.
    ///
    /// - Parameter synced: those of which that is known.
    func sync(besides synced: inout Set<Identity>) throws(Errno) {
        var next: Folder? = self
        while let folder = next {
            if !synced.contains(folder.identity) { try Durability.sync(folder: folder.descriptor) }
            synced.insert(folder.identity)
            next = folder.parent
        }
    }

    /// The names in this folder that do not begin with a dot.
    func visibleNames() throws(Errno) -> [String] { try names().filter { !$0.hasPrefix(".") } }

    /// All names in this folder.
    func names() throws(Errno) -> [String] {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard copy >= 0 else { throw Errno(rawValue: errno) }
        guard let stream = fdopendir(copy) else {
            let error = Errno(rawValue: errno)
            close(copy)
            throw error
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw Errno(rawValue: errno) }
        return names
    }
}
