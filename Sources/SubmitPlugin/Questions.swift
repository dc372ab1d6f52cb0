internal import Dispatch
internal import Submit
internal import SubmitConcurrency
internal import SubmitPluginProtocol

/// The questions to the host that wait for a reply.
///
/// Replies come on the thread that reads standard input, which runs nothing of a submitter: so a thread may block until
/// its reply is there, even where all of Swift's own threads do.
final class Questions: Sendable {
    private typealias Taker = @Sendable (HostReply) -> Void

    private struct State {
        var last = 0
        var open: [Int: Taker] = [:]
        var queued: [(question: HostQuestion, taker: Taker)] = []
        var isOver = false

        mutating func number(_ taker: @escaping Taker) -> Int {
            last += 1
            open[last] = taker
            return last
        }
    }

    private let writer: LineWriter
    private let state = Locked(State())
    /// For what the reading thread has to write: it must never wait until the host reads.
    private let errands = DispatchQueue(label: "submit.questions")

    init(_ writer: LineWriter) {
        self.writer = writer
    }

    /// Asks, and waits for the reply.
    func ask(_ question: HostQuestion) async -> HostReply {
        await withCheckedContinuation { continuation in
            ask(question) { continuation.resume(returning: $0) }
        }
    }

    /// Asks, and blocks the thread until the reply is there.
    func askBlocking(_ question: HostQuestion) -> HostReply {
        let box = Locked<HostReply>(.unsupported)
        let hasCome = DispatchSemaphore(value: 0)
        ask(question) { reply in
            box.withLock { $0 = reply }
            hasCome.signal()
        }
        hasCome.wait()
        return box.withLock { $0 }
    }

    /// Hands a reply to whoever waits for it. One that nobody waits for is none.
    func reply(_ number: Int, _ reply: HostReply) {
        let (taker, next) = state.withLock { state in
            guard let taker = state.open.removeValue(forKey: number) else { return (nil, nil) as Due }
            guard !state.queued.isEmpty else { return (taker, nil) }
            let (question, nextTaker) = state.queued.removeFirst()
            return (taker, .question(state.number(nextTaker), question))
        }
        if let next { errands.async { self.writer.write(next) } }
        taker?(reply)
    }

    /// Denies what waits and what is yet asked: no reply will come.
    func end() {
        let takers = state.withLock { state in
            defer { (state.open, state.queued, state.isOver) = ([:], [], true) }
            return Array(state.open.values) + state.queued.map(\.taker)
        }
        for taker in takers { taker(.denied(.cancelled)) }
    }

    private typealias Due = (Taker?, SubmitterMessage?)

    private func ask(_ question: HostQuestion, _ taker: @escaping Taker) {
        let (denied, message) = state.withLock { state in
            if state.isOver { return (taker, nil) as Due }
            guard state.open.count < PluginProtocol.mostQuestions else {
                state.queued.append((question, taker))
                return (nil, nil)
            }
            return (nil, .question(state.number(taker), question))
        }
        if let message { writer.write(message) }
        denied?(.denied(.cancelled))
    }
}
