internal import Foundation
internal import SubmitConcurrency

/// A terminal that lines are written over on.
struct Screen {
    /// Columns and rows, which may change at any time.
    var size: () -> (columns: Int, rows: Int)
    /// Whether it knows colours.
    var hasColor: Bool
    /// Whether it shows how far a program is, by OSC 9;4.
    var showsProgress: Bool
    /// Writes at once.
    var write: (String) -> Void

    static var standard: Screen {
        Screen(
            size: { Terminal.size }, hasColor: Terminal.hasColor,
            showsProgress: TaskbarProgress.isKnown(ProcessInfo.processInfo.environment)
        ) { text in
            Output.raw(text)
            Output.flush()
        }
    }

    func styled(_ text: String, _ style: Terminal.Style) -> String {
        hasColor ? Terminal.colored(text, style) : text
    }
}

/// Lines that are written over by the next ones.
///
/// Between two frames the cursor stands where the first line begins: what a terminal that became narrower makes of the lines
/// behind it, those that wrap them and those that cut them, is gone with the next frame.
struct LiveBlock {
    private let screen: Screen
    private var shown: (lines: [String], columns: Int)?

    init(_ screen: Screen) { self.screen = screen }

    /// - Parameter lines: each of fewer columns than the screen has; no more than rows.
    mutating func show(_ lines: [String], _ columns: Int) {
        if let shown, shown.lines == lines, shown.columns == columns { return }
        if lines.isEmpty { return clear() }
        shown = (lines, columns)
        LiveTerminal.begin()
        // Without wrapping (DECAWM), should the terminal have become narrower since it was asked.
        let up = lines.count > 1 ? "\u{1b}[\(lines.count - 1)A" : ""
        screen.write("\r\u{1b}[?7l\(lines.joined(separator: "\u{1b}[K\n"))\u{1b}[K\u{1b}[J\u{1b}[?7h\(up)\r")
    }

    mutating func clear() {
        guard shown != nil else { return }
        shown = nil
        screen.write("\r\u{1b}[J")
    }
}

/// What has to be undone on the terminal before this process says anything else there, or ends.
enum LiveTerminal {
    private static let state = Locked((isThere: false, undo: ""))

    static func begin() { state.withLock { $0.isThere = true } }

    /// - Parameter undo: written besides when the process ends.
    static func atEnd(_ undo: String) { state.withLock { $0.undo = undo } }

    static func end() { state.withLock { $0 = (false, "") } }

    /// Away with the lines: others are about to be written.
    static var clearing: String { state.withLock { $0.isThere ? "\r\u{1b}[J" : "" } }

    /// The same, before the process ends.
    static var ending: String { state.withLock { $0.isThere ? "\r\u{1b}[J\($0.undo)" : $0.undo } }
}
