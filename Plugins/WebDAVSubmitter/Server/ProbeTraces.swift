internal import FoundationEssentials
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform

/// Which probes have begun at a destination and not ended: one that was killed leaves its scratch files, and nobody
/// else knows their names. Kept in the destination's notes.
struct ProbeTraces: Sendable {
    let notes: any DestinationNotes
    let topic: String

    private struct Probing: Codable {
        var mark: String
        var process: Int32
        /// The kernel's clock ticks at its start: a number may be given away again.
        var started: String?

        /// Someone is still at it, in this process or another.
        var isUnderWay: Bool {
            if process == getpid() { return ProbeTraces.underWay.withLock { $0.contains(mark) } }
            return started != nil && Self.start(of: process) == started
        }

        init(_ mark: String) {
            (self.mark, process, started) = (mark, getpid(), Self.start(of: getpid()))
        }

        /// proc(5), field 22 of /proc/PID/stat; `nil` when there is no such process, or only its zombie.
        private static func start(of process: Int32) -> String? {
            guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
            // The command's name stands in parentheses and may hold anything.
            let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 19 && fields[0] != "Z" ? String(fields[19]) : nil
        }
    }

    /// The marks of those that were broken off.
    func broken() async -> [String] { await all().filter { !$0.isUnderWay }.map(\.mark) }

    /// Those of this process.
    private static let underWay = Locked<Set<String>>([])

    /// It has to be left, whatever comes of it.
    func begin(_ mark: String) async {
        Self.underWay.withLock { _ = $0.insert(mark) }
        await write(await all() + [Probing(mark)])
    }

    static func leave(_ mark: String) { underWay.withLock { _ = $0.remove(mark) } }

    /// Its scratch files are gone.
    func end(_ mark: String) async { await write(await all().filter { $0.mark != mark }) }

    private func all() async -> [Probing] {
        guard let note = await notes.read(topic) else { return [] }
        return (try? JSONDecoder().decode([Probing].self, from: Data(note))) ?? []
    }

    private func write(_ list: [Probing]) async {
        await notes.write(topic, list.isEmpty ? nil : (try? JSONEncoder().encode(list)).map(Array.init))
    }
}
