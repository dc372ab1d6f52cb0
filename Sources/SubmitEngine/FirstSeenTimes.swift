internal import FoundationEssentials
internal import Submit

/// When things that a destination does not date were seen there first. Kept in the destination's notes.
struct FirstSeenTimes: Sendable {
    private let notes: any DestinationNotes
    private let now: @Sendable () -> Timestamp

    private static let topic = "leftovers"

    init(_ notes: any DestinationNotes, now: @escaping @Sendable () -> Timestamp = { .now }) {
        self.notes = notes
        self.now = now
    }

    /// The same leftovers, each with a date. What is no longer there is forgotten.
    func dating(_ leftovers: [Leftover]) async -> [Leftover] {
        let note = await notes.read(Self.topic)
        let before = note.flatMap { try? JSONDecoder().decode([String: Int64].self, from: Data($0)) } ?? [:]
        let time = now()
        var seen: [String: Int64] = [:]
        let dated = leftovers.map { leftover in
            if leftover.begun != nil { return leftover }
            var leftover = leftover
            // A name may be that of the next attempt by now.
            let key = "\(leftover.bytes ?? -1) \(leftover.id)"
            // A clock that was ahead then would hold it for ever.
            let first = Timestamp(nanoseconds: min(before[key] ?? .max, time.nanoseconds))
            seen[key] = first.nanoseconds
            leftover.begun = first
            return leftover
        }
        if seen != before {
            await notes.write(Self.topic, seen.isEmpty ? nil : (try? JSONEncoder().encode(seen)).map(Array.init))
        }
        return dated.sorted { ($0.begun?.nanoseconds ?? 0, $0.id) < ($1.begun?.nanoseconds ?? 0, $1.id) }
    }
}
