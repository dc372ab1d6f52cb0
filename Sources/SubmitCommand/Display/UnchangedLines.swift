internal import SubmitEngine

extension UnchangedTally {
    var sentences: [String] {
        if lines.isEmpty { return [] }
        let done = lines.filter { $0.done > 0 }.map { "\($0.done) at \($0.destination)" }
        var sentences: [String] = []
        if !done.isEmpty {
            sentences.append(
                "unchanged since they were sent: \(done.joined(separator: ", ")); `--reread` sends them as if they were new"
            )
        }
        let waiting = lines.filter { $0.waiting > 0 }.map { "\($0.waiting) for \($0.destination)" }
        if !waiting.isEmpty {
            let batches = waitingBatches.sorted().map(String.init).joined(separator: ", ")
            sentences.append(
                "accepted earlier and waiting since, in \(waitingBatches.count == 1 ? "batch" : "batches") \(batches): "
                    + waiting.joined(separator: ", "))
        }
        return sentences.map(Printable.line)
    }
}
