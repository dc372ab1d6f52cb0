internal import Submit
internal import SubmitJournal

/// How many failed submissions another try can help.
struct FailureOutlook {
    /// Another try may succeed.
    var retriable = 0
    /// Another try fails in the same way: the file, the request or a setting has to change first.
    var unchanged = 0
    /// They may have arrived all the same.
    var doubtful = 0

    /// Failures whose reason is the file itself, or what was asked for. They stay as they are without a change.
    private static let lasting: Set<String> = [
        "kind", "type", "unsupported", "too-large", "caption", "no-albums", "no-readback", "no-rendition", "no-video",
        "words-too-long", "photo-damaged", "source-changed", "name-too-long",
    ]

    var sum: Int { retriable + unchanged + doubtful }

    mutating func add(_ code: String?) {
        switch code {
        case SubmitFailure.outcomeUnknownCode?: doubtful += 1
        case let code? where Self.lasting.contains(code): unchanged += 1
        default: retriable += 1
        }
    }

    /// What to do about those that surely did not arrive.
    var sentences: [String] {
        var sentences: [String] = []
        if retriable > 0 { sentences.append("`submit retry` tries the failed ones again.") }
        if unchanged > 0 {
            let them = retriable > 0 ? " \(unchanged) of them" : ""
            sentences.append("Retrying alone doesn't help\(them): `submit list --state failed` shows what does.")
        }
        return sentences
    }
}

extension StoreReadings {
    /// What can be done about the failed submissions of some batches.
    func failures(of batches: [BatchID]) async throws(SubmitFailure) -> FailureOutlook {
        var outlook = FailureOutlook()
        for batch in batches {
            var last: SubmissionID?
            while case let page = try await submissions(
                SubmissionSelection(batch: batch), destinations: [], state: .failed, after: last, limit: 500),
                let end = page.last
            {
                for record in page { outlook.add(record.code) }
                last = end.id
            }
        }
        return outlook
    }
}
