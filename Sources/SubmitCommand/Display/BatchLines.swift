internal import SubmitJournal

extension BatchRecord {
    /// Says how much of it stands where.
    func show(_ journal: any StoreReadings & RemovalReadings, json: Bool) async throws {
        let tallies = try await journal.tallies(SubmissionSelection(batch: id))
        let removals = try await journal.removals(of: [id])
        let shown = Self.parted(tallies, try await journal.skipped([id]))
        if json { printJSON(shown, removals) } else { printText(shown, removals) }
    }

    /// How much of it stands somewhere at one destination, in a word.
    private struct Part {
        var destination: String
        var state: String
        var count: Int
        var bytes: Int64
    }

    /// What was skipped is told apart from what is done.
    private static func parted(_ tallies: [Tally], _ skipped: [SkippedTally]) -> [Part] {
        tallies.flatMap { tally in
            let all = Part(
                destination: tally.destination, state: tally.state.name, count: tally.count, bytes: tally.bytes)
            guard tally.state == .done, let part = skipped.first(where: { $0.destination == tally.destination })
            else { return [all] }
            var stored = all
            stored.count -= part.count
            stored.bytes -= part.bytes
            let rest = Part(destination: tally.destination, state: "skipped", count: part.count, bytes: part.bytes)
            return stored.count > 0 ? [stored, rest] : [rest]
        }
    }

    private func printText(_ parts: [Part], _ removals: RemovalTally) {
        let how = isRunning ? ", running" : isComplete ? "" : ", acceptance was cut off"
        Output.line("batch \(id), \(Printable.local(created))\(how)")
        for (destination, rows) in Dictionary(grouping: parts, by: \.destination).sorted(by: { $0.key < $1.key }) {
            let parts = rows.map { "\($0.count) \($0.state) (\(Printable.bytes($0.bytes)))" }
            Output.line("  \(destination): \(parts.joined(separator: ", "))")
        }
        if let words = removals.words { Output.line("  sources: \(words)") }
    }

    private func printJSON(_ parts: [Part], _ removals: RemovalTally) {
        var object: [String: Any] = [
            "batch": id, "created": JSONOutput.time(created), "complete": isComplete, "running": isRunning,
            "destinations": parts.map {
                ["destination": $0.destination, "state": $0.state, "count": $0.count, "bytes": $0.bytes]
                    as [String: Any]
            },
        ]
        if removals.words != nil { object["sources"] = removals.object }
        JSONOutput.print(object)
    }
}

extension RemovalTally {
    /// How many sources are removed, kept and yet to be removed; `nil` where none was to be.
    var words: String? {
        let parts = [(removed, "removed"), (kept, "kept"), (wanted, "not removed yet")].filter { $0.0 > 0 }
        return parts.isEmpty ? nil : parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }

    var object: [String: Int] { ["removed": removed, "kept": kept, "waiting": wanted] }
}
