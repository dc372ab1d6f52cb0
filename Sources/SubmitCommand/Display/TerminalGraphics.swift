internal import ArgumentParser
internal import CDesktopLibraries
internal import Foundation

/// How a terminal shows pictures.
enum TerminalGraphics: String, CaseIterable, ExpressibleByArgument {
    /// https://sw.kovidgoyal.net/kitty/graphics-protocol/
    case kitty
    /// https://iterm2.com/documentation-images.html
    case iterm
    /// https://vt100.net/docs/vt3xx-gp/chapter14.html, where libsixel is.
    case sixel
}

/// What a terminal says of itself.
struct TerminalTraits {
    /// `nil`: it shows none.
    let graphics: TerminalGraphics?
    /// Pixels of a character's cell; `nil`: it does not say.
    let cell: (width: Int, height: Int)?

    /// Asks for a picture of a pixel as kitty has it, the terminal's name (XTVERSION), its cells (XTWINOPS 16), and, what each
    /// terminal answers, and so the end of all answers, its kind (DA1): https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
    static let question = "\u{1b}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1b}\\\u{1b}[>q\u{1b}[16t\u{1b}[c"

    /// - Parameter answers: all that came back.
    /// - Returns: `nil` where there is more to come.
    init?(answers: String, hasSixels: Bool = submit_sixel_is_there() != 0) {
        guard let kind = answers.firstMatch(of: /\u{1b}\[\?([0-9;]*)c/)?.1 else { return nil }
        let isKitty = answers.contains("\u{1b}_Gi=31;OK")
        let name = answers.firstMatch(of: /\u{1b}P>\|([^\u{1b}]*)/)?.1 ?? ""
        if isKitty {
            graphics = .kitty
        } else if name.hasPrefix("iTerm2") || name.hasPrefix("WezTerm") {
            graphics = .iterm
        } else {
            graphics = hasSixels && kind.split(separator: ";").dropFirst().contains("4") ? .sixel : nil
        }
        let size = answers.firstMatch(of: /\u{1b}\[6;([0-9]{1,4});([0-9]{1,4})t/)
        if let height = size.flatMap({ Int($0.1) }), let width = size.flatMap({ Int($0.2) }), width > 0, height > 0 {
            cell = (width, height)
        } else {
            cell = nil
        }
    }

    /// Asks the terminal that this process is in front of.
    ///
    /// - Parameter patience: milliseconds that it may take.
    /// - Returns: `nil` where there is none, or where it does not answer.
    static func ask(patience: Int = 1000) -> TerminalTraits? {
        guard Terminal.isThere, !Terminal.isWithoutReports else { return nil }
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        // What was typed ahead is for who comes next, and in the background the terminal is somebody else's.
        var typed: CInt = 0
        guard tcgetpgrp(terminal) == getpgrp(), ioctl(terminal, UInt(FIONREAD), &typed) == 0, typed == 0 else {
            return nil
        }
        var usual = termios()
        guard tcgetattr(terminal, &usual) == 0 else { return nil }
        var quiet = usual
        // Without its signals: whoever is ended by one would leave the terminal without an echo.
        quiet.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        guard tcsetattr(terminal, TCSANOW, &quiet) == 0 else { return nil }
        Output.flush()
        var answers: [UInt8] = []
        var traits: TerminalTraits?
        if question.withCString({ write(terminal, $0, strlen($0)) }) == question.utf8.count {
            traits = read(terminal, &answers, until: ContinuousClock.now + .milliseconds(patience))
        }
        // What comes in part is for nobody else.
        tcsetattr(terminal, traits == nil ? TCSAFLUSH : TCSANOW, &usual)
        if answers.contains(interrupt) { raise(SIGINT) }
        return traits
    }

    /// Ctrl-C.
    private static let interrupt: UInt8 = 3

    private static func read(
        _ terminal: CInt, _ answers: inout [UInt8], until end: ContinuousClock.Instant
    ) -> TerminalTraits? {
        var bytes = [UInt8](repeating: 0, count: 256)
        // No terminal has more to say.
        while answers.count < 4096 {
            let left = Int((end - .now) / .milliseconds(1))
            var event = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            guard left > 0, poll(&event, 1, CInt(left)) > 0 else { return nil }
            let count = Glibc.read(terminal, &bytes, bytes.count)
            guard count > 0 else { return nil }
            answers += bytes[..<count]
            if let traits = TerminalTraits(answers: String(decoding: answers, as: UTF8.self)) { return traits }
        }
        return nil
    }
}
