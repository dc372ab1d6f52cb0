internal import Foundation

/// Standard output and standard error, as text.
enum Output {
    static func line(_ text: String) {
        print(text)
    }

    /// Goes to standard error, after what was printed before.
    static func trouble(_ text: String) {
        flush()
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// Goes to standard error whatever else cannot be written: a reader of standard output may be stuck.
    static func alarm(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    static func raw(_ text: String) {
        print(text, terminator: "")
    }

    static func flush() {
        fflush(nil)
    }
}
