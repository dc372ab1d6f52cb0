internal import SubmitJournal

extension BatchRecord {
    /// Says how much of it stands where.
    func show(_ journal: Journal, json: Bool) throws {
        let tallies = try journal.tallies(SubmissionSelection(batch: id))
        let removals = try journal.removals(of: [id])
        if json { printJSON(tallies, removals) } else { printText(tallies, removals) }
    }

    private func printText(_ tallies: [Tally], _ removals: RemovalTally) {
        let how = isRunning ? ", running" : isSealed ? "" : ", acceptance was cut off"
        print("batch \(id), \(JSONLine.time(created))\(how)")
        for (destination, rows) in Dictionary(grouping: tallies, by: \.destination).sorted(by: { $0.key < $1.key }) {
            let parts = rows.map { "\($0.count) \($0.state.name) (\(Printable.bytes($0.bytes)))" }
            print("  \(destination): \(parts.joined(separator: ", "))")
        }
        if let words = removals.words { print("  sources: \(words)") }
    }

    private func printJSON(_ tallies: [Tally], _ removals: RemovalTally) {
        var object: [String: Any] = [
            "batch": id, "created": JSONLine.time(created), "complete": isSealed, "running": isRunning,
            "destinations": tallies.map {
                ["destination": $0.destination, "state": $0.state.name, "count": $0.count, "bytes": $0.bytes] as [String: Any]
            },
        ]
        if removals.words != nil { object["sources"] = removals.object }
        JSONLine.print(object)
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
