internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// Plain lines, one for each thing that came to an end: for pipes and logs.
final class LineDisplay: Display {
    private let isQuiet: Bool
    private var lines: EventLines

    /// - Parameters:
    ///   - isQuiet: only what went wrong.
    ///   - isVerbose: each attempt that failed, and when it is tried again.
    ///   - isEndless: no end tells of the files that have no line.
    init(isQuiet: Bool, isVerbose: Bool = false, isEndless: Bool = false) {
        self.isQuiet = isQuiet
        lines = EventLines(isVerbose: isVerbose, gathersAlike: isQuiet && !isEndless)
    }

    func show(_ event: SubmitEvent) {
        guard let line = lines.line(event), !isQuiet || line.isTrouble else { return }
        let text = Printable.line(line.text)
        line.isTrouble ? Output.trouble(text) : Output.line(text)
    }

    func tick(_ watch: RunWatch) {
        Output.flush()
    }

    func finish(_ report: Report) async {
        (lines.rest + report.incomplete.sentences).forEach(Output.trouble)
        if !isQuiet {
            await Summary(report).print()
        } else if report.status == .leftBehind, let last = report.leftBehind.lastSentence {
            // The exit code has to have a reason.
            Output.trouble(last)
        }
    }
}
