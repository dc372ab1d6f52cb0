@preconcurrency internal import Dispatch
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform

/// Signals that end the program: the first one cleanly, the second one at once.
final class EndSignals: Sendable {
    private let sources: [any DispatchSourceSignal]
    private let count = Locked(0)

    var wereHeard: Bool { count.withLock { $0 > 0 } }

    init(_ first: @escaping @Sendable () -> Void) {
        let count = count
        sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            let before = signal(number, SIG_IGN)
            // Whoever started us may want it ignored: nohup(1) does.
            if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let isFirst = count.withLock { count -> Bool in
                    count += 1
                    return count == 1
                }
                guard isFirst else { _exit(130) }
                first()
                DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(5)) { _exit(130) }
            }
            source.resume()
            return source
        }
    }

    func end() { for source in sources { source.cancel() } }
}
