internal import Submit
internal import SubmitHTTP

extension DAVServer {
    /// What an answer of tus that is no success means (https://tus.io/protocols/resumable-upload).
    ///
    /// - Parameter path: where the item shall lie.
    func tusFailure(_ answer: HTTPResponse, isCreation: Bool, at path: DAVPath, file: String) -> SubmitFailure {
        func failure(_ remedy: Remedy, _ code: String, _ why: String) -> SubmitFailure {
            tusFailure(
                remedy, code,
                "“\(file)” was not stored at “\(destination)” (\(host) answered \(answer.status) for “\(path)”)", why)
        }
        let wait = answer.retryAfter(now: time)
        let again = Remedy.retry(after: wait)
        switch (answer.status, isCreation) {
        case (412, _) where answer["Tus-Version"].map { !$0.contains(Tus.version) } ?? false:
            return failure(
                .hold(.misconfigured, after: nil), "tus-version",
                "it speaks another version of tus now; set “parts_above” so high that no item is sent in parts")
        case (404, true), (409, true), (412, true):
            return failure(again, "conflict", "its folder is not there, or someone changes it; try again")
        case (403, false), (404, false), (410, false):
            return failure(again, "upload-gone", "the server has forgotten what was sent; try again from the beginning")
        case (409, false), (412, false): return failure(again, "conflict", "someone else sends the same; try again")
        case (413, false):
            return failure(
                .giveUp, "too-large", "it takes no part of that size; lower “part_size”, or raise the server's limit")
        case (460, false): return failure(again, "damaged", "other bytes came through than were sent; try again")
        default: return self.failure(answer, at: path.description, file: file)
        }
    }

    /// What came was an answer, and made no sense.
    func tusNonsense(_ what: String, file: String) -> SubmitFailure {
        tusFailure(
            .retry(after: nil), "bad-answer", "“\(host)” \(what) when “\(file)” was sent to it in parts",
            "try again; if it stays so, set “parts_above” so high that no item is sent in parts")
    }

    private func tusFailure(_ remedy: Remedy, _ code: String, _ what: String, _ advice: String) -> SubmitFailure {
        SubmitFailure(remedy, code: code, message: "\(what): \(advice).")
    }
}
