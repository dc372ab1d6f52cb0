public import Submit
internal import SubmitPlatform
public import SystemPackage

/// The files that the paths on a command line mean: themselves, and those below them.
///
/// Directories are read in the order of their names, `IMG_9` before `IMG_10`, one at a time. Everything below a named
/// directory that is no directory itself is told of, as a file, as left behind or as refused. Links to files are followed.
public struct FileWalk: Sequence, IteratorProtocol {
    /// What a walk comes upon.
    public enum Entry: Sendable {
        /// A regular file, with its marks now. `named`: the user wrote this very path.
        case file(FilePath, SourceIdentity, named: Bool)
        /// Something below a named folder that is not taken.
        case leftBehind(LeftBehind)
        /// A path that cannot be used, with a sentence that says why.
        case refused(FilePath, SubmitFailure)
    }

    /// What a walk goes into besides.
    public struct Reach: Sendable, Hashable, Codable {
        /// Links to directories are followed; a directory that was walked by one name is not walked by another.
        public var followsLinks: Bool
        /// Hidden entries (`.name`) below a named directory are taken, but for those of ``LeftBehind/Reason/system``.
        public var takesHidden: Bool

        /// Neither, where nothing is given.
        public init(followsLinks: Bool = false, takesHidden: Bool = false) {
            self.followsLinks = followsLinks
            self.takesHidden = takesHidden
        }
    }

    private struct Pending {
        var path: FilePath
        var isNamed = false
        /// Everything there and below is left behind, for this reason.
        var leftBehind: LeftBehind.Reason?
        /// The outermost folder above it that is left as a whole.
        var outermost: FilePath?
        /// So many bytes of the path, and what separates them from the rest, are what was named.
        var base = 0
        /// Where no rule matches it, it is taken.
        var isTaken = true
    }

    private var pending: [Pending]
    private let reach: Reach
    private let filter: SourceFilter
    private let journal: Set<FileNumber>
    private let takesPreviews: Bool
    private var copies: CopyFolders
    /// The directories that were walked, where links to them are followed.
    private var walked: Set<FileNumber> = []
    private var all: NamedPaths

    /// - Parameters:
    ///   - paths: absolute ones.
    ///   - reach: what it goes into besides.
    ///   - filter: what of it is meant.
    ///   - journal: the files of the journal that is open in this process. They are refused: when whoever read one of them
    ///     closed it, all locks that hold the journal together would be gone (fcntl(2)).
    ///   - takesPreviews: what is left behind as ``LeftBehind/Reason/preview`` is taken, too.
    ///   - copies: folders that are left out, unless they are named themselves.
    init(
        _ paths: [FilePath], _ reach: Reach = Reach(), _ filter: SourceFilter = SourceFilter(),
        besides journal: Set<FileNumber>, takesPreviews: Bool = false, leavingOut copies: CopyFolders = CopyFolders([])
    ) {
        all = NamedPaths(paths)
        self.takesPreviews = takesPreviews
        let isTaken = !filter.rules.takesNothingElse
        pending = all.paths.reversed().map { path in
            let isLeft = !takesPreviews && PreviewFiles.isCache(path)
            return Pending(path: path, isNamed: true, leftBehind: isLeft ? .preview : nil, isTaken: isTaken)
        }
        self.reach = reach
        self.filter = filter
        self.journal = journal
        self.copies = copies
    }

    /// - Parameters:
    ///   - paths: absolute ones.
    ///   - reach: what it goes into besides.
    ///   - filter: what of it is meant.
    public init(_ paths: [FilePath], _ reach: Reach = Reach(), _ filter: SourceFilter = SourceFilter()) {
        self.init(paths, reach, filter, besides: [])
    }

    public mutating func next() -> Entry? {
        while let next = pending.popLast() {
            if let entry = next.leftBehind == nil ? take(next) : leave(next) { return entry }
        }
        return nil
    }

    /// What a path means; `nil` for a directory, whose entries come next.
    private mutating func take(_ next: Pending) -> Entry? {
        let path = next.path
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else {
            return .refused(path, Self.refusal(path, Errno(rawValue: errno)))
        }
        if !next.isNamed, all.contains(path, status) { return nil }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        let verdict = verdict(of: next, isFolder: isFolder)
        if verdict == .leftOut { return excluded(next, isFolder: isFolder) }
        let isTaken = next.isTaken || verdict == .taken
        if !isTaken, !isFolder { return excluded(next, isFolder: false) }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            let identity = SourceIdentity(status)
            if !filter.takes(identity) { return excluded(next, isFolder: false) }
            guard journal.contains(FileNumber(status)) else { return .file(path, identity, named: next.isNamed) }
            return .refused(
                path,
                SubmitFailure(
                    .giveUp, code: "own-journal",
                    message:
                        "“\(path)” is part of the journal of submit itself, and is not sent: copy it first and send the copy."
                ))
        case S_IFDIR:
            if !next.isNamed, !reach.followsLinks, Self.isLink(path) {
                return .leftBehind(
                    LeftBehind(path: path, folder: path.removingLastComponent(), reason: .linkedFolder))
            }
            if !next.isNamed, copies.contains(path) {
                return .leftBehind(LeftBehind(path: path, folder: path, reason: .destination))
            }
            if reach.followsLinks, !walked.insert(FileNumber(status)).inserted { return nil }
            do throws(Errno) {
                let base = next.isNamed ? Self.length(of: path) : next.base
                pending += try Self.entries(of: path).reversed().map {
                    Pending(path: $0, leftBehind: reason($0), base: base, isTaken: isTaken)
                }
                return nil
            } catch {
                return .refused(path, Self.refusal(path, error))
            }
        default:
            if !next.isNamed {
                return .leftBehind(LeftBehind(path: path, folder: path.removingLastComponent(), reason: .special))
            }
            return .refused(
                path,
                SubmitFailure(
                    .giveUp, code: "not-a-file",
                    message: "“\(path)” is neither a file nor a folder: name the photos themselves."))
        }
    }

    /// Tells of what is left behind; `nil` for a directory, whose entries come next.
    private mutating func leave(_ next: Pending) -> Entry? {
        guard let reason = next.leftBehind else { return nil }
        let path = next.path
        var status = stat()
        let isThere = path.withPlatformString { lstat($0, &status) } == 0
        // What was named itself is taken by that name.
        if isThere, !next.isNamed, all.contains(path, status) { return nil }
        let isFolder = isThere && status.st_mode & S_IFMT == S_IFDIR
        let verdict = reason == .system ? nil : verdict(of: next, isFolder: isFolder)
        if verdict == .leftOut { return excluded(next, isFolder: isFolder) }
        let isTaken = next.isTaken || verdict == .taken
        if isFolder, let children = try? Self.entries(of: path) {
            // There may be very many folders below it.
            let outermost = next.outermost ?? path
            let base = next.isNamed ? Self.length(of: path) : next.base
            pending += children.reversed().map {
                Pending(path: $0, leftBehind: reason, outermost: outermost, base: base, isTaken: isTaken)
            }
            return nil
        }
        if !isTaken, reason != .system { return excluded(next, isFolder: false) }
        return .leftBehind(
            LeftBehind(path: path, folder: next.outermost ?? path.removingLastComponent(), reason: reason))
    }

    /// A directory is told of as one, and nothing below it is looked at.
    private func excluded(_ next: Pending, isFolder: Bool) -> Entry {
        let folder = isFolder ? next.path : next.path.removingLastComponent()
        return .leftBehind(LeftBehind(path: next.path, folder: next.outermost ?? folder, reason: .excluded))
    }

    /// What the filter's rules say by the name; a directory that was named is always meant.
    private func verdict(of next: Pending, isFolder: Bool) -> IgnoreRules.RuleVerdict? {
        if filter.rules.isEmpty || next.isNamed && isFolder { return nil }
        let relative = next.path.withPlatformString { path -> [UInt8] in
            let bytes = UnsafeRawBufferPointer(start: path, count: strlen(path))
            let start = next.isNamed ? bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0 : next.base
            return Array(bytes[start...])
        }
        return filter.rules.verdict(relative, isFolder: isFolder)
    }

    /// With the “/” behind it.
    private static func length(of folder: FilePath) -> Int {
        let length = folder.withPlatformString { strlen($0) }
        return folder.components.isEmpty ? length : length + 1
    }

    /// Why an entry of a walked directory is left behind by its name; `nil` where it is not.
    private func reason(_ path: FilePath) -> LeftBehind.Reason? {
        if SystemFiles.contains(path) { return .system }
        if !takesPreviews, PreviewFiles.contains(path) || PreviewFiles.isCache(path) { return .preview }
        let isHidden = path.lastComponent?.withPlatformString { $0.pointee == CChar(UInt8(ascii: ".")) } ?? false
        return isHidden && !reach.takesHidden ? .hidden : nil
    }

    /// What tells one file from any other.
    struct FileNumber: Hashable, Sendable {
        private let device: UInt64
        private let inode: UInt64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }

        init(_ identity: SourceIdentity) { (device, inode) = (identity.device, identity.inode) }

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

    /// What is in a walked directory, without the files of submit itself: nobody named those.
    private static func entries(of folder: FilePath) throws(Errno) -> [FilePath] {
        try children(of: folder).filter { !SystemFiles.areOurs($0) }
    }

    package static func children(of folder: FilePath) throws(Errno) -> [FilePath] {
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
            if strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { continue }
            guard let component = FilePath.Component(platformString: name) else { continue }
            names.append((component, Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))))
        }
        names.sort { NaturalOrder.precedes($0.key, $1.key) }
        return names.map { folder.appending($0.name) }
    }
}
