import Foundation
import Submit
import SubmitEngine
import SubmitJournal
import Testing

@testable import SubmitCommand

/// The lines that are written over, on a terminal in memory.
@Suite struct `The live lines` {
    /// A destination at which so much is done, and so much under way.
    private func moment(
        _ name: String = "nas", _ done: Int = 0, of total: Int = 9, underWay: [(String, Int64)] = [],
        size: Int64 = 1_000_000, state: DestinationState? = nil
    ) -> DestinationMoment {
        var moment = DestinationMoment(name: name, total: total, done: done)
        moment.totalSize = Int64(total) * size
        moment.doneSize = Int64(done) * size
        moment.leftSize = moment.totalSize - moment.doneSize
        moment.sent = moment.doneSize + underWay.reduce(0) { $0 + $1.1 }
        moment.files = underWay.enumerated().map { index, file in
            FileMoment(
                submission: SubmissionID(rawValue: Int64(done + index + 1)), name: file.0, sent: file.1, size: size)
        }
        moment.state = state
        return moment
    }

    private func makeDisplay(_ terminal: TerminalModel, showsProgress: Bool = false) -> LiveDisplay {
        let screen = Screen(
            size: { (terminal.columns, terminal.rows) }, hasColor: false, showsProgress: showsProgress,
            write: terminal.write)
        return LiveDisplay(on: screen, suspends: false)
    }

    @Test func `tell bytes, percent, files and the time left, several where there is room`() {
        let terminal = TerminalModel(columns: 100, rows: 24)
        let display = makeDisplay(terminal)
        for step in 0...50 {
            let sent = Int64(step) * 100_000
            let done = Int(sent / 1_000_000)
            display.paint(
                [moment("nas", done, underWay: [("IMG_\(done).jpg", sent % 1_000_000)])], at: Double(step) / 10)
        }
        #expect(
            terminal.text == [
                "nas   55 %  5 of 9  5.0 MB of 9.0 MB  1.0 MB/s  5 s left",
                "  IMG_5.jpg                         0 % of 1.0 MB", "5 s so far",
            ])
    }

    @Test func `are one a destination on a narrow terminal, and never wider than it`() {
        let terminal = TerminalModel(columns: 40, rows: 24)
        let display = makeDisplay(terminal)
        let hold = DestinationState(
            name: "cloud",
            hold: .init(reason: .full, until: nil, count: 1, code: "full", message: "There is no room left at all."))
        for step in 0...40 {
            display.paint(
                [
                    moment("写真の置き場所", 1, underWay: [("港の朝の写真です.jpg", Int64(step) * 10000)]),
                    moment("cloud", 1, state: hold),
                ], at: Double(step) / 10)
        }
        #expect(terminal.text.count == 2 && terminal.text.allSatisfy { Printable.width($0) < 40 }, "\(terminal.text)")
        #expect(terminal.text[0].hasPrefix("写真の…") && terminal.text[0].contains(" %"), "\(terminal.text)")
        #expect(terminal.text[1].contains("on hold: The"), "\(terminal.text)")
    }

    @Test(arguments: [true, false])
    func `leave nothing behind on a terminal that becomes narrower`(_ wraps: Bool) {
        let terminal = TerminalModel(columns: 100, rows: 24, wraps: wraps)
        let display = makeDisplay(terminal)
        terminal.write("$ submit\n")
        for (step, columns) in [100, 100, 30, 30, 55, 20, 90].enumerated() {
            terminal.columns = columns
            display.paint(
                [moment("nas", step, underWay: [("IMG_1.jpg", 5)]), moment("disk", step, of: 10)],
                at: Double(step) / 10)
            let nas = terminal.text.filter { $0.hasPrefix("nas") }
            #expect(nas.count == 1 && nas[0].contains("\(step) of 9"), "\(columns): \(terminal.text)")
            #expect(terminal.text.count { $0.hasPrefix("disk") } == 1, "\(columns): \(terminal.text)")
        }
        display.leave()
        #expect(terminal.text == ["$ submit"])
    }

    @Test func `say why nothing goes out, and until when`() {
        let until = Timestamp.now.advanced(by: .seconds(42))
        let hold = DestinationState(
            name: "nas",
            hold: .init(reason: .unreachable, until: until, count: 1, code: "down", message: "“nas” cannot be reached.")
        )
        #expect(
            Slowness(moment(state: hold), again: [])?.sentence
                == "on hold, looked at again in 42 s: “nas” cannot be reached.")
        let paused = Slowness(moment(state: DestinationState(name: "nas", isPaused: true)), again: [])
        #expect(paused?.sentence.hasPrefix("paused") == true && paused?.isStanding == true)
        let again = Slowness(moment(), again: [(until, "The server was busy."), (nil, "No.")])
        #expect(again?.sentence == "2 are tried again, the first in 42 s: The server was busy.")
        var slow = moment(underWay: [("a", 5)])
        slow.pace = DestinationPace(
            destination: "nas", underWay: 1, width: 1, widest: 1, isInOrder: false, minimumGap: .seconds(10))
        #expect(Slowness(slow, again: [])?.sentence == "one every 10 s at the most, as it asks for")
        slow.pace = DestinationPace(
            destination: "nas", underWay: 4, width: 4, widest: 64, isInOrder: false, minimumGap: .zero)
        #expect(Slowness(slow, again: [])?.sentence == "4 small ones at once, up to 64 while it answers as fast")
        #expect(Slowness(moment(of: 1, underWay: [("a", 1_000_000)]), again: [])?.code == "answers")
        #expect(Slowness(moment("nas", 9), again: []) == nil)
    }

    @Test func `take the progress off the tab when they end, however they do`() {
        let terminal = TerminalModel(columns: 100, rows: 24)
        let display = makeDisplay(terminal, showsProgress: true)
        display.paint([moment("nas", 3)], at: 0)
        #expect(terminal.written.contains("\u{1b}]9;4;1;33\u{1b}\\"))
        display.leave()
        #expect(terminal.written.hasSuffix("\u{1b}]9;4;0;0\u{1b}\\"))
    }

    @Test func `are followed on the tab only by terminals that are known to`() {
        for known in [
            ["WT_SESSION": "x"], ["ConEmuANSI": "ON"], ["TERM_PROGRAM": "ghostty"], ["TERM_PROGRAM": "WezTerm"],
            ["PTYXIS_VERSION": "48.1"],
            ["TERM_PROGRAM": "iTerm.app", "TERM_FEATURES": "T3CwLrMSc7UUw9Ts3BFGsSyHNoSxFP"],
        ] {
            #expect(TaskbarProgress.isKnown(known), "\(known)")
        }
        for other in [
            [:], ["TERM": "xterm-256color"], ["TERM_PROGRAM": "iTerm.app"], ["PTYXIS_VERSION": "47.9"],
            ["TERM_PROGRAM": "iTerm.app", "TERM_FEATURES": "T3CwLrMSc7UUw9Ts3BFGsSyHNoSxF"], ["TERM": "xterm-kitty"],
        ] {
            #expect(!TaskbarProgress.isKnown(other), "\(other)")
        }
    }
}

/// What a terminal makes of what is written to it, as far as we use it.
final class TerminalModel {
    var columns: Int
    let rows: Int
    /// Lines that are wider than it are wrapped; otherwise they are cut.
    let wraps: Bool
    private var lines: [[Character]] = [[]]
    /// In lines and characters, wherever they are shown.
    private var cursor = (line: 0, column: 0)
    private(set) var written = ""

    init(columns: Int, rows: Int, wraps: Bool = true) {
        (self.columns, self.rows, self.wraps) = (columns, rows, wraps)
    }

    /// The rows as people see them, without empty ones at the end.
    var text: [String] {
        var shown = lines.flatMap { rows($0) }
        while shown.last?.allSatisfy({ $0 == " " }) == true { shown.removeLast() }
        return shown.map { String($0) }
    }

    private func rows(_ line: [Character]) -> [[Character]] {
        guard wraps, line.count > columns else { return [line] }
        return stride(from: 0, to: line.count, by: columns).map { Array(line[$0..<min(line.count, $0 + columns)]) }
    }

    func write(_ text: String) {
        written += text
        var rest = text[...]
        while !rest.isEmpty {
            if let match = rest.prefixMatch(of: /\u{1b}\[([?0-9]*)([A-Za-z])|\u{1b}\][^\u{1b}]*\u{1b}\\/) {
                if let command = match.2 { obey(command, Int(match.1 ?? "") ?? 1) }
                rest = rest[match.range.upperBound...]
            } else {
                put(rest.removeFirst())
            }
        }
    }

    private func put(_ character: Character) {
        switch character {
        case "\r": cursor.column = 0
        case "\n":
            cursor = (cursor.line + 1, 0)
            if cursor.line == lines.count { lines.append([]) }
        case "\r\n": for part: Character in ["\r", "\n"] { put(part) }
        default:
            while lines[cursor.line].count <= cursor.column { lines[cursor.line].append(" ") }
            lines[cursor.line][cursor.column] = character
            cursor.column += 1
        }
    }

    private func obey(_ command: Substring, _ number: Int) {
        switch command {
        case "A":
            // It goes up by what is shown, not by what was written.
            var up = number
            while up > 0, cursor.line > 0 {
                cursor.line -= 1
                up -= rows(lines[cursor.line]).count
            }
        case "K": lines[cursor.line].removeSubrange(min(cursor.column, lines[cursor.line].count)...)
        case "J":
            lines[cursor.line].removeSubrange(min(cursor.column, lines[cursor.line].count)...)
            lines.removeSubrange((cursor.line + 1)...)
        default: break
        }
    }
}
