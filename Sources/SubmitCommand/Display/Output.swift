internal import CLinux
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SystemPackage

/// Standard output and standard error, as text.
///
/// All that is printed goes through the C library's standard output, which remembers that something could not be written.
enum Output {
    private static let firstTrouble = Locked<CInt>(0)

    /// Why some of what was printed could not be written, as far as it was flushed.
    static var trouble: Errno? {
        let trouble = firstTrouble.withLock { $0 }
        return trouble == 0 ? nil : Errno(rawValue: trouble)
    }

    /// Prints text for people. A terminal gets lines that break between words.
    static func line(_ text: String) {
        print(wrapped(text, for: STDOUT_FILENO))
    }

    /// Prints text for programs, as it is.
    static func record(_ text: String) {
        print(text)
    }

    /// Prints text for people to standard error, after everything that was printed before.
    static func trouble(_ text: String) {
        raw(LiveTerminal.clearing)
        flush()
        StandardError.line(wrapped(text, for: STDERR_FILENO))
    }

    private static func wrapped(_ text: String, for descriptor: CInt) -> String {
        Terminal.columns(of: descriptor).map { Printable.wrapped(text, $0) } ?? text
    }

    /// Goes to standard error whatever else cannot be written: a reader of standard output may be stuck.
    static func alarm(_ text: String, terminator: String = "\n") {
        // Lines that are written over are on standard output, which may be another terminal.
        let ending = LiveTerminal.ending
        if !ending.isEmpty, isatty(STDERR_FILENO) == 0 {
            _ = ending.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
        }
        StandardError.write((isatty(STDERR_FILENO) == 0 ? "" : ending) + text + terminator)
    }

    /// Goes to standard error, and the answer is typed behind it.
    static func question(_ text: String) {
        flush()
        StandardError.write(wrapped(text, for: STDERR_FILENO) + " ")
    }

    static func raw(_ text: String) {
        print(text, terminator: "")
    }

    static func flush() {
        let error = submit_flush_standard_output()
        if error != 0 { firstTrouble.withLock { $0 = $0 == 0 ? error : $0 } }
    }
}
