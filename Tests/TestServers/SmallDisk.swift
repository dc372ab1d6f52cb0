internal import Foundation

/// A disk of a few kilobytes in memory.
public final class SmallDisk: Sendable {
    /// Where it is mounted.
    public let path: String
    private let cleanup: Cleanup

    private static let script = ServerScript.path("small-disk.sh")

    private static let mayMount = Task { (try? await mount("64k")) != nil }
    private static let mayKeepAttributes = Task { await (try? mount("64k"))?.keepsAttributes() ?? false }

    /// Whether such disks can be mounted here, which takes root's rights.
    public static func isAllowed() async -> Bool { await mayMount.value }

    /// Whether such disks can be mounted here, and files in them have attributes of their users' making, which tmpfs has
    /// learnt late.
    public static func keepsAttributes() async -> Bool { await mayKeepAttributes.value }

    /// - Parameter size: as for tmpfs: `512k`, `2m`.
    /// - Throws: where mounting is not allowed, too: see ``isAllowed()``.
    public static func mount(_ size: String) async throws -> SmallDisk {
        let path = "/tmp/submit-disk-\(UUID().uuidString.lowercased())"
        let end = try await ChildProcess([script, "mount", path, size]).end()
        guard end == .exited(0) else {
            rmdir(path)
            throw ChildProcess.Failure.ended(script, end, output: "cannot mount \(path)")
        }
        return try SmallDisk(path)
    }

    private init(_ path: String) throws {
        self.path = path
        cleanup = try Cleanup(["/bin/sh", "-c", "\"$0\" umount \"$1\"; rmdir \"$1\"", Self.script, path])
    }

    private func keepsAttributes() async -> Bool {
        let program = "import os, sys; os.setxattr(sys.argv[1], 'user.test', b'x')"
        return (try? await ChildProcess.output(of: ["python3", "-c", program, path])) != nil
    }

    /// Writes a file of zeros in it until nothing more fits but `spare` bytes. Others may write there meanwhile.
    public func fill(_ name: String = "filler", sparing spare: Int = 0) throws {
        let filler = "\(path)/\(name)"
        try Data().write(to: URL(fileURLWithPath: filler))
        guard let file = FileHandle(forWritingAtPath: filler) else { throw CocoaError(.fileNoSuchFile) }
        defer { try? file.close() }
        var most = 1 << 20
        while case let room = free - spare, room > 0, most > 0 {
            do {
                try file.write(contentsOf: Data(count: min(room, most)))
            } catch {
                most /= 2
            }
        }
    }

    private var free: Int {
        var status = statvfs()
        statvfs(path, &status)
        return Int(status.f_bavail * status.f_frsize)
    }
}
