@preconcurrency internal import Dispatch
internal import Foundation

/// Takes the live lines away before Ctrl-Z stops the process: the shell's own lines come in their place.
final class Suspension {
    private let source: (any DispatchSourceSignal)?

    init() {
        // Who started us may want it ignored, as shells without job control do.
        let before = signal(SIGTSTP, SIG_IGN)
        guard unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) else {
            source = nil
            return
        }
        let source = DispatchSource.makeSignalSource(signal: SIGTSTP, queue: .global())
        source.setEventHandler {
            Output.alarm(LiveTerminal.ending, terminator: "")
            kill(getpid(), SIGSTOP)
        }
        source.resume()
        self.source = source
    }

    func end() {
        guard let source, !source.isCancelled else { return }
        source.cancel()
        signal(SIGTSTP, SIG_DFL)
    }
}
