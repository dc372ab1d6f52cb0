@preconcurrency internal import Dispatch
internal import Foundation
internal import Submit
internal import SubmitConcurrency

/// Signals that end a run: the first one cleanly, the second one at once with a word, the third one without.
final class Interrupts: Sendable {
    private let sources: [any DispatchSourceSignal]
    private let heard = Locked<[CInt]>([])
    private let count = Locked(0)

    /// How long a clean end may take that has nothing to tidy up.
    static let grace = DispatchTimeInterval.milliseconds(1800)

    /// - Parameters:
    ///   - grace: how long a clean end may take.
    ///   - advice: printed when the grace is over, or a second signal came.
    ///   - first: called at the first signal.
    init(
        grace: DispatchTimeInterval = Interrupts.grace, advice: @escaping @Sendable () -> String,
        first: @escaping @Sendable () -> Void
    ) {
        let (count, heard) = (count, heard)
        sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            // Who started us may want it ignored: nohup(1) does.
            if Self.isIgnored(signal(number, SIG_IGN)) { return nil }
            heard.withLock { $0.append(number) }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let isFirst = count.withLock { count -> Bool in
                    count += 1
                    return count == 1
                }
                guard isFirst else { return Self.leave(advice()) }
                first()
                DispatchQueue.global().asyncAfter(deadline: .now() + grace) { Self.leave(advice()) }
            }
            source.resume()
            return source
        }
    }

    /// What has not ended is left: its claims come back as soon as this process is gone.
    private static func leave(_ advice: String) {
        // Standard error may be stuck.
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
        Output.alarm("\(advice) What was under way is left as it is.")
        _exit(ExitStatus.interrupted.rawValue)
    }

    private static func isIgnored(_ handler: sighandler_t?) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    var wasInterrupted: Bool { count.withLock { $0 > 0 } }

    func end() {
        for source in sources { source.cancel() }
        // What comes after may be ended at once.
        for number in heard.withLock({ $0 }) { signal(number, SIG_DFL) }
    }
}
