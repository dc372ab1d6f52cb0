internal import Submit

/// Decides whether a key is looked at before a small item is sent there.
///
/// Where the server is known to replace nothing that it is told not to, the look is spared: that is half of all
/// requests. A key that is held costs the item's bytes then, so that after one keys are looked at again for a while.
/// Whether an unknown server can be relied on so is tried out on an object of our own, once some were stored.
final class Lookout: Sendable {
    private struct State {
        /// How many items still look first, since a key was held.
        var wary = 0
        /// How many small ones found nothing at their key and were stored.
        var stored = 0
    }

    private let state = Locked(State())
    /// Bytes up to which an item is small: it is sent about as fast as a look is answered, and whole.
    private let small: Int64

    static let mostSmall: Int64 = 1 << 20
    static let waryFor = 64
    /// A few items are not worth a trial.
    static let storedBeforeTrial = 8

    /// - Parameter partsAbove: bytes above which an item is stored in parts.
    init(partsAbove: Int64) {
        small = min(Self.mostSmall, partsAbove)
    }

    /// - Returns: whether an item has to look at a key before it is sent there.
    func isNeeded(
        for item: MediaItem, in container: any ObjectContainer, context: SubmissionContext
    ) async -> Bool {
        // An earlier attempt may have stored it.
        let mayBeThere = context.attempt > 1 || context.checkpoint != nil
        if mayBeThere || context.onConflict == .overwrite || item.size > small { return true }
        let isWary = state.withLock { state in
            if state.wary == 0 { return false }
            state.wary -= 1
            return true
        }
        if isWary { return true }
        return await container.sparesOthers() != true
    }

    /// A key was held.
    func foundSomething() {
        state.withLock { $0.wary = Self.waryFor }
    }

    /// An item was stored whose key was looked at.
    ///
    /// One is sent once more, under the condition that nothing is there: who stores it a second time ignores that, and
    /// has replaced our bytes by themselves.
    func stored(
        _ item: MediaItem, _ bytes: any MediaBytes, at key: String, in container: any ObjectContainer,
        context: SubmissionContext
    ) async {
        guard item.size > 0, item.size <= small, context.onConflict != .overwrite else { return }
        let isDue = state.withLock { state in
            state.stored += 1
            return state.stored == Self.storedBeforeTrial
        }
        guard isDue, await container.sparesOthers() == nil else { return }
        let again = SubmissionContext(submission: context.submission, attempt: context.attempt)
        switch try? await container.store(item, bytes, at: key, replaces: false, context: again) {
        case .taken: await container.learn(sparesOthers: true)
        case .stored: await container.learn(sparesOthers: false)
        // It was not to be; the item is stored all the same.
        case nil: break
        }
    }
}
