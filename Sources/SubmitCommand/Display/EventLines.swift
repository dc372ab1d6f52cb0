internal import Submit
internal import SubmitEngine
internal import SubmitJournal
internal import SystemPackage

/// The events of a run as lines of text, each trouble of a destination once.
struct EventLines {
    /// Files that failed or were refused for a reason that a line has told already.
    private struct Alike {
        let first: String
        var names: [String] = []
        var count = 0

        mutating func add(_ name: String, atMost most: Int) {
            count += 1
            if names.count < most { names.append(name) }
        }
    }

    /// By the first words of the sentence at the end. The first file of a cause has a line of its own.
    private var alike: [String: [String: Alike]] = [:]
    /// Names that such a sentence has, at most.
    private static let mostNames = 3
    private let gathersAlike: Bool
    /// The codes of what destinations wait for, as far as a line has told of it.
    private var told: [String: String] = [:]
    /// Each attempt that failed has a line, with when it is tried again.
    private let isVerbose: Bool

    /// - Parameter gathersAlike: of files that fail or are refused for one reason, the first has a line, and ``rest`` has the
    ///   others.
    init(isVerbose: Bool = false, gathersAlike: Bool = false) {
        self.isVerbose = isVerbose
        self.gathersAlike = gathersAlike && !isVerbose
    }

    /// Sentences on the files that ``line(_:)`` left out, one for each cause.
    var rest: [String] {
        alike.sorted { $0.key < $1.key }.flatMap { what, causes in
            causes.values.filter { $0.count > 0 }.sorted { $0.first < $1.first }.map { alike in
                let more = alike.count - alike.names.count
                let names = alike.names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
                return Printable.line("\(what) for the same reason as \(alike.first): \(names)")
            }
        }
    }

    /// Whether another file had the same trouble before, for the same reason.
    private mutating func gather(_ event: SubmitEvent) -> Bool {
        let (what, name, path, failure): (String, String, String, SubmitFailure)
        switch event {
        case .refused(let file, _, let reason):
            (what, name, path, failure) = ("refused", file.lastComponent?.string ?? file.string, file.string, reason)
        case .failed(let note, let reason):
            (what, name) = ("failed at \(note.destination)", note.item.name)
            (path, failure) = (note.item.source.string, reason)
        case .accepted(let item, _, let submissions):
            let refusals = submissions.compactMap { submission in
                submission.refusal.map { (submission.destination, $0) }
            }
            guard let first = refusals.first else { return false }
            what = "failed at \(refusals.map(\.0).joined(separator: " and "))"
            (name, path, failure) = (item.name, item.source.string, first.1)
        default: return false
        }
        let cause = "\(failure.code) " + failure.message.replacing(path, with: "").replacing(name, with: "")
        guard alike[what]?[cause] != nil else {
            alike[what, default: [:]][cause] = Alike(first: name)
            return false
        }
        alike[what]?[cause]?.add(name, atMost: Self.mostNames)
        return true
    }

    /// `nil` for events that are not worth a line.
    mutating func line(_ event: SubmitEvent) -> EventLine? {
        if gathersAlike, gather(event) { return nil }
        switch event {
        case .waiting(let note, let failure, let until) where isVerbose:
            return EventLine(waiting: note, failure, until: until)
        case .onHold(let state):
            guard isNews(state.name, state.hold?.code) else { return nil }
        case .waiting(let note, let failure, _):
            // Where the destination waits, all its submissions do; and that something is being processed is no trouble.
            switch failure.remedy {
            case .hold, .tryAnother, .renewCredentials, .wait:
                guard isNews(note.destination, failure.code) else { return nil }
            default: break
            }
        case .sourceKept(_, _, let failure, isForGood: false):
            // The sum tells how many there are.
            guard isNews("", failure.code) else { return nil }
        case .holdEnded(let destination): told[destination] = nil
        case .leftBehind where !isVerbose: return nil
        default: break
        }
        return EventLine(event)
    }

    private mutating func isNews(_ destination: String, _ code: String?) -> Bool {
        guard told[destination] != code else { return false }
        told[destination] = code
        return true
    }
}

/// An event as a line of text.
struct EventLine {
    let text: String
    let isTrouble: Bool

    /// An attempt that failed, in full.
    init(waiting note: SubmissionNote, _ failure: SubmitFailure, until: Timestamp?) {
        let time = until.map { $0 <= .now ? "at once" : "at \(JSONOutput.time($0))" } ?? "when someone has acted"
        text =
            "waiting: \(note.item.name) → \(note.destination): attempt \(note.attempt) failed (\(failure.code)): "
            + "\(failure.advised(at: note.destination)) It is tried again \(time)."
        isTrouble = true
    }

    /// `nil` for events that are not worth a line.
    init?(_ event: SubmitEvent) {
        switch event {
        case .done(let note, let receipt):
            let how = receipt.isOfSkipped ? "skipped" : receipt.wasThere ? "was there" : "done"
            let place = receipt.url ?? receipt.remoteID
            let made = note.recipe.flatMap { try? RenditionPolicy($0) }.flatMap {
                $0.isOriginal ? nil : $0.words(of: note.item.type.kind)
            }
            let remarks = [made, receipt.note].compactMap(\.self)
            let remark = remarks.isEmpty ? "" : " (\(remarks.joined(separator: "; ")))"
            (text, isTrouble) = (
                "\(how): \(note.item.name) → \(note.destination): \(receipt.evidence.rawValue) \(place)\(remark)", false
            )
        case .failed(let note, let failure):
            (text, isTrouble) = (
                "failed: \(note.item.name) → \(note.destination): \(failure.advised(at: note.destination))", true
            )
        case .waiting(let note, let failure, _):
            (text, isTrouble) = (
                "waiting: \(note.item.name) → \(note.destination): \(failure.advised(at: note.destination))", true
            )
        case .cancelled(let note):
            (text, isTrouble) = ("cancelled: \(note.item.name) → \(note.destination)", false)
        case .refused(_, _, let failure):
            (text, isTrouble) = ("refused: \(failure.advised())", true)
        case .accepted(let item, _, let submissions):
            let refusals = submissions.compactMap { submission in
                submission.refusal.map {
                    "failed: \(item.name) → \(submission.destination): \($0.advised(at: submission.destination))"
                }
            }
            guard !refusals.isEmpty else { return nil }
            (text, isTrouble) = (refusals.joined(separator: "; "), true)
        case .onHold(let state):
            guard let why = state.advised else { return nil }
            (text, isTrouble) = ("\(state.name) is on hold: \(why)", true)
        case .holdEnded(let destination):
            (text, isTrouble) = ("\(destination) works again.", false)
        case .sourceRemoved(let item, _, let place):
            (text, isTrouble) = ("removed: \(item.source)\(place.map { " → \($0)" } ?? "")", false)
        case .sourceKept(_, _, let failure, _):
            (text, isTrouble) = ("kept: \(failure.advised())", true)
        case .leftBehind(let left, _):
            (text, isTrouble) = ("left behind: \(left.path) (\(left.reason.words.one))", false)
        case .paused, .resumed, .batchComplete, .started:
            return nil
        }
    }
}
