internal import SubmitJournal

extension BatchRecord {
    /// Says how much of it stands where.
    func show(_ journal: Journal, json: Bool) throws {
        let tallies = try journal.tallies(SubmissionSelection(batch: id))
        if json { printJSON(tallies) } else { printText(tallies) }
    }

    private func printText(_ tallies: [Tally]) {
        let how = isRunning ? ", running" : isSealed ? "" : ", acceptance was cut off"
        print("batch \(id), \(JSONLine.time(created))\(how)")
        for (destination, rows) in Dictionary(grouping: tallies, by: \.destination).sorted(by: { $0.key < $1.key }) {
            let parts = rows.map { "\($0.count) \($0.state.name) (\(Printable.bytes($0.bytes)))" }
            print("  \(destination): \(parts.joined(separator: ", "))")
        }
    }

    private func printJSON(_ tallies: [Tally]) {
        JSONLine.print([
            "batch": id, "created": JSONLine.time(created), "complete": isSealed, "running": isRunning,
            "destinations": tallies.map {
                ["destination": $0.destination, "state": $0.state.name, "count": $0.count, "bytes": $0.bytes] as [String: Any]
            },
        ])
    }
}
