internal import GRDB
public import Submit

/// What the journal knows of a destination: whether anything may go out to it now.
public struct DestinationState: Sendable, Hashable {
    public var name: String
    /// Someone paused it.
    public var isPaused = false
    /// Why nothing goes out; `nil` when it is not parked.
    public var parking: Parking?

    /// A destination that waits for something.
    public struct Parking: Sendable, Hashable {
        /// `nil` where it waits for new credentials.
        public var reason: ParkReason?
        /// When to look again; `nil`: when someone acts.
        public var until: Timestamp?
        /// How often in a row it has been found unusable.
        public var count: Int
        public var code: String
        public var message: String

        package init(reason: ParkReason?, until: Timestamp?, count: Int, code: String, message: String) {
            self.reason = reason
            self.until = until
            self.count = count
            self.code = code
            self.message = message
        }

        /// Time mends nothing: it is looked at again when someone asks for it.
        public var waitsForSomeone: Bool { reason == nil || reason == .misconfigured }
    }

    /// Something may go out: it is neither paused nor parked, or it is time to look again.
    public func isOpen(at now: Timestamp) -> Bool {
        guard !isPaused else { return false }
        guard let parking else { return true }
        return parking.until.map { $0 <= now } ?? false
    }

    static func fetch(_ db: Database, _ name: String) throws -> DestinationState {
        let query = try db.cachedStatement(sql: "SELECT * FROM destination WHERE name = ?")
        return try Row.fetchOne(query, arguments: [name]).map(DestinationState.init) ?? DestinationState(name: name)
    }

    package init(name: String) {
        self.name = name
    }

    init(_ row: Row) {
        name = row["name"]
        isPaused = row["paused"]
        if let parked: String = row["parked"] {
            let until: Int64? = row["parked_until"]
            parking = Parking(
                reason: ParkReason(rawValue: parked), until: until.map { Timestamp(nanoseconds: $0) },
                count: row["parkings"], code: row["code"] ?? "", message: row["sentence"] ?? "")
        }
    }
}

extension Journal {
    /// What is known of a destination.
    public func state(of destination: String) throws(JournalFailure) -> DestinationState {
        try glance { db in try DestinationState.fetch(db, destination) }
    }

    /// How many submissions have arrived at a destination, whoever sent them and whenever.
    public func arrivals(at destination: String) throws(JournalFailure) -> Int64 {
        try glance { db in
            let query = try db.cachedStatement(sql: "SELECT sum(count) FROM tally WHERE state = ? AND destination = ?")
            return try Int64.fetchOne(query, arguments: [SubmissionState.done.rawValue, destination]) ?? 0
        }
    }

    /// What is known of every destination that was ever paused or parked.
    public func destinationStates() throws(JournalFailure) -> [DestinationState] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM destination ORDER BY name").map(DestinationState.init)
        }
    }

    /// Nothing more goes out to these destinations, in any process, until ``resume(destinations:)``.
    package func pause(destinations: [String]) async throws(JournalFailure) {
        try await setPaused(true, destinations)
    }

    /// Ends a pause.
    package func resume(destinations: [String]) async throws(JournalFailure) {
        try await setPaused(false, destinations)
    }

    private func setPaused(_ paused: Bool, _ destinations: [String]) async throws(JournalFailure) {
        try await write { db in
            for name in destinations {
                try db.execute(
                    sql: """
                        INSERT INTO destination (name, paused) VALUES (?, ?)
                        ON CONFLICT (name) DO UPDATE SET paused = excluded.paused
                        """, arguments: [name, paused])
            }
        }
    }

    /// Notes that nothing can be sent to a destination, and until when.
    ///
    /// - Parameters:
    ///   - reason: `nil`: its credentials have to be renewed.
    ///   - isProbe: it was found by a submission that was sent to look again at the parked destination.
    ///   - delay: from how often in a row it was parked to when to look again; `nil`: when someone acts.
    /// - Returns: the state as it now is.
    package func park(
        _ destination: String, _ reason: ParkReason?, _ failure: SubmitFailure, isProbe: Bool = false,
        delay: @escaping @Sendable (Int) -> Timestamp?
    ) async throws(JournalFailure) -> DestinationState {
        try await write { db in
            // Several submissions that were under way find out the same: that is one parking, not many.
            let before = try DestinationState.fetch(db, destination)
            if !isProbe, let parking = before.parking, parking.reason == reason,
                parking.until.map({ $0 > .now }) ?? true
            {
                return before
            }
            let count = (before.parking?.count ?? 0) + 1
            try db.execute(
                sql: """
                    INSERT INTO destination (name, parked, parked_until, parkings, code, sentence)
                    VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET parked = excluded.parked, parked_until = excluded.parked_until,
                        parkings = excluded.parkings, code = excluded.code, sentence = excluded.sentence
                    """,
                arguments: [
                    destination, reason?.rawValue ?? "credentials", delay(count)?.nanoseconds, count,
                    failure.code, failure.message,
                ])
            return try DestinationState.fetch(db, destination)
        }
    }

    /// Notes that a destination works.
    package func unpark(_ destination: String) async throws(JournalFailure) {
        try await write { db in
            try db.execute(
                sql: """
                    UPDATE destination SET parked = NULL, parked_until = NULL, parkings = 0, code = NULL, sentence = NULL
                    WHERE name = ?
                    """, arguments: [destination])
        }
    }

    /// Makes parked destinations be looked at again now: someone may have acted.
    ///
    /// - Parameter asked: those that wait for someone are looked at only where they are among these; `nil`: all are.
    package func lookAgain(at destinations: [String], asked: Set<String>? = nil) async throws(JournalFailure) {
        try await write { db in
            for name in destinations {
                guard let parking = try DestinationState.fetch(db, name).parking else { continue }
                if parking.waitsForSomeone, let asked, !asked.contains(name) { continue }
                try db.execute(
                    sql: "UPDATE destination SET parked_until = 0, parkings = 0 WHERE name = ?", arguments: [name])
            }
        }
    }

    /// Lets another submission look again at a destination: the one that was claimed to do so found nothing out.
    package func giveBackLook(at destination: String) async throws(JournalFailure) {
        try await write { db in
            guard let parking = try DestinationState.fetch(db, destination).parking, parking.waitsForSomeone else { return }
            try db.execute(sql: "UPDATE destination SET parked_until = 0 WHERE name = ?", arguments: [destination])
        }
    }

    /// Makes everything due now that is owed to a destination and waits for a time.
    package func hurry(_ destinations: [String]) async throws(JournalFailure) {
        try await write { db in
            let now = Timestamp.now.nanoseconds
            for name in destinations {
                try db.execute(
                    sql: "UPDATE submission SET not_before = ? WHERE state = 0 AND destination = ? AND not_before > ?",
                    arguments: [now, name, now])
            }
        }
    }
}
