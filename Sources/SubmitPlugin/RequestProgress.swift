internal import Dispatch
internal import Submit
internal import SubmitConcurrency
internal import SubmitPluginProtocol

/// How far a request is, told a few times a second at most.
///
/// What is not told yet is told before the request's next question and before its end.
final class RequestProgress: Sendable {
    private struct State {
        var sent: Int64?
        var landed: Int64?
        var isTold = true
        /// It will be told soon.
        var isDue = false
        var isOver = false
    }

    private static let errands = DispatchQueue(label: "submit.progress")

    private let id: Int
    private let writer: LineWriter
    private let milliseconds: Int
    private let state = Locked(State())

    init(id: Int, writer: LineWriter, milliseconds: Int = 250) {
        self.id = id
        self.writer = writer
        self.milliseconds = milliseconds
    }

    func sent(_ bytes: Int64) {
        note { state in
            guard bytes > state.sent ?? -1 else { return false }
            state.sent = bytes
            return true
        }
    }

    func landed(_ bytes: Int64) {
        note { state in
            guard bytes > state.landed ?? -1 else { return false }
            state.landed = bytes
            return true
        }
    }

    /// Tells what is not told.
    func tell() {
        state.withLock { state in
            // Under the lock, so that an earlier number is not written after a later one.
            if state.isTold || state.isOver { return }
            state.isTold = true
            writer.write(.progress(id: id, sent: state.sent, landed: state.landed))
        }
    }

    /// Tells what is not told, and nothing after it.
    func end() {
        tell()
        state.withLock { $0.isOver = true }
    }

    private func note(_ change: (inout State) -> Bool) {
        let isNews = state.withLock { state in
            guard !state.isOver, change(&state) else { return false }
            state.isTold = false
            defer { state.isDue = true }
            return !state.isDue
        }
        guard isNews else { return }
        Self.errands.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
            self.state.withLock { $0.isDue = false }
            self.tell()
        }
    }
}
