internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// Why a destination is no faster, or why nothing goes out to it.
struct Slowness: Equatable {
    /// For programs.
    var code: String
    var sentence: String
    /// Nothing goes out.
    var isStanding = true

    /// - Parameter again: what is to be tried again, when, and why.
    init?(_ moment: DestinationMoment, again: [(until: Timestamp?, why: String)]) {
        guard moment.left > 0 else { return nil }
        if moment.state?.isPaused == true, moment.files.isEmpty {
            (code, sentence) = ("paused", "paused: `submit resume` ends that")
        } else if let state = moment.state, let hold = state.hold {
            let until = hold.until.map(Self.wait)
            (code, sentence) = (
                hold.code, "on hold\(until.map { ", looked at again \($0)" } ?? ""): \(state.advised ?? "")"
            )
        } else if let words = Self.again(again) {
            (code, sentence, isStanding) = ("again", words, moment.files.isEmpty)
        } else if case .due(let time, let why)? = moment.waiting {
            (code, sentence) = ("again", "tried again \(Self.wait(time)): \(why)")
        } else if let pace = moment.pace, let quiet = pace.quiet, moment.files.isEmpty {
            let seconds = Double(quiet.components.seconds)
            (code, sentence) = (
                "quiet", "quiet for another \(Printable.time(seconds: max(1, seconds))), as it is configured"
            )
        } else if moment.waiting == .otherProcess {
            (code, sentence) = ("other-process", "another `submit` is sending this")
        } else if moment.waiting == .nobody {
            (code, sentence) = ("nobody", "no `submit` is running: `submit resume` goes on")
        } else if moment.awaitsAnswers {
            (code, sentence, isStanding) = (
                "answers", "all of it is sent, and \(Printable.count(moment.left, "answer")) awaited", false
            )
        } else if let rate = moment.pace?.bytesPerSecond {
            (code, sentence, isStanding) = ("bandwidth", "limited to \(Printable.bytes(rate))/s", false)
        } else if let pace = moment.pace, pace.minimumGap > .zero {
            let gap = Printable.time(seconds: max(1, Double(pace.minimumGap.milliseconds) / 1000))
            (code, sentence, isStanding) = ("gap", "one every \(gap) at the most, as it asks for", false)
        } else if let pace = moment.pace, pace.isInOrder, moment.left > 1 {
            (code, sentence, isStanding) = ("in-order", "one after the other: it takes no two at once", false)
        } else if let pace = moment.pace, pace.width < pace.widest, moment.left > pace.width {
            (code, sentence, isStanding) = (
                "width", "\(pace.width) small ones at once, up to \(pace.widest) while it answers as fast", false
            )
        } else {
            return nil
        }
    }

    private static func again(_ again: [(until: Timestamp?, why: String)]) -> String? {
        let next = again.filter { $0.until.map { $0 > .now } ?? false }.min { ($0.until ?? .now) < ($1.until ?? .now) }
        guard let next, let time = next.until else { return nil }
        let count = again.count == 1 ? "1 is" : "\(again.count) are"
        return "\(count) tried again, \(again.count == 1 ? "" : "the first ")\(wait(time)): \(next.why)"
    }

    private static func wait(_ time: Timestamp) -> String {
        let seconds = (Double(time.nanoseconds) - Double(Timestamp.now.nanoseconds)) / 1e9
        return seconds <= 0 ? "now" : "in \(Printable.time(seconds: seconds))"
    }
}
