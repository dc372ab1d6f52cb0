internal import GRDB
internal import Submit
internal import SubmitStore

/// How what a transaction does changes the table `tally`, written down once for all rows that move alike: for each row that costs
/// more than the row.
///
/// Whoever counts here what it moves turns `submission.counted` of that row, by which the triggers know that they need not.
struct TallyChanges {
    private struct Place: Hashable {
        var batch: BatchID
        var destination: String
    }

    private struct Change {
        var count: Int64 = 0
        var bytes: Int64 = 0
    }

    /// By the number of the state.
    private var changes: [Place: [Change]] = [:]

    /// One submission moves, of an item of so many bytes.
    ///
    /// - Parameter before: `nil`: it is new.
    mutating func move(
        _ batch: BatchID, _ destination: String, bytes: Int64, from before: SubmissionState?, to after: SubmissionState
    ) {
        func add(_ sign: Int64, to state: SubmissionState, of changes: inout [Change]) {
            changes[state.rawValue].count += sign
            // A damaged journal may have any size.
            changes[state.rawValue].bytes &+= sign &* bytes
        }
        func change(_ changes: inout [Change]) {
            if let before { add(-1, to: before, of: &changes) }
            add(1, to: after, of: &changes)
        }
        change(&changes[Place(batch: batch, destination: destination), default: Self.none])
    }

    private static let none = Array(repeating: Change(), count: SubmissionState.allCases.count)

    /// Writes them down, and begins anew.
    mutating func write(_ db: Database) throws {
        if changes.isEmpty { return }
        let add = try DirectStatement(
            """
            INSERT INTO tally (batch, destination, state, count, bytes) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET count = count + excluded.count, bytes = bytes + excluded.bytes
            """, db)
        let forget = try DirectStatement(
            "DELETE FROM tally WHERE batch = ? AND destination = ? AND state = ? AND count = 0", db)
        for (place, changes) in changes {
            for (state, change) in changes.enumerated() where change.count != 0 || change.bytes != 0 {
                add.bind(place.batch.rawValue)
                add.bind(place.destination)
                add.bind(state)
                add.bind(change.count)
                add.bind(change.bytes)
                try add.run()
                guard change.count < 0 else { continue }
                forget.bind(place.batch.rawValue)
                forget.bind(place.destination)
                forget.bind(state)
                try forget.run()
            }
        }
        changes = [:]
    }
}
