internal import Foundation
internal import SubmitPlatform
package import SystemPackage

/// Files that only their owner can read.
package enum PrivateFile {
    /// Replaces a file, whole or not at all. When it returns, the new one outlasts a loss of power.
    package static func write(_ text: String, to path: FilePath) throws {
        // Who keeps configuration elsewhere and links to it keeps the link.
        let path =
            realpath(path.string, nil).map { real in
                defer { free(real) }
                return FilePath(String(cString: real))
            } ?? path
        let folder = path.removingLastComponent()
        try makeFolder(folder)
        let temporary = folder.appending(".\(path.lastComponent?.string ?? "").\(getpid())")
        unlink(temporary.string)
        let file = try FileDescriptor.open(
            temporary, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: [.ownerReadWrite])
        do {
            try file.closeAfter {
                _ = try file.writeAll(text.utf8)
                try sync(file)
            }
            guard rename(temporary.string, path.string) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            unlink(temporary.string)
            throw error
        }
        removeRemains(of: path, in: folder)
        let names = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
        try names.closeAfter { try sync(names) }
    }

    /// Makes a folder that only its owner can enter, unless it is there.
    package static func makeFolder(_ folder: FilePath) throws {
        try FileManager.default.createDirectory(
            atPath: folder.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// What processes left that were killed in the midst of it: it holds secrets too.
    private static func removeRemains(of path: FilePath, in folder: FilePath) {
        let prefix = ".\(path.lastComponent?.string ?? "")."
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? [] {
            guard name.hasPrefix(prefix), let process = pid_t(name.dropFirst(prefix.count)), process > 0,
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            unlink(folder.appending(name).string)
        }
    }

    private static func sync(_ file: FileDescriptor) throws {
        guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
    }
}
