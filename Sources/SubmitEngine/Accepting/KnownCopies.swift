internal import Submit
internal import SubmitStore

/// To which destinations of a request a file was sent before, and need not be again.
struct KnownCopies: Sendable {
    /// The submissions that are done, and proven as the request wants it, by destination.
    var done: [String: SubmissionID] = [:]
    /// The submissions that wait since earlier, by destination.
    var waiting: [String: KnownSource.Submission] = [:]
    /// The items of both.
    var items: Set<ItemID> = []
    /// It was looked for.
    var isSought = false
    /// Something was accepted from its path, which may have been other bytes.
    var isKnownPath = false

    /// Of a file that nothing is known of.
    init() {}

    init(_ known: KnownSource, _ request: SubmitRequest, _ destinations: [Destination]) {
        (isSought, isKnownPath) = (true, known.isKnownPath)
        for destination in destinations {
            var new = NewSubmission(
                destination: destination.name, options: request.options, place: destination.place,
                recipe: destination.recipe(asked: request.rendition))
            new.isRecipeUsual = request.rendition == nil
            for place in [destination.place, destination.formerPlace] {
                new.place = place
                if let last = known.submission(insteadOf: new, caption: request.caption, tags: request.tags) {
                    add(last)
                    break
                }
            }
        }
    }

    /// Of these submissions, each of which makes another one needless.
    init(_ submissions: [KnownSource.Submission]) {
        for submission in submissions { add(submission) }
    }

    private mutating func add(_ submission: KnownSource.Submission) {
        if submission.state == .done {
            done[submission.destination] = submission.id
        } else {
            waiting[submission.destination] = submission
        }
        items.insert(submission.item)
    }

    func contains(_ destination: Destination) -> Bool {
        done[destination.name] != nil || waiting[destination.name] != nil
    }
}
