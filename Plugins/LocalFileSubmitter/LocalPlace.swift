internal import Dispatch
internal import Glibc
internal import Submit
internal import SystemPackage

/// The destination's root and what is shared by all who work in it.
final class LocalPlace: Sendable {
    let root: String
    let creates: Bool
    let threads = BlockingThreads()
    let durability = GroupCommit()
    /// Taken while bytes are copied: a disk is not made quicker by many who copy at once.
    let copying: DispatchSemaphore

    /// - Parameter jobs: how many may copy at once.
    init(root: String, creates: Bool, jobs: Int) {
        self.root = root
        self.creates = creates
        copying = DispatchSemaphore(value: jobs)
    }

    /// Opens a folder below the root and makes what is missing.
    func makeFolder(_ names: [String]) throws(SubmitFailure) -> Folder {
        guard let folder = try open(names, creates: true, createsRoot: creates) else {
            throw .file(.noSuchFileOrDirectory, root)
        }
        return folder
    }

    /// Opens a folder below the root; `nil` if it is not there. The root itself must be.
    func folder(_ names: [String]) throws(SubmitFailure) -> Folder? {
        try open(names, creates: false, createsRoot: false)
    }

    private func open(_ names: [String], creates: Bool, createsRoot: Bool) throws(SubmitFailure) -> Folder? {
        var folder = try SubmitFailure.at(root) { () throws(Errno) in try Folder.root(root, creates: createsRoot) }
        for name in names {
            do throws(Errno) {
                guard let next = try folder.folder(name, creates: creates) else { return nil }
                folder = next
            } catch .notDirectory, .tooManySymbolicLinkLevels {
                throw SubmitFailure(
                    .giveUp, code: "not-a-folder",
                    "“\(folder.path)/\(name)” is a file or a link and no folder; rename it or choose another album.")
            } catch {
                throw .file(error, "\(folder.path)/\(name)")
            }
        }
        return folder
    }

    /// The `file:` URL of a path below the root (RFC 8089).
    func url(of path: String) -> String {
        let hexadecimal = Array("0123456789ABCDEF".utf8)
        var url = Array("file://".utf8)
        for byte in (root == "/" ? "/\(path)" : "\(root)/\(path)").utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                url.append(byte)
            default:
                url += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
            }
        }
        return String(decoding: url, as: UTF8.self)
    }

    /// Finds out whether files can be stored, and leaves nothing.
    func check() throws(SubmitFailure) -> String {
        var status = stat()
        if stat(root, &status) != 0, errno == ENOENT, creates { return try checkCreation() }
        guard let folder = try folder([]) else { throw .file(.noSuchFileOrDirectory, root) }
        try SubmitFailure.at(root) { () throws(Errno) in
            _ = try TemporaryFile(in: folder, submission: "check-\(getpid())-\(UInt32.random(in: 0...UInt32.max))")
        }
        return "The folder “\(root)” can be written to; \(freeSpace(root)) are free."
    }

    private func checkCreation() throws(SubmitFailure) -> String {
        var ancestor = root
        while let parent = Folder.parentPath(ancestor) {
            ancestor = parent
            if access(ancestor, F_OK) == 0 { break }
        }
        guard access(ancestor, W_OK | X_OK) == 0 else { throw .file(Errno(rawValue: errno), ancestor) }
        return "The folder “\(root)” is not there yet and can be made; \(freeSpace(ancestor)) are free."
    }

    private func freeSpace(_ path: String) -> String {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { return "an unknown number of bytes" }
        return ByteCount.text(Int64(clamping: information.f_bavail * information.f_frsize))
    }
}
