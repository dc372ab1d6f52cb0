internal import Submit
internal import SubmitConcurrency

/// Decides whether a key is looked at before a small item is sent there.
///
/// Where the service is known to replace nothing that it is told not to, or its owner says so, the look is spared:
/// that is half of all requests. A key that is held costs the item's bytes then, so that after one keys are looked at
/// again for a while.
final class PreflightPolicy: Sendable {
    /// How many items still look first, since a key was held.
    private let wary = Locked(0)
    /// Bytes up to which an item is small: it is sent about as fast as a look is answered, and whole.
    private let small: Int64
    /// What its owner says; `nil` where nobody does.
    private let looksFirst: Bool?

    static let waryFor = 64

    /// - Parameter partsAbove: bytes above which an item is stored in parts.
    init(partsAbove: Int64, looksFirst: Bool? = nil) {
        self.looksFirst = looksFirst
        small = min(Capabilities.smallSize, partsAbove)
    }

    /// - Returns: whether an item has to look at a key before it is sent there.
    func isNeeded(for item: MediaItem, in container: any ObjectContainer, context: SubmissionContext) async -> Bool {
        // An earlier attempt may have stored it.
        let mayBeThere = context.attempt > 1 || context.checkpoint != nil
        if mayBeThere || context.onConflict == .overwrite || item.size > small { return true }
        guard looksFirst != true, await container.sparesOthers(isSaidTo: looksFirst == false) else { return true }
        return wary.withLock { wary in
            if wary == 0 { return false }
            wary -= 1
            return true
        }
    }

    /// A key was held.
    func foundSomething() {
        wary.withLock { $0 = Self.waryFor }
    }
}
