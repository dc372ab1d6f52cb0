internal import Submit
internal import SubmitConcurrency

/// How many attempts a queue may have at once: of small items as many as are good, of others one for each place.
final class ConcurrencyLimiter: Sendable {
    /// What one attempt holds.
    struct Permit: Sendable {
        fileprivate let count: Int
        /// That of a small item.
        fileprivate let ticket: ConcurrencyController.Ticket?
    }

    private let places: Int
    private let smallPerPlace: Int
    /// As many as the destination and the runs allow.
    private let bound: Locked<Int>
    private let most: Int
    /// One for each small item. Any other takes as many as stand for one place.
    private let permits: AsyncSemaphore
    private let controller: Locked<ConcurrencyController>
    private let shares: ConcurrencyShares
    private let isSharing: Locked<Bool>

    /// How many small items are under way for each place before it is known how many are good.
    private static let firstPerPlace = 4

    /// - Parameters:
    ///   - jobs: the least that a run bounds them by.
    ///   - shares: those of all queues, of which this one has its own until ``share(_:)`` ends that.
    init(_ capabilities: Capabilities, jobs: Int?, shares: ConcurrencyShares) {
        places = capabilities.ordering.width
        smallPerPlace = capabilities.ordering == .sequential ? 1 : max(1, capabilities.smallPerPlace)
        let most = places * smallPerPlace
        self.most = most
        bound = Locked(max(1, min(most, jobs ?? most)))
        permits = AsyncSemaphore(most)
        controller = Locked(ConcurrencyController(from: min(most, places * Self.firstPerPlace), to: most))
        self.shares = shares
        isSharing = Locked(smallPerPlace > 1)
        if smallPerPlace > 1 { shares.join() }
    }

    deinit { share(false) }

    /// The present number. It is never less than the places, unless a run says so.
    var current: Int {
        min(bound.withLock { $0 }, max(places, min(controller.withLock { $0.width }, shares.each)))
    }

    /// As many as it may become, as long as answers take no longer for it.
    var widest: Int { min(bound.withLock { $0 }, max(places, shares.each)) }

    /// Bounds it anew; `nil`: by what the destination allows.
    func limit(to jobs: Int?) { bound.withLock { $0 = max(1, min(most, jobs ?? most)) } }

    /// Takes the queue's share of small items, or leaves it to others while there is nothing to do.
    func share(_ isBusy: Bool) {
        guard smallPerPlace > 1 else { return }
        let wasBusy = isSharing.withLock { sharing in
            defer { sharing = isBusy }
            return sharing
        }
        if isBusy, !wasBusy { shares.join() }
        if wasBusy, !isBusy { shares.leave() }
    }

    /// Waits for a permit for an item of so many bytes; `nil` when the task is cancelled meanwhile.
    func acquire(for size: Int64) async -> Permit? {
        let isSmall = size <= Capabilities.smallSize
        let count = isSmall ? 1 : smallPerPlace
        guard await permits.acquire(count) else { return nil }
        return Permit(count: count, ticket: isSmall ? controller.withLock { $0.begin() } : nil)
    }

    /// Hands the permit on, and learns from what came of the attempt.
    ///
    /// - Returns: what has changed by it of how many small items are sent at once.
    func release(_ permit: Permit, _ outcome: ConcurrencyController.Outcome) -> (before: Int, now: Int) {
        defer { permits.release(permit.count) }
        return controller.withLock { controller in
            let before = controller.width
            if let ticket = permit.ticket { controller.end(ticket, outcome) }
            return (before, controller.width)
        }
    }
}
