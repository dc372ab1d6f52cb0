internal import Foundation
internal import Submit
internal import SubmitPlatform
internal import SystemPackage

/// A line typed on the terminal that nobody sees.
enum HiddenInput {
    /// Whether there is a terminal to ask at; standard input and output may be something else.
    static var isThere: Bool { terminal.map { (try? $0.close()) != nil } ?? false }

    /// Asks for a line; `nil` where there is no terminal, or its user ended the input.
    ///
    /// - Throws: ``SubmitFailure/cancelled`` for Ctrl-C.
    static func line(_ prompt: String) throws(SubmitFailure) -> [UInt8]? {
        guard let terminal else { return nil }
        defer { try? terminal.close() }
        var usual = termios()
        guard tcgetattr(terminal.rawValue, &usual) == 0 else { return nil }
        var hidden = usual
        // No signals either: who breaks off must find the terminal as it was.
        hidden.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard tcsetattr(terminal.rawValue, TCSAFLUSH, &hidden) == 0 else { return nil }
        defer {
            tcsetattr(terminal.rawValue, TCSAFLUSH, &usual)
            _ = try? terminal.writeAll("\n".utf8)
        }
        let columns = Terminal.columns(of: terminal.rawValue) ?? 80
        _ = try? terminal.writeAll(Printable.wrapped(prompt, columns).utf8)
        return try typed(at: terminal)
    }

    private static var terminal: FileDescriptor? {
        try? FileDescriptor.open("/dev/tty", .readWrite, options: [.closeOnExec])
    }

    private static func typed(at terminal: FileDescriptor) throws(SubmitFailure) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = read(terminal.rawValue, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return line.isEmpty ? nil : line }
            switch byte {
            case 0x0a, 0x0d: return line
            case 0x03: throw .cancelled
            case 0x04:
                if line.isEmpty { return nil }
                return line
            case 0x08, 0x7f:
                // A whole character: its first byte is none of 10xxxxxx.
                while let last = line.popLast(), last & 0xc0 == 0x80 {}
            case 0x15: line = []
            default: if line.count < 4096 { line.append(byte) }
            }
        }
    }
}
