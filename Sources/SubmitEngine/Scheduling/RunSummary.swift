internal import Submit
public import SubmitStore

/// Where some batches stand: how many submissions ended how, and how many still wait.
public struct RunSummary: Sendable, Hashable {
    /// They arrived, those whose copy was there already included.
    public let done: Int
    /// Of ``done`` those of which nothing was stored, as other bytes have the name and that was asked for.
    public let skipped: Int
    /// They will not be tried again unless someone asks for it.
    public let failed: Int
    /// Somebody cancelled them.
    public let cancelled: Int
    /// They are still waiting, or being sent by another process.
    public let waiting: Int
    /// Why nothing goes out to a destination that some of them wait for, sorted by name.
    public let onHold: [DestinationState]

    /// - Throws: when the journal cannot be read (`journal…`, to be tried again).
    static func of(_ batches: [BatchID], in store: any Store) async throws(SubmitFailure) -> RunSummary {
        var counts: [SubmissionState: Int] = [:]
        var waitedFor: Set<String> = []
        for batch in batches {
            for tally in try await store.tallies(SubmissionSelection(batch: batch)) {
                counts[tally.state, default: 0] += tally.count
                if tally.state == .waiting { waitedFor.insert(tally.destination) }
            }
        }
        return RunSummary(
            done: counts[.done] ?? 0, skipped: try await store.skipped(batches).reduce(0) { $0 + $1.count },
            failed: counts[.failed] ?? 0, cancelled: counts[.cancelled] ?? 0,
            waiting: (counts[.waiting] ?? 0) + (counts[.running] ?? 0),
            onHold: try await store.destinationStates().filter { state in
                waitedFor.contains(state.name) && (state.isPaused || state.hold != nil)
            })
    }
}
