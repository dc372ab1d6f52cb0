internal import Foundation

/// The terminal on standard output, if there is one.
enum Terminal {
    static var isThere: Bool { isatty(STDOUT_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb" }

    /// Those that print what they are asked.
    static var isWithoutReports: Bool {
        let kind = getenv("TERM").map { String(cString: $0) } ?? ""
        return ["", "linux", "eterm"].contains(kind) || kind.hasPrefix("eterm-") || getenv("INSIDE_EMACS") != nil
    }

    /// Pixels of a character, where the kernel was told.
    static var cell: (width: Int, height: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0,
            size.ws_xpixel >= size.ws_col, size.ws_ypixel >= size.ws_row
        else { return nil }
        return (Int(size.ws_xpixel / size.ws_col), Int(size.ws_ypixel / size.ws_row))
    }

    static var columns: Int { size.columns }

    /// - Returns: `nil` if `descriptor` is no terminal, or one that doesn't know its size.
    static func columns(of descriptor: CInt) -> Int? {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }

    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    /// https://no-color.org: any value that is not empty.
    static var hasColor: Bool {
        isThere && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
    }

    /// To the line's beginning, and what stands on it away (ECMA-48, EL).
    static let clearLine = "\r\u{1b}[2K"

    enum Style: String {
        case good = "32"
        case bad = "31"
        case waiting = "33"
        case quiet = "2"
        case strong = "1"
    }

    static func colored(_ text: String, _ style: Style) -> String { "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" }

    static func styled(_ text: String, _ style: Style) -> String {
        hasColor ? colored(text, style) : text
    }
}
