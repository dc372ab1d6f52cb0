import CDrawnFiles
import Glibc

extension DrawnDisk {
    // MARK: What is done to open files

    private static let mostBytes: Int64 = 150_000

    mutating func doneToContent(_ call: inout FileCall) -> Int64 {
        guard let file = open[call.descriptor] else { return failure(.EBADF) }
        switch call.kind {
        case .read:
            if file.writes, let refused = refusal(.readingBack) { return refused }
            if manners.contains(.readsShort), call.count > 1 { call.count /= 2 }
            let result = drawn_files_perform(&call)
            // Who had it open still sees what memory has.
            if result > 0, let since = lost[file.inode], file.since > since { memset(call.bytes, 0, Int(result)) }
            return result
        case .write, .copy, .clone:
            if call.kind == .copy {
                if manners.contains(.copiesNothing) { return 0 }
                if let refused = refusal(.copy) { return refused }
            }
            if call.kind == .clone, !manners.contains(.clones) { return failure(.EOPNOTSUPP) }
            if outage == .full { return failure(.ENOSPC) }
            if call.kind != .clone, manners.contains(.writesShort), call.count > 1 { call.count /= 2 }
            if manners.contains(.smallFiles), call.kind != .clone {
                if call.offset >= Self.mostBytes { return failure(.EFBIG) }
                call.count = min(call.count, Int(Self.mostBytes - call.offset))
            }
            let result = drawn_files_perform(&call)
            unsynced.files.insert(file.inode)
            return result
        case .times: return refusal(.times) ?? drawn_files_perform(&call)
        case .mode: return refusal(.mode) ?? drawn_files_perform(&call)
        default: return 0
        }
    }

    /// What was written to the oldest open file does not reach the disk; not where nobody could be told of it.
    mutating func lose() {
        guard !manners.contains(.uploadsAtClose), refusals[.fileSync] == nil else { return }
        let written = open.values.filter { !$0.isFolder && $0.writes && unsynced.files.contains($0.inode) }
        guard let file = written.min(by: { $0.since < $1.since }) else { return }
        lost[file.inode] = calls
        errors.own[file.inode, default: 0] += 1
        errors.all += 1
    }

    mutating func synced(_ call: FileCall) -> Int64 {
        guard let file = open[call.descriptor] else { return failure(.EBADF) }
        // `sync_filesystem` in fs/sync.c, and `ext4_sync_file`.
        if outage == .readOnly { return call.kind == .sync ? failure(.EROFS) : 0 }
        switch call.kind {
        case .syncAll:
            let isTold = file.told.all == errors.all || manners.contains(.deafSyncAll)
            open[call.descriptor]?.told.all = errors.all
            if !isTold { return failure(.EIO) }
            if outage == .fullLate { return failure(.EDQUOT) }
            unsynced.files.formIntersection(lost.keys)
            unsynced.names = []
            return 0
        case .sync where file.isFolder:
            if let refused = refusal(.folderSync) { return refused }
            unsynced.names = unsynced.names.filter { Self.folder(of: $0) != file.path }
            return 0
        default:
            if let refused = refusal(call.kind == .sync ? .fileSync : .rangeSync) { return refused }
            if manners.contains(.uploadsAtClose) { return 0 }
            if file.told.own != errors.own[file.inode] ?? 0 {
                open[call.descriptor]?.told.own = errors.own[file.inode] ?? 0
                return failure(.EIO)
            }
            guard unsynced.files.contains(file.inode) else { return 0 }
            if outage == .fullLate {
                lost[file.inode] = calls
                return failure(.EDQUOT)
            }
            if call.kind == .sync, lost[file.inode] == nil { unsynced.files.remove(file.inode) }
            return 0
        }
    }

    mutating func close(_ descriptor: Int32) -> Int64 {
        var call = FileCall()
        (call.kind, call.descriptor) = (.close, descriptor)
        let result = drawn_files_perform(&call)
        guard let file = open.removeValue(forKey: descriptor) else { return result }
        if locks[file.inode] == descriptor { locks[file.inode] = nil }
        if let path = hidden[file.inode], !open.values.contains(where: { $0.inode == file.inode }) {
            unlink(path)
            hidden[file.inode] = nil
        }
        guard file.writes, manners.contains(.uploadsAtClose), unsynced.files.contains(file.inode) else { return result }
        if failsAtClose || outage == .fullLate {
            failsAtClose = false
            unlink(file.path)
            return failure(outage == .fullLate ? .EDQUOT : .EIO)
        }
        unsynced.files.remove(file.inode)
        return result
    }

    // MARK: What is true

    /// What a file will have when no memory holds it any more; `nil` where there is none.
    func content(_ path: String) -> [UInt8]? {
        Self.bytes(path) { lost[$0] != nil }
    }

    /// - Parameter isLost: whether the bytes of the file of this number are zeros.
    static func bytes(_ path: String, isLost: (UInt64) -> Bool = { _ in false }) -> [UInt8]? {
        let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var content = [UInt8](repeating: 0, count: status.st_size)
        if !isLost(UInt64(status.st_ino)) { pread(descriptor, &content, content.count, 0) }
        return content
    }

    func tree() -> [[UInt8]: [UInt8]] {
        var tree: [[UInt8]: [UInt8]] = [:]
        var folders = [root]
        while let folder = folders.popLast() {
            for name in Self.names(in: folder) {
                let path = "\(folder)/\(name)"
                if let content = content(path) {
                    tree[Array(path.dropFirst(root.count + 1).utf8)] = content
                } else {
                    folders.append(path)
                }
            }
        }
        return tree
    }

    func isDurable(_ path: String) -> Bool {
        guard let inode = Self.inode(path), !unsynced.files.contains(inode) else { return false }
        var path = path
        while path != root, path.hasPrefix(root) {
            if unsynced.names.contains(path) { return false }
            path = Self.folder(of: path)
        }
        return true
    }

    static func inode(_ path: String) -> UInt64? {
        var status = stat()
        return lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    static func write(_ content: [UInt8], to path: String) {
        mkdir(folder(of: path), 0o755)
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        pwrite(descriptor, content, content.count, 0)
        Glibc.close(descriptor)
    }

    static func removeAll(below path: String) {
        for name in names(in: path) { removeAll(below: "\(path)/\(name)") }
        if rmdir(path) != 0 { unlink(path) }
    }
}
