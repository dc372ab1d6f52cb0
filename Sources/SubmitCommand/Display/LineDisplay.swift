internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// Plain lines, one for each thing that came to an end: for pipes and logs.
final class LineDisplay: Display {
    private let isQuiet: Bool

    /// - Parameter isQuiet: only what went wrong.
    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
    }

    func show(_ event: SubmitEvent) {
        guard let line = EventLine(event), !isQuiet || line.isTrouble else { return }
        let text = Printable.line(line.text)
        line.isTrouble ? Output.trouble(text) : Output.line(text)
    }

    func tick(_ meters: [LaneMeter], _ states: [DestinationState]) {
        Output.flush()
    }

    func finish(_ report: Report) {
        if !isQuiet { Summary(report).print() }
    }
}

/// An event as a line of text.
struct EventLine {
    let text: String
    let isTrouble: Bool

    /// `nil` for events that are not worth a line.
    init?(_ event: SubmitEvent) {
        switch event {
        case .done(let note, let receipt):
            let isSkipped = receipt.wasThere && receipt.evidence == .unknown
            let how = isSkipped ? "skipped" : receipt.wasThere ? "was there" : "done"
            let place = receipt.url ?? receipt.remoteID
            let remark = receipt.note.map { " (\($0))" } ?? ""
            (text, isTrouble) = ("\(how): \(note.item.name) → \(note.destination): \(receipt.evidence) \(place)\(remark)", false)
        case .failed(let note, let failure):
            (text, isTrouble) = ("failed: \(note.item.name) → \(note.destination): \(failure.sentence)", true)
        case .waits(let note, let failure, _):
            (text, isTrouble) = ("waits: \(note.item.name) → \(note.destination): \(failure.sentence)", true)
        case .cancelled(let note):
            (text, isTrouble) = ("cancelled: \(note.item.name) → \(note.destination)", false)
        case .refused(_, let failure):
            (text, isTrouble) = ("refused: \(failure.sentence)", true)
        case .accepted(let item, _, let submissions):
            let refusals = submissions.compactMap { submission in
                submission.refusal.map { "failed: \(item.name) → \(submission.destination): \($0.sentence)" }
            }
            guard !refusals.isEmpty else { return nil }
            (text, isTrouble) = (refusals.joined(separator: "; "), true)
        case .parked(let state):
            guard let parking = state.parking else { return nil }
            (text, isTrouble) = ("\(state.name) waits: \(parking.sentence)", true)
        case .unparked(let destination):
            (text, isTrouble) = ("\(destination) works again.", false)
        case .paused, .resumed, .passedOver, .sealed, .started:
            return nil
        }
    }
}
