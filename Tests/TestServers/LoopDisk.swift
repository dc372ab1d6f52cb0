internal import Foundation
internal import Submit
internal import SubmitConcurrency

/// A disk with a file system of its own, that can be taken away and come back.
public final class LoopDisk: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        case exfat, ntfs
        /// NTFS that takes the names only that Windows takes.
        case ntfsWindows = "ntfs-windows"
        case fat, ext4
    }

    /// Where it is mounted.
    public var path: String { folder + "/at" }
    private let folder: String
    private let cleanup: Cleanup

    private static let script = ServerScript.path("loop-disk.sh")
    private static let known = Locked<[Kind: Bool]>([:])

    /// Whether disks of these kinds can be made here.
    public static func works(_ kinds: Kind...) async throws -> Bool {
        for kind in kinds where try await !works(kind) { return false }
        return true
    }

    private static func works(_ kind: Kind) async throws -> Bool {
        if let works = known.withLock({ $0[kind] }) { return works }
        let folder = newFolder()
        let end = try await ChildProcess([script, "make", folder, kind.rawValue, "16"]).end()
        _ = try await ChildProcess([script, "remove", folder]).end()
        guard [.exited(0), .exited(77)].contains(end) else {
            throw ChildProcess.Failure.ended(script, end, output: "cannot make \(kind)")
        }
        known.withLock { $0[kind] = end == .exited(0) }
        return end == .exited(0)
    }

    private static func newFolder() -> String { "/tmp/submit-disk-\(UUID().uuidString.lowercased())" }

    public init(_ kind: Kind, megabytes: Int = 16) async throws {
        folder = Self.newFolder()
        cleanup = try Cleanup([Self.script, "remove", folder])
        try await run("make", kind.rawValue, "\(megabytes)")
    }

    /// It comes back.
    public func mount() async throws { try await run("mount") }

    /// It is taken away as it should be: nobody uses it.
    public func unmount() async throws { try await run("umount") }

    /// It is taken away though somebody uses it.
    public func unplug() async throws { try await run("unplug") }

    private func run(_ verb: String, _ more: String...) async throws {
        try await ChildProcess.output(of: [Self.script, verb, folder] + more, within: 60)
    }
}
