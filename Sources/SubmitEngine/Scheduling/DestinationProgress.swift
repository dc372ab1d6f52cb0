internal import Submit
internal import SubmitStore
internal import Synchronization

/// How far a destination has come with what a run wants: numbers that a display reads whenever it likes.
public final class DestinationProgress: Sendable {
    /// The destination's name.
    public let destination: String

    private let sentBytes = Atomic<Int64>(0)
    private let doneCount = Atomic<Int>(0)
    private let doneBytes = Atomic<Int64>(0)
    private let thereCount = Atomic<Int>(0)
    private let skippedCount = Atomic<Int>(0)
    private let failedCount = Atomic<Int>(0)
    private let cancelledCount = Atomic<Int>(0)
    private let totalCount = Atomic<Int>(0)
    private let totalBytes = Atomic<Int64>(0)
    private let endedBytes = Atomic<Int64>(0)

    init(destination: String) {
        self.destination = destination
    }

    /// Bytes handed to the destination, of attempts that failed too.
    public var sent: Int64 { sentBytes.load(ordering: .relaxed) }
    /// Submissions done in this run, those included whose copy was there.
    public var done: Int { doneCount.load(ordering: .relaxed) }
    /// Of ``done`` those whose copy was there already.
    public var wereThere: Int { thereCount.load(ordering: .relaxed) }
    /// Submissions of which nothing was stored, as other bytes have the name. They are not among ``done``.
    public var skipped: Int { skippedCount.load(ordering: .relaxed) }
    /// Bytes of the items done.
    public var doneSize: Int64 { doneBytes.load(ordering: .relaxed) }
    /// Submissions that failed in this run, those refused beforehand included.
    public var failed: Int { failedCount.load(ordering: .relaxed) }
    /// Submissions that ended in this run because somebody cancelled them.
    public var cancelled: Int { cancelledCount.load(ordering: .relaxed) }
    /// Submissions this run has taken on, done ones included.
    public var total: Int { totalCount.load(ordering: .relaxed) }
    /// Bytes of their items, but for those skipped.
    public var totalSize: Int64 { totalBytes.load(ordering: .relaxed) }

    /// Bytes of the items that have yet to end, those under way included.
    public var leftSize: Int64 { max(0, totalSize - endedBytes.load(ordering: .relaxed)) }

    /// Not all of it has ended.
    var isOpen: Bool { total > done + skipped + failed + cancelled }

    func add(count: Int, bytes: Int64) {
        totalCount.add(count, ordering: .relaxed)
        totalBytes.add(bytes, ordering: .relaxed)
    }

    func sent(_ bytes: Int64) { sentBytes.add(bytes, ordering: .relaxed) }

    func done(_ receipt: Receipt, bytes: Int64) {
        guard !receipt.isOfSkipped else {
            skippedCount.add(1, ordering: .relaxed)
            totalBytes.subtract(bytes, ordering: .relaxed)
            return
        }
        doneCount.add(1, ordering: .relaxed)
        doneBytes.add(bytes, ordering: .relaxed)
        endedBytes.add(bytes, ordering: .relaxed)
        if receipt.wasThere { thereCount.add(1, ordering: .relaxed) }
    }

    func fail(bytes: Int64) {
        failedCount.add(1, ordering: .relaxed)
        endedBytes.add(bytes, ordering: .relaxed)
    }

    func cancel(bytes: Int64) {
        cancelledCount.add(1, ordering: .relaxed)
        endedBytes.add(bytes, ordering: .relaxed)
    }
}
