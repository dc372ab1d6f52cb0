@preconcurrency internal import Dispatch
internal import Foundation
internal import Submit
internal import SubmitConcurrency

/// Signals that end a run: the first one cleanly, the second one at once.
final class Interrupts: Sendable {
    private let sources: [any DispatchSourceSignal]
    private let count = Locked(0)

    /// How long a clean end may take that has nothing to tidy up.
    static let grace = DispatchTimeInterval.milliseconds(1800)

    /// - Parameters:
    ///   - grace: how long a clean end may take.
    ///   - advice: printed when the grace is over.
    ///   - first: called at the first signal.
    init(
        grace: DispatchTimeInterval = Interrupts.grace, advice: @escaping @Sendable () -> String,
        first: @escaping @Sendable () -> Void
    ) {
        let count = count
        sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            // Who started us may want it ignored: nohup(1) does.
            if Self.isIgnored(signal(number, SIG_IGN)) { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let isFirst = count.withLock { count -> Bool in
                    count += 1
                    return count == 1
                }
                guard isFirst else { _exit(ExitStatus.interrupted.rawValue) }
                first()
                // What does not end in time is left: its claims come back as soon as this process is gone.
                DispatchQueue.global().asyncAfter(deadline: .now() + grace) {
                    Output.alarm(advice())
                    _exit(ExitStatus.interrupted.rawValue)
                }
            }
            source.resume()
            return source
        }
    }

    private static func isIgnored(_ handler: sighandler_t?) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    var wasInterrupted: Bool { count.withLock { $0 > 0 } }

    func end() {
        for source in sources { source.cancel() }
    }
}
