internal import Submit
internal import SubmitConcurrency
internal import SubmitPluginProtocol

/// What stands behind one attempt on our side: the item's bytes, its checkpoint and its progress.
final class HostedAttempt: Sendable {
    private struct Marks {
        var isCancelled = false
        /// The request has ended: what is asked late concerns no one.
        var isClosed = false
        /// What was denied for another reason than cancelling.
        var denial: SubmitFailure?
        /// The most bytes that the program reported as sent.
        var sent: Int64 = 0
    }

    /// Checkpoints are kept in the order in which the program gives them.
    let keeping = SerialTaskQueue()
    private let bytes: (any MediaBytes)?
    /// The path that the program was told.
    private let path: AcceptedPath?
    private let context: SubmissionContext
    private let marks = Locked(Marks())

    /// - Parameter bytes: `nil` where there are none to read, as for what is only removed.
    init(_ bytes: (any MediaBytes)?, _ context: SubmissionContext, path: AcceptedPath? = nil) {
        self.bytes = bytes
        self.path = path
        self.context = context
    }

    func cancel() { marks.withLock { $0.isCancelled = true } }

    func close() { marks.withLock { $0.isClosed = true } }

    /// Why the source was last said to be no longer what was accepted.
    var denial: SubmitFailure? { marks.withLock { $0.denial } }

    func advance(sent: Int64?, landed: Int64?) {
        // Whoever says more than there is says nothing.
        let size = bytes?.size ?? 0
        if let sent, (0...size).contains(sent) {
            marks.withLock { $0.sent = max($0.sent, sent) }
            context.sent(sent)
        }
        if let landed, (0...size).contains(landed) { context.landed(landed) }
    }

    /// Notes where the connection broke, if the program says that it did so in the middle of the item's bytes.
    ///
    /// The engine counts breaks at about the same offset, and ends an item that is never taken.
    func noteCut(_ failure: SubmitFailure) {
        guard case .tryAnother = failure.remedy, ["broken", "stalled"].contains(failure.code), let bytes else { return }
        let sent = marks.withLock { $0.sent }
        if sent > BodyWatch.large, sent < bytes.size { BodyWatch.current?.cut(at: sent) }
    }

    func keep(_ text: String?) async -> Result<HostAnswer, SubmitFailure> {
        if marks.withLock({ $0.isClosed }) { return .failure(.cancelled) }
        do throws(SubmitFailure) {
            try await context.keep(text.map { Checkpoint(data: Array($0.utf8)) })
            return .success(.nothing)
        } catch {
            return .failure(error)
        }
    }

    func read(_ offset: Int64, _ length: Int) -> Result<HostAnswer, SubmitFailure> {
        guard offset >= 0, (1...PluginProtocol.longestRead).contains(length) else {
            return .failure(
                SubmitFailure(
                    .giveUp, code: "submitter-misbehaved",
                    message: "It asked for bytes that cannot be: mend the program."))
        }
        return look { (bytes) throws(SubmitFailure) in
            let wanted = Int(min(Int64(length), max(0, bytes.size - offset)))
            return .bytes(try bytes.bytes(at: offset, count: wanted))
        }
    }

    func verifyUnchanged() -> Result<HostAnswer, SubmitFailure> {
        look { (bytes) throws(SubmitFailure) in
            try verify(bytes)
            return .nothing
        }
    }

    /// Throws when the source is no longer what was accepted, or the program may have read something else.
    func verify() throws(SubmitFailure) {
        if let bytes { try verify(bytes) }
    }

    private func verify(_ bytes: any MediaBytes) throws(SubmitFailure) {
        try bytes.verifyUnchanged()
        try path?.verifyInPlace()
    }

    private func look(
        _ body: (any MediaBytes) throws(SubmitFailure) -> HostAnswer
    ) -> Result<HostAnswer, SubmitFailure> {
        guard !marks.withLock({ $0.isCancelled || $0.isClosed }) else { return .failure(.cancelled) }
        guard let bytes else {
            return .failure(
                SubmitFailure(
                    .giveUp, code: "submitter-misbehaved",
                    message: "There is nothing to read where something is removed: mend the program."))
        }
        do throws(SubmitFailure) {
            return .success(try body(bytes))
        } catch {
            marks.withLock { $0.denial = error }
            return .failure(error)
        }
    }
}
