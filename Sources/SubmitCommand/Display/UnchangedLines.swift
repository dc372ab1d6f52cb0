internal import SubmitEngine
internal import SubmitJournal

extension UnchangedTally {
    /// - Parameter now: how many of those that waited in earlier batches are in which state by now.
    func sentences(_ now: [SubmissionState: Int]) -> [String] {
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
            let states = SubmissionState.allCases.compactMap { state in now[state].map { "\($0) \(state.name)" } }
            sentences.append(
                "accepted earlier, in \(waitingBatches.count == 1 ? "batch" : "batches") \(batches): "
                    + "\(waiting.joined(separator: ", ")); now \(states.joined(separator: ", "))")
        }
        return sentences.map(Printable.line)
    }
}
