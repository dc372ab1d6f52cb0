import CDrawnFiles
import Foundation
import Glibc

extension DrawnDisk {
    // MARK: What a name leads to

    /// The true path of a name, reached from what is open.
    private func real(_ descriptor: Int32, _ name: UnsafePointer<CChar>) -> String {
        let name = String(cString: name)
        if name.hasPrefix("/") { return real(name) }
        guard let folder = open[descriptor]?.path else { return "/nowhere" }
        return name == "." ? folder : spelled(name, in: folder)
    }

    /// The true path of one that is asked for.
    func real(_ path: String) -> String {
        guard path == root || path.hasPrefix(root + "/") else { return path }
        let start = outage == .away ? elsewhere : root
        return path.dropFirst(root.count).split(separator: "/").reduce(start) { spelled(String($1), in: $0) }
    }

    /// As it is stored in a true folder, or would be.
    private func spelled(_ name: String, in folder: String) -> String {
        var name = name
        if manners.contains(.dropsEnds) { while name.count > 1, name.hasSuffix(".") { name.removeLast() } }
        if manners.contains(.decomposes) { name = name.decomposedStringWithCanonicalMapping }
        if manners.contains(.foldsCase), let there = folded(name, in: folder) { name = there }
        return "\(folder)/\(name)"
    }

    /// What is there under this name or one that differs in case.
    private func folded(_ name: String, in folder: String) -> String? {
        if access("\(folder)/\(name)", F_OK) == 0 { return name }
        let lower = name.lowercased()
        return Self.names(in: folder).first { $0.lowercased() == lower }
    }

    private static let characters = Set(":?*|<>\"\\".unicodeScalars)

    private func isRefused(_ name: String) -> Bool {
        name.unicodeScalars.contains { Self.characters.contains($0) || $0.value < 0x20 }
    }

    /// Why a name cannot be made.
    private func refusal(toMake path: String) -> Int64? {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        if manners.contains(.refusesCharacters), isRefused(name) { return failure(.EINVAL) }
        if manners.contains(.knowsNoCharacters), isRefused(name) { return failure(.ENOENT) }
        if manners.contains(.dropsEnds), name.hasSuffix(" ") { return failure(.EINVAL) }
        if manners.contains(.shortNames), name.utf8.count > 143 { return failure(.ENAMETOOLONG) }
        let folder = Self.folder(of: path)
        let isHidden = manners.contains(.hidesFoldedNames) && folded(name, in: folder).map { $0 != name } ?? false
        if isHidden { return failure(.EEXIST) }
        return nil
    }

    static func folder(of path: String) -> String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    // MARK: What is done to names

    mutating func doneToName(_ call: inout FileCall) -> Int64 {
        guard let name = call.name else { return failure(.EINVAL) }
        let path = real(call.descriptor, name)
        call.descriptor = AT_FDCWD
        switch call.kind {
        case .open: return opened(call, path)
        case .makeFolder:
            if let refused = refusal(toMake: path) { return refused }
            let result = perform(call, path)
            if result == 0 { came(path) }
            return result
        case .unlink: return unlinked(call, path)
        case .link, .rename:
            guard let to = call.to else { return failure(.EINVAL) }
            return moved(call, path, spelled(String(cString: to), in: Self.folder(of: path)))
        case .look:
            let result = perform(call, path)
            if result == 0, let status = call.status { tell(status, path) }
            return result
        case .room:
            let result = perform(call, path)
            if manners.contains(.oddRoom), let status = call.status?.assumingMemoryBound(to: statvfs.self) {
                (status.pointee.f_bavail, status.pointee.f_frsize) = (.max, 1 << 24)
            }
            return result
        default: return perform(call, path)
        }
    }

    private func perform(_ call: FileCall, _ path: String, to: String? = nil) -> Int64 {
        path.withCString { path in
            (to ?? "").withCString { to in
                var call = call
                (call.name, call.to) = (path, to)
                return drawn_files_perform(&call)
            }
        }
    }

    private mutating func opened(_ call: FileCall, _ path: String) -> Int64 {
        let isThere = access(path, F_OK) == 0
        if call.flags & O_CREAT != 0, !isThere, let refused = refusal(toMake: path) { return refused }
        let result = perform(call, path)
        guard result >= 0 else { return result }
        var status = stat()
        fstat(Int32(result), &status)
        let inode = UInt64(status.st_ino)
        if !isThere {
            forget(inode)
            unsynced.files.insert(inode)
            came(path)
        }
        open[Int32(result)] = Open(
            path: path, inode: inode, isFolder: status.st_mode & S_IFMT == S_IFDIR,
            writes: call.flags & (O_WRONLY | O_RDWR) != 0, since: calls, told: (errors.own[inode] ?? 0, errors.all))
        return result
    }

    /// Numbers of files are given away again.
    mutating func forget(_ inode: UInt64) {
        (errors.own[inode], lost[inode], hidden[inode]) = (nil, nil, nil)
        unsynced.files.remove(inode)
    }

    private mutating func came(_ path: String) {
        unsynced.names.insert(path)
        (changed.came[path], changed.went[path]) = (calls, nil)
    }

    private mutating func went(_ path: String) {
        unsynced.names.remove(path)
        (changed.came[path], changed.went[path]) = (nil, calls)
    }

    private func isOpen(_ path: String) -> Bool { open.values.contains { $0.path == path && !$0.isFolder } }

    private mutating func unlinked(_ call: FileCall, _ path: String) -> Int64 {
        if isOpen(path) {
            if let refused = refusal(.whileOpen) { return refused }
            if manners.contains(.hidesOpen), let inode = Self.inode(path) {
                let other = "\(Self.folder(of: path))/.fuse_hidden\(calls)"
                rename(path, other)
                hidden[inode] = other
                for (descriptor, file) in open where file.inode == inode { open[descriptor]?.path = other }
                went(path)
                return 0
            }
        }
        let result = perform(call, path)
        if result == 0 { went(path) }
        return result
    }

    private mutating func moved(_ call: FileCall, _ path: String, _ to: String) -> Int64 {
        let isLink = call.kind == .link
        if isLink, let refused = refusal(.link) { return refused }
        if isLink, manners.contains(.countsNoLinks) { return failure(.ENOENT) }
        if !isLink, call.flags != 0, let refused = refusal(.exclusiveRename) { return refused }
        if let refused = refusal(toMake: to) { return refused }
        if isOpen(path), let refused = refusal(.whileOpen) { return refused }
        let replaces = path != to && access(to, F_OK) == 0
        if replaces, !isLink, call.flags == 0, let refused = refusal(.replacing) { return refused }
        let result = perform(call, path, to: to)
        guard result == 0 else { return result }
        came(to)
        if !to.contains("/.submit-") { isUsed = true }
        if !isLink {
            went(path)
            for (descriptor, file) in open where file.path == path { open[descriptor]?.path = to }
        }
        return 0
    }

    // MARK: Listings

    private static let lateness = 30

    mutating func listed(_ call: inout FileCall) -> Int64 {
        guard let folder = open[call.descriptor]?.path else { return call.name == nil ? 0 : 1 }
        if let name = call.name {
            let path = "\(folder)/\(String(cString: name))"
            return manners.contains(.listsLate) && changed.came[path].map { calls - $0 < Self.lateness } ?? false
                ? 0 : 1
        }
        guard manners.contains(.listsLate), open[call.descriptor]?.isListedOut == false, let bytes = call.bytes
        else { return 0 }
        open[call.descriptor]?.isListedOut = true
        let late = changed.went.filter {
            calls - $0.value < Self.lateness && Self.folder(of: $0.key) == folder && access($0.key, F_OK) != 0
        }
        guard let name = late.keys.min()?.split(separator: "/").last, name.utf8.count < call.count else { return 0 }
        bytes.copyMemory(from: Array(name.utf8) + [0], byteCount: name.utf8.count + 1)
        return 1
    }
}
