internal import GRDB
public import Submit

extension DestinationState {
    /// In how long something may go out: at once where it is neither paused nor on hold; `nil`: when someone acts.
    func wait(at now: Timestamp) -> Duration? {
        if isPaused { return nil }
        guard let hold else { return .zero }
        return hold.until.map { max(.zero, now.duration(to: $0)) }
    }

    static func fetch(_ db: Database, _ name: String) throws -> DestinationState {
        let query = try db.cachedStatement(sql: "SELECT * FROM destination WHERE name = ?")
        return try Row.fetchOne(query, arguments: [name]).map { try DestinationState($0) }
            ?? DestinationState(name: name)
    }

    init(_ row: Row) throws {
        try self.init(name: row.value("name"), isPaused: row.value("paused"))
        if let held: String = try row.value("hold_reason") {
            let until: Int64? = try row.value("hold_until")
            hold = try Hold(
                reason: HoldReason(rawValue: held), until: until.map { Timestamp(nanoseconds: $0) },
                count: row.amount("holds"), code: row.value("code") ?? "", message: row.value("sentence") ?? "")
        }
    }
}

extension Journal {
    package func opening(
        of destination: String
    ) async throws(SubmitFailure) -> (state: DestinationState, wait: Duration?) {
        let (state, now) = (try glance { db in try DestinationState.fetch(db, destination) }, clock())
        return (state, state.wait(at: now))
    }

    public func arrivals(at destination: String) async throws(SubmitFailure) -> Int64 {
        try glance { db in
            let query = try db.cachedStatement(sql: "SELECT sum(count) FROM tally WHERE state = ? AND destination = ?")
            return try Int64.readOne(query, arguments: [SubmissionState.done.rawValue, destination]) ?? 0
        }
    }

    public func destinationStates() async throws(SubmitFailure) -> [DestinationState] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM destination ORDER BY name").map(DestinationState.init)
        }
    }

    package func setPaused(_ isPaused: Bool, _ destinations: [String]) async throws(SubmitFailure) {
        try await write { db in
            for name in destinations {
                try db.execute(
                    sql: """
                        INSERT INTO destination (name, paused) VALUES (?, ?)
                        ON CONFLICT (name) DO UPDATE SET paused = excluded.paused
                        """, arguments: [name, isPaused])
            }
        }
        own.controls?.increase()
    }

    package func hold(
        _ destination: String, _ reason: HoldReason?, _ failure: SubmitFailure, by claim: ClaimedSubmission,
        isProbe: Bool, looks: [Duration]?
    ) async throws(SubmitFailure) -> DestinationState {
        let finding = "\(claim.id)-\(claim.fence)"
        return try await write { [clock] db in
            let now = clock()
            let before = try DestinationState.fetch(db, destination)
            let known = try String.readOne(
                db, sql: "SELECT held_by FROM destination WHERE name = ?", arguments: [destination])
            if known == finding { return before }
            // Several submissions that were under way find out the same: that is one hold, not many.
            if !isProbe, let hold = before.hold, hold.reason == reason, before.wait(at: now) != .zero {
                return before
            }
            let count = (before.hold?.count ?? 0) + 1
            let look = looks.flatMap { $0.isEmpty ? nil : $0[min(count, $0.count) - 1] }
            try db.execute(
                sql: """
                    INSERT INTO destination (name, hold_reason, hold_until, holds, code, sentence, held_by)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET hold_reason = excluded.hold_reason, hold_until = excluded.hold_until,
                        holds = excluded.holds, code = excluded.code, sentence = excluded.sentence,
                        held_by = excluded.held_by
                    """,
                arguments: [
                    destination, reason?.rawValue ?? "credentials", look.map { now.advanced(by: $0).nanoseconds },
                    count,
                    failure.code, failure.message, finding,
                ])
            return try DestinationState.fetch(db, destination)
        }
    }

    package func endHold(_ destination: String) async throws(SubmitFailure) {
        try await write { db in
            // `held_by` stays: what that one found out, told again, is old by now.
            try db.execute(
                sql: """
                    UPDATE destination SET hold_reason = NULL, hold_until = NULL, holds = 0, code = NULL, sentence = NULL
                    WHERE name = ?
                    """, arguments: [destination])
        }
    }

    package func lookAgain(at destinations: [String], asked: Set<String>?) async throws(SubmitFailure) {
        try await write { db in
            for name in destinations {
                guard let hold = try DestinationState.fetch(db, name).hold else { continue }
                if hold.waitsForSomeone, let asked, !asked.contains(name) { continue }
                try db.execute(
                    sql: "UPDATE destination SET hold_until = 0, holds = 0 WHERE name = ?", arguments: [name])
            }
        }
    }

    package func giveBackLook(at destination: String) async throws(SubmitFailure) {
        try await write { db in
            guard let hold = try DestinationState.fetch(db, destination).hold, hold.waitsForSomeone else { return }
            try db.execute(sql: "UPDATE destination SET hold_until = 0 WHERE name = ?", arguments: [destination])
        }
    }

    package func prioritise(_ batch: BatchID, _ priority: SendingPriority) async throws(SubmitFailure) {
        try await write { db in
            try db.execute(
                sql: "UPDATE batch SET priority = ? WHERE id = ?",
                arguments: [priority == .high ? 1 : priority == .low ? -1 : 0, batch.rawValue])
        }
    }

    package func hurry(_ destinations: [String]) async throws(SubmitFailure) {
        try await write { [clock] db in
            let now = clock().nanoseconds
            for name in destinations {
                try db.execute(
                    sql: "UPDATE submission SET not_before = ? WHERE state = 0 AND destination = ? AND not_before > ?",
                    arguments: [now, name, now])
            }
        }
    }
}
