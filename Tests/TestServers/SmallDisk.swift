internal import Foundation

/// A disk of a few kilobytes in memory.
public final class SmallDisk: Sendable {
    /// Where it is mounted.
    public let path: String
    private let cleanup: Cleanup

    private static let script = ServerScript.path("small-disk.sh")

    /// - Parameter size: as for tmpfs: `512k`, `2m`.
    /// - Returns: `nil` where mounting is not allowed.
    public static func mount(_ size: String) async throws -> SmallDisk? {
        let path = "/tmp/submit-disk-\(UUID().uuidString.lowercased())"
        let child = try ChildProcess([script, "mount", path, size])
        switch await child.end() {
        case .exited(0): return try SmallDisk(path)
        case .exited(77):
            rmdir(path)
            return nil
        case let end: throw ChildProcess.Failure.ended(script, end, output: "cannot mount \(path)")
        }
    }

    private init(_ path: String) throws {
        self.path = path
        cleanup = try Cleanup(["/bin/sh", "-c", "\"$0\" umount \"$1\"; rmdir \"$1\"", Self.script, path])
    }

    /// Whether files in it can have attributes of their users' making, which tmpfs has learnt late.
    public func keepsAttributes() async -> Bool {
        let program = "import os, sys; os.setxattr(sys.argv[1], 'user.test', b'x')"
        return (try? await ChildProcess.output(of: ["python3", "-c", program, path])) != nil
    }

    /// Writes a file of zeros in it until nothing more fits but `spare` bytes.
    public func fill(_ name: String = "filler", sparing spare: Int = 0) throws {
        var status = statvfs()
        statvfs(path, &status)
        let free = Int(status.f_bavail * status.f_frsize) - spare
        try Data(count: max(0, free)).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }
}
