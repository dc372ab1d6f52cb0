internal import Submit
internal import SubmitConcurrency

/// Decides whether a key is looked at before a small item is sent there.
///
/// Where the service is known to replace nothing that it is told not to, was seen to, or its owner says so, the look is
/// spared: that is half of all requests. A key that is held costs the item's bytes then, so that after one keys are looked
/// at again for a while.
///
/// What nobody knows of a server is tried out when so many items were looked at that it pays, beside the looks of others.
final class PreflightPolicy: Sendable {
    private struct State {
        /// How many items still look first, since a key was held.
        var wary = 0
        /// How many looked first as nobody knows what the server does.
        var looked = 0
    }

    private let state = Locked(State())
    /// Bytes up to which an item is small: it is sent about as fast as a look is answered, and whole.
    let small: Int64
    /// What its owner says; `nil` where nobody does.
    private let looksFirst: Bool?

    private let triesAfter: Int

    static let waryFor = 64

    /// A trial takes about ten requests, once in a week.
    static let usualTrial = 16

    /// What comes before a small item is sent.
    enum Decision: Sendable {
        /// It is sent.
        case send
        /// Its key is looked at.
        case look
        /// The same, and it is found out beside that whether it is necessary.
        case lookAndTry
    }

    /// - Parameters:
    ///   - partsAbove: bytes above which an item is stored in parts.
    ///   - triesAfter: how many items look first before it is tried out whether that is necessary.
    init(partsAbove: Int64, looksFirst: Bool? = nil, triesAfter: Int = usualTrial) {
        self.looksFirst = looksFirst
        self.triesAfter = triesAfter
        small = min(Capabilities.smallSize, partsAbove)
    }

    /// - Parameter isFirst: it is the first name that is tried for the item.
    func decision(
        for item: MediaItem, in container: any ObjectContainer, isFirst: Bool, context: SubmissionContext
    ) async -> Decision {
        // An earlier attempt may have stored it.
        let mayBeThere = context.attempt > 1 || context.checkpoint != nil
        if mayBeThere || context.onConflict == .overwrite || item.size > small || looksFirst == true { return .look }
        switch await container.trust(isSaidTo: looksFirst == false) {
        case .ignores: return .look
        case .heeds:
            return state.withLock { state in
                if state.wary == 0 { return .send }
                state.wary -= 1
                return .look
            }
        case .untried where !isFirst: return .look
        case .untried:
            // Once: what comes of it is known then, or it is for another process.
            return state.withLock { state in
                state.looked += 1
                return state.looked == triesAfter ? .lookAndTry : .look
            }
        }
    }

    /// Returns whether the service is known to heed `If-None-Match`.
    func heedsConditions(_ container: any ObjectContainer) async -> Bool {
        if case .heeds = await container.trust(isSaidTo: looksFirst == false) { true } else { false }
    }

    /// A key was held.
    func foundSomething() {
        state.withLock { $0.wary = Self.waryFor }
    }
}
