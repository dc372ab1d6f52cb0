internal import Foundation
internal import Submit
internal import SystemPackage

/// A trash of the desktop, on one disk (freedesktop.org Trash specification 1.0).
///
/// No library does it: GIO is not on every server, refuses whole kinds of mounts, and moves what has the name at that
/// moment, so that nobody could prove that it was the file that was looked at.
struct TrashCan {
    /// With `files` and `info` in it.
    private let folder: FilePath
    /// The disk's top folder, which the paths that are kept are relative to; `nil` for the trash in the home folder.
    private let top: FilePath?

    /// The trash for a file: that of the home folder where it is on the same disk, or one at the top of its own disk.
    ///
    /// - Parameter home: `$XDG_DATA_HOME`, or what stands for it.
    /// - Throws: `no-trash`, where none can be had.
    static func holding(_ source: FilePath, home: FilePath?) throws(SubmitFailure) -> TrashCan {
        let parent = source.removingLastComponent()
        do throws(Errno) {
            let device = try FileStatus.of(parent, followsLinks: true).device
            if let home, let can = try? TrashCan(making: home.appending("Trash"), in: home, on: device) { return can }
            let top = try topFolder(of: parent, on: device)
            if let can = try? TrashCan(sharedAt: top) { return can }
            return try TrashCan(owned: top.appending(".Trash-\(getuid())"), top: top)
        } catch {
            throw SubmitFailure(
                .giveUp, code: "no-trash",
                message: "“\(source)” was left where it is: its disk has no trash and none can be made (\(error)); "
                    + "the manner “delete” would delete it for good.")
        }
    }

    /// Whether what is moved to the trash stays on a disk that is not the one of the home folder: a card, a stick.
    static func isBesideSources(_ source: FilePath) -> Bool {
        guard let home = home(ProcessInfo.processInfo.environment),
            let source = try? FileStatus.of(source, followsLinks: true)
        else { return false }
        var folder = home
        while !FileStatus.exists(folder), folder != "/" { folder = folder.removingLastComponent() }
        return (try? FileStatus.of(folder, followsLinks: true))?.device != source.device
    }

    /// `$XDG_DATA_HOME`, as the base directory specification has it: relative paths are none.
    static func home(_ environment: [String: String]) -> FilePath? {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return FilePath(data) }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return FilePath(home).appending(".local/share")
    }

    private init(making folder: FilePath, in home: FilePath, on device: UInt64) throws(Errno) {
        var missing: [FilePath] = []
        var path = home
        while !FileStatus.exists(path), path != "/" {
            missing.append(path)
            path = path.removingLastComponent()
        }
        guard try FileStatus.of(path, followsLinks: true).device == device else { throw .improperLink }
        for path in missing.reversed() { try Self.make(path) }
        try self.init(owned: folder, top: nil)
        guard try FileStatus.of(folder.appending("files")).device == device else { throw .improperLink }
    }

    /// `$topdir/.Trash/$uid`: only where the administrator's folder is one, with the sticky bit.
    private init(sharedAt top: FilePath) throws(Errno) {
        let shared = top.appending(".Trash")
        let status = try FileStatus.of(shared)
        guard status.isFolder, status.isSticky else { throw .notPermitted }
        try self.init(owned: shared.appending("\(getuid())"), top: top)
    }

    /// A trash of our own, made where it is missing; no link, and nobody else's.
    private init(owned folder: FilePath, top: FilePath?) throws(Errno) {
        self.folder = folder
        self.top = top
        for path in [folder, folder.appending("files"), folder.appending("info")] {
            try Self.make(path)
            let status = try FileStatus.of(path)
            guard status.isFolder, status.owner == getuid() else { throw .notPermitted }
        }
    }

    private static func make(_ path: FilePath) throws(Errno) {
        if path.withPlatformString({ mkdir($0, 0o700) }) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
    }

    private static func topFolder(of folder: FilePath, on device: UInt64) throws(Errno) -> FilePath {
        // The path's own links may lead to other disks.
        var top = folder
        if let real = folder.withPlatformString({ realpath($0, nil) }) {
            top = FilePath(platformString: real)
            free(real)
        }
        while top != "/", !top.isEmpty {
            let parent = top.removingLastComponent()
            guard try FileStatus.of(parent, followsLinks: true).device == device else { break }
            top = parent
        }
        return top
    }

    // MARK: - Putting in

    /// A place that nothing has, for a file that is moved there once the place is reserved.
    func freePlace(for source: FilePath) throws(SubmitFailure) -> FilePath {
        let name = source.lastComponent.map { FilePath(root: nil, [$0]) } ?? "unnamed"
        for number in 0..<10_000 {
            let candidate = number == 0 ? name : name.adding(".\(number)")
            // With “.trashinfo” behind it, it has to be a name too (NAME_MAX).
            let taken = candidate.length <= 240 ? candidate : FilePath("submit-\(number)-\(getpid())")
            let place = folder.appending("files").pushing(taken)
            if !FileStatus.exists(place), !FileStatus.exists(Self.information(on: place)) { return place }
        }
        throw refusal(source, .fileExists)
    }

    /// Takes a free place, and writes there where its file comes from, which has to be done before it comes.
    ///
    /// - Parameter mark: what no other file has. What dying left half written has it too, and is written anew.
    /// - Returns: false where somebody else has taken it.
    func reserve(_ place: FilePath, for source: FilePath, mark: String) throws(SubmitFailure) -> Bool {
        let fresh = Self.fresh(mark, in: folder.appending("info"))
        // Once it has its name, there is nothing to remove.
        defer { _ = fresh.withPlatformString { unlink($0) } }
        do throws(Errno) {
            try Self.write(Self.info(source, top: top), to: fresh)
            // Nobody ever sees half of what it says under its name.
            try fresh.renamed(to: Self.information(on: place))
            return true
        } catch {
            guard error == .fileExists else { throw refusal(source, error) }
            return false
        }
    }

    private static func fresh(_ mark: String, in folder: FilePath) -> FilePath { folder.appending(".submit-\(mark)") }

    private func refusal(_ source: FilePath, _ error: Errno) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "no-trash",
            message: "“\(source)” was left where it is: the trash “\(folder)” does not take it (\(error)).")
    }

    /// Gives a place back that nothing is in, if it was taken for this file, and what dying left half written.
    static func release(_ place: FilePath, of source: FilePath, mark: String) {
        let information = information(on: place)
        _ = fresh(mark, in: information.removingLastComponent()).withPlatformString { unlink($0) }
        guard !FileStatus.exists(place), isTaken(place, for: source) else { return }
        _ = information.withPlatformString { unlink($0) }
    }

    private static func information(on place: FilePath) -> FilePath {
        let name = place.lastComponent.map { FilePath(root: nil, [$0]) } ?? "unnamed"
        return place.removingLastComponent().removingLastComponent().appending("info")
            .pushing(name.adding(".trashinfo"))
    }

    /// Whether the trash says of a place in it that it is for the file of this path.
    static func isTaken(_ place: FilePath, for source: FilePath) -> Bool {
        let bytes = FileManager.default.contents(atPath: information(on: place).string) ?? Data()
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\n")
        guard lines.count > 1, lines[0] == "[Trash Info]", lines[1].hasPrefix("Path=") else { return false }
        let path = lines[1].dropFirst(5)
        // From the root, or from the disk's top folder.
        return [source, source.withRealFolder].map(\.percentEncoded).contains { whole in
            whole == path || !path.hasPrefix("/") && whole.hasSuffix("/\(path)")
        }
    }

    private static func write(_ text: String, to path: FilePath) throws(Errno) {
        let descriptor = path.withPlatformString {
            open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    private static func info(_ source: FilePath, top: FilePath?) -> String {
        var path = source
        if let top {
            // The path is that below the disk's top, whatever links led there.
            path = source.withRealFolder
            _ = path.removePrefix(top)
        }
        var now = time(nil)
        var parts = tm()
        localtime_r(&now, &parts)
        let date = String(
            format: "%04d-%02d-%02dT%02d:%02d:%02d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
            parts.tm_hour,
            parts.tm_min, parts.tm_sec)
        return "[Trash Info]\nPath=\(path.percentEncoded)\nDeletionDate=\(date)\n"
    }
}

extension FilePath {
    /// The path with a text put behind it.
    fileprivate func adding(_ suffix: String) -> FilePath {
        withPlatformString { own in
            var bytes = Array(UnsafeBufferPointer(start: own, count: length))
            bytes += suffix.utf8.map { CInterop.PlatformChar(bitPattern: $0) }
            return FilePath(platformString: bytes + [0])
        }
    }

    /// The folder without links, as far as that can be told.
    fileprivate var withRealFolder: FilePath {
        guard let name = lastComponent, let real = removingLastComponent().withPlatformString({ realpath($0, nil) })
        else {
            return self
        }
        defer { free(real) }
        return FilePath(platformString: real).appending(name)
    }

    /// As in a URL (RFC 2396, section 2), byte by byte: names need not be UTF-8.
    fileprivate var percentEncoded: String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-._~".utf8)
        return withPlatformString { own in
            UnsafeBufferPointer(start: own, count: length).map { character in
                let byte = UInt8(bitPattern: character)
                return plain.contains(byte) ? String(UnicodeScalar(byte)) : String(format: "%%%02X", Int(byte))
            }.joined()
        }
    }
}
