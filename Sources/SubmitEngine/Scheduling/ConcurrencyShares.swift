internal import Submit
internal import Synchronization

/// How many small items all queues of a manager may have under way, of which those with something to do have equal shares.
///
/// What is under way needs memory, and two descriptors: its file and its connection.
final class ConcurrencyShares: Sendable {
    private let queues = Atomic(0)
    private let most: Int

    init() {
        most = Int(min(128, (OpenFiles.limit ?? 64) / 8))
    }

    /// How many each may have, at least 1.
    var each: Int { max(1, most / max(1, queues.load(ordering: .relaxed))) }

    func join() { queues.add(1, ordering: .relaxed) }

    func leave() { queues.subtract(1, ordering: .relaxed) }
}
