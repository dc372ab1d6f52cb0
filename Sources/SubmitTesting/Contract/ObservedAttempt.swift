internal import Submit
internal import SubmitConcurrency

/// What a submission reported while it worked.
final class ObservedAttempt: Sendable {
    private struct State {
        var checkpoint: Checkpoint?
        var checkpoints: [Checkpoint] = []
        var sent: [Int64] = []
        var landed: Int64 = 0
    }

    private let state = Locked(State())
    private let onLanded: @Sendable (Int64) -> Void

    /// - Parameter onLanded: called whenever more has landed than ever before, with how much.
    init(onLanded: @escaping @Sendable (Int64) -> Void = { _ in }) {
        self.onLanded = onLanded
    }

    /// The last one that was kept.
    var checkpoint: Checkpoint? { state.withLock { $0.checkpoint } }
    /// All that were ever kept.
    var checkpoints: [Checkpoint] { state.withLock { $0.checkpoints } }
    /// All reports of progress.
    var sent: [Int64] { state.withLock { $0.sent } }
    /// The most that ever landed.
    var landed: Int64 { state.withLock { $0.landed } }

    func context(
        _ submission: String = "contract-1", attempt: Int = 1, album: String? = nil,
        onConflict: ConflictPolicy = .rename, verification: Verification = .usual, from checkpoint: Checkpoint? = nil
    ) -> SubmissionContext {
        state.withLock { $0.checkpoint = checkpoint }
        return SubmissionContext(
            submission: submission, attempt: attempt, album: album, onConflict: onConflict, verification: verification,
            checkpoint: checkpoint,
            keep: { checkpoint in
                self.state.withLock {
                    $0.checkpoint = checkpoint
                    if let checkpoint { $0.checkpoints.append(checkpoint) }
                }
                return .success(())
            },
            sent: { count in self.state.withLock { $0.sent.append(count) } },
            landed: { count in
                let isNews = self.state.withLock { state in
                    let isNews = count > state.landed
                    state.landed = max(state.landed, count)
                    return isNews
                }
                if isNews { self.onLanded(count) }
            })
    }
}
