internal import Foundation
internal import Submit
internal import SubmitPlatform

/// Programs that outlived their host: one that was killed had no time to end them.
///
/// Each program, and what it starts, is told in its environment whose it is. A host is named by the namespace of its
/// number, the number, and when it started: numbers are given away again.
enum OrphanedPrograms {
    static let variable = "SUBMIT_HOST"

    /// This process, as its programs are told it; `nil` where it cannot be named.
    static let host: String? = startTime(of: getpid()).flatMap { start in
        namespace.map { "\($0) \(getpid()) \(start)" }
    }

    /// Ends them, and returns when none is left: until then they might go on with what is to be tried again.
    ///
    /// - Throws: when one cannot even be killed; ``SubmitFailure/cancelled``, at once, when the task is.
    static func end() async throws(SubmitFailure) {
        let end = ContinuousClock.now + .seconds(10)
        while true {
            let orphans = all()
            if orphans.isEmpty { return }
            for process in orphans {
                // Where it leads a group, that goes with it.
                if getpgid(process) == process { kill(-process, SIGKILL) } else { kill(process, SIGKILL) }
            }
            guard ContinuousClock.now < end else {
                throw SubmitFailure(
                    .retry(after: nil), code: "submitter-hung",
                    message:
                        "The process \(orphans[0]), which a submit that was killed left behind, does not end: look what it waits "
                        + "for.")
            }
            do {
                try await Task.sleep(for: .milliseconds(5))
            } catch {
                throw .cancelled
            }
        }
    }

    /// Those that live. What cannot be looked at is another user's.
    private static func all() -> [pid_t] {
        guard host != nil else { return [] }
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.filter { process in
            guard let told = toldHost(of: process), told != host else { return false }
            let parts = told.split(separator: " ")
            guard parts.count == 3, namespace == String(parts[0]), let number = pid_t(parts[1]) else { return false }
            return startTime(of: number) != String(parts[2])
        }
    }

    private static func toldHost(of process: pid_t) -> String? {
        guard let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ") else { return nil }
        let name = Array("\(variable)=".utf8)
        return environment.split(separator: 0).first { $0.starts(with: name) }
            .map { String(decoding: $0.dropFirst(name.count), as: UTF8.self) }
    }

    private static let namespace = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")

    /// In the kernel's ticks (proc(5), field 22 of `stat`); `nil` when there is no such process, or only its zombie.
    private static func startTime(of process: pid_t) -> String? {
        guard let stat = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
        let text = String(decoding: stat, as: UTF8.self)
        // The command's name stands in parentheses and may hold anything.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
        return String(fields[19])
    }
}
