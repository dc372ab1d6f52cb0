internal import Foundation
internal import SystemPackage

/// What tells a living process from a dead one whose number was given away again.
struct ProcessMark: Sendable, Hashable {
    var pid: Int64
    /// The kernel's clock ticks at its start (proc(5), field 22 of /proc/PID/stat).
    var started: Int64
    /// The kernel's random name for the time since it booted.
    var boot: String

    static let current = ProcessMark(
        pid: Int64(getpid()), started: startTime(of: Int64(getpid())) ?? 0, boot: bootIdentity)

    /// The process that was marked still runs. A zombie does not.
    var isAlive: Bool {
        boot == Self.bootIdentity && Self.startTime(of: pid) == started
    }

    private static let bootIdentity =
        (text("/proc/sys/kernel/random/boot_id") ?? "unknown").trimmingCharacters(in: .whitespacesAndNewlines)

    /// `nil` when there is no such process, or only its zombie.
    private static func startTime(of pid: Int64) -> Int64? {
        // The command's name stands in parentheses and may hold anything, spaces and parentheses too.
        guard let text = text(FilePath("/proc/\(pid)/stat")), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
        return Int64(fields[19])
    }

    private static func text(_ path: FilePath) -> String? {
        guard let descriptor = try? FileDescriptor.open(path, .readOnly) else { return nil }
        defer { try? descriptor.close() }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            guard let count = try? descriptor.read(into: buffer) else { return nil }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
