internal import Dispatch
package import Submit
internal import SubmitConcurrency
internal import SubmitPluginProtocol
package import SystemPackage

/// A conversation with a host, over two descriptors.
///
/// One thread reads; requests run as tasks, side by side. The thread that reads runs nothing of the submitter and never
/// writes, so that it always gets to what the host says next.
package final class HostConnection: Sendable {
    /// How a conversation ended.
    package enum Ending: Sendable, Hashable {
        /// With its input; all requests ended.
        case finished
        /// With its input; requests are still running that do not end when they are cancelled.
        case hanging
        /// With a line that is no message, and what is wrong with it.
        case malformed(String)
    }

    private struct State {
        /// Those whose end is not told yet.
        var tasks: [Int: Task<Void, Never>] = [:]
        var running = 0
        var isOver = false
    }

    private let submitter: ServedSubmitter
    private let writer: LineWriter
    private let questions: Questions
    private let state = Locked(State())
    private let allEnded = DispatchSemaphore(value: 0)
    private let errands = DispatchQueue(label: "submit.answers")

    package init(_ type: SubmitterType, silenceSeconds: Int = 300, writing output: FileDescriptor) {
        writer = LineWriter(output)
        questions = Questions(writer)
        submitter = ServedSubmitter(type, silenceSeconds: silenceSeconds, writer: writer, questions: questions)
    }

    /// Serves until the input ends, then cancels what is open and waits for it.
    ///
    /// - Parameter patience: how long it waits at the end, in milliseconds.
    package func run(reading input: FileDescriptor, patience: Int = 4000) async -> Ending {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "submit.input").async {
                continuation.resume(returning: self.converse(LineReader(input), patience))
            }
        }
    }

    private func converse(_ lines: LineReader, _ patience: Int) -> Ending {
        var lines = lines
        var ending = Ending.finished
        do throws(MalformedMessage) {
            while let line = try lines.next() { try take(HostMessage(line: line)) }
        } catch {
            ending = .malformed(error.complaint)
        }
        let (tasks, areRunning) = state.withLock { state in
            state.isOver = true
            return (Array(state.tasks.values), state.running > 0)
        }
        // First: what is cancelled asks nothing that nobody answers.
        questions.end()
        for task in tasks { task.cancel() }
        if areRunning {
            // A semaphore of Dispatch waits by the wall clock, which may be set back; its timers do not.
            DispatchQueue(label: "submit.patience").asyncAfter(deadline: .now() + .milliseconds(patience)) {
                self.allEnded.signal()
            }
            allEnded.wait()
            if ending == .finished, state.withLock({ $0.running > 0 }) { ending = .hanging }
        }
        return ending
    }

    private func take(_ message: HostMessage) throws(MalformedMessage) {
        switch message {
        case .request(let id, let request): try begin(request, id: id)
        case .cancel(let id): state.withLock { $0.tasks[id] }?.cancel()
        case .answer(let question, let answer): questions.reply(question, .answer(answer))
        case .denied(let question, let failure): questions.reply(question, .denied(failure))
        case .unsupported(let question): questions.reply(question, .unsupported)
        case .unknown(_, let id):
            if let id { errands.async { self.writer.write(.unsupported(id: id)) } }
        }
    }

    private func begin(_ request: HostRequest, id: Int) throws(MalformedMessage) {
        try state.withLock { state throws(MalformedMessage) in
            guard state.tasks[id] == nil else { throw MalformedMessage("“id” is that of an open request") }
            state.running += 1
            state.tasks[id] = Task { await self.serve(request, id: id) }
        }
    }

    private func serve(_ request: HostRequest, id: Int) async {
        let message: SubmitterMessage
        do throws(SubmitFailure) {
            message = try await submitter.outcome(of: request, id: id).map { .done(id: id, $0) } ?? .unsupported(id: id)
        } catch {
            message = .failed(id: id, error)
        }
        state.withLock { $0.tasks[id] = nil }
        writer.write(message)
        let isLast = state.withLock { state in
            state.running -= 1
            return state.isOver && state.running == 0
        }
        if isLast { allEnded.signal() }
    }
}
