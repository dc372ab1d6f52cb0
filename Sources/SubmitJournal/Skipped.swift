internal import GRDB
public import Submit

extension Receipt {
    /// Other bytes have the name and were left alone, as was asked for: nothing of the item is there.
    public var isOfSkipped: Bool { wasThere && evidence == .unknown && note != nil }
}

/// How much of a batch was skipped at one destination. It is among what is done.
public struct SkippedTally: Sendable, Hashable {
    public let destination: String
    public let count: Int
    /// Bytes of the items.
    public let bytes: Int64

    public init(destination: String, count: Int, bytes: Int64) {
        self.destination = destination
        self.count = count
        self.bytes = bytes
    }
}

extension Journal {
    /// How much of these batches was skipped.
    public func skipped(_ batches: [BatchID]) throws(JournalFailure) -> [SkippedTally] {
        // In words of the index: of those that are done there may be very many.
        try read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT destination, count(*), sum(item.size)
                    FROM submission JOIN item ON item.id = submission.item
                    WHERE submission.state = 2 AND was_there = 1 AND evidence = 'unknown'
                        AND note IS NOT NULL AND submission.batch IN (\(batches.map(String.init).joined(separator: ",")))
                    GROUP BY 1 ORDER BY 1
                    """
            ).map { SkippedTally(destination: $0[0], count: $0[1], bytes: $0[2]) }
        }
    }
}
