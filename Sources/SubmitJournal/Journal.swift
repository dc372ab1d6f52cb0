internal import Foundation
internal import GRDB
public import Submit
internal import SubmitConcurrency
@_exported public import SubmitStore
public import SystemPackage

/// The durable ledger of what was accepted, what is waiting, and for whom and what came of it, in a file of SQLite.
///
/// Several processes may have one journal open, and several values of this type in each. Every verb is one short transaction;
/// verbs that arrive while the disk is busy share the next one. When a verb returns, what it wrote survives `kill -9` and power
/// loss.
///
/// Times in the journal are the machine's clock. Who works on what and reads what becomes of it does so through a manager.
public final class Journal: Store {
    /// The journal's file.
    public let path: FilePath
    /// Tells this journal's submissions from those of any other: 12 hexadecimal digits.
    public let identity: String

    /// What a manager works on.
    public var store: AnyStore { AnyStore(self, migratedFrom: migratedFrom) }

    package var ownFiles: [FilePath] { ["", "-wal", "-shm", "-workers", "-new"].map { FilePath(path.string + $0) } }

    package var spool: FilePath { hidden("spool") }
    package var renditions: FilePath { hidden("renditions") }
    package var locks: FilePath { hidden("locks") }

    private func hidden(_ folder: String) -> FilePath {
        path.removingLastComponent().appending(".\(path.lastComponent?.string ?? "journal")-\(folder)")
    }

    /// The version of the tables that were migrated when this was opened; `nil` where nothing was, or there was nothing yet.
    package let migratedFrom: Int?
    let pool: any DatabaseWriter
    let commits: GroupCommit
    /// Nothing can be written where it lies: every verb that would fails with `journal-unwritable`.
    package let isReadOnly: Bool
    /// Who accepts, and removes sources, through this value.
    let own: WorkerIdentity
    /// The wall clock, by which is told when something is due.
    let clock: @Sendable () -> Timestamp
    /// See ``CatalogueStore/owner``.
    let currentOwner = Locked(NSUserName())
    /// Acceptances that somebody is at through this value.
    let accepting = Locked<Set<AcceptanceID>>([])

    /// Opens a journal, or makes one that only its owner can read.
    ///
    /// The calling thread waits while another process makes or migrates the journal.
    ///
    /// - Throws: with a sentence that says what to do: `journal-unwritable`, `journal-full`, `journal-io` or
    ///   `journal-descriptors` where the file cannot be opened or written, `journal-busy` where another process holds it for
    ///   longer than 20 s, `journal-damaged`, `journal-foreign` where something else lies in its place, and
    ///   `journal-newer` where a newer version of this package wrote it. All are worth another try once somebody has acted.
    public convenience init(path: FilePath) throws(SubmitFailure) {
        try self.init(path: path, clock: { .now })
    }

    /// Opens a journal to read it, be it that it, or its folder, cannot be written: that of somebody else, or on a disk that is
    /// mounted for reading. Where it can be written this is ``init(path:)``.
    ///
    /// - Throws: as ``init(path:)``, and `journal-older` where it is of an older version and cannot be taken over.
    public convenience init(toRead path: FilePath) throws(SubmitFailure) {
        if JournalReading.isAllThatCanBeDone(path) {
            try self.init(asItIs: path)
        } else {
            try self.init(path: path)
        }
    }

    /// - Parameter clock: the wall clock.
    package init(path: FilePath, clock: @escaping @Sendable () -> Timestamp) throws(SubmitFailure) {
        // What lies beside the journal lies beside the file, and not beside a link to it: SQLite follows links.
        let path = JournalFile.resolved(path)
        self.path = path
        self.clock = clock
        isReadOnly = false
        let name = path.string
        do {
            try JournalFile.makePrivateFolder(path.removingLastComponent())
            let turn = try OpeningLock(in: path.removingLastComponent())
            defer { withExtendedLifetime(turn) {} }
            if try !JournalFile.exists(path) { try JournalFile.make(at: path) }
            try JournalFile.checkTrust(path)
            var configuration = Configuration()
            configuration.busyMode = .timeout(TimeInterval(Self.patienceForOthers))
            configuration.maximumReaderCount = 3
            configuration.journalMode = .wal
            configuration.label = "journal"
            // Rows are never deleted while others refer to them; looking up parents for every child takes its time.
            configuration.foreignKeysEnabled = false
            // Before anything is changed: it may be another program's.
            configuration.prepareDatabase { db in
                try JournalFile.check(db, path)
                try CatalogueFunctions.install(db)
            }
            let pool = try DatabasePool(path: name, configuration: configuration)
            // GRDB sets NORMAL on a pool's writer after any preparation of ours. NORMAL survives kill -9 but not power
            // loss, and "accepted" promises both.
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
            }
            let migrator = JournalSchema.migrator
            guard try pool.read(migrator.hasBeenSuperseded) == false else {
                throw SubmitFailure.newerJournal(name)
            }
            let former = try pool.read(migrator.appliedMigrations).count
            let isCurrent = former == migrator.migrations.count
            migratedFrom = isCurrent ? nil : former
            // Also where its maker was killed before that.
            if try pool.read({ db in try Int.readOne(db, sql: "PRAGMA user_version") }) == 0 {
                JournalFile.makeDurable(path.removingLastComponent())
                try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA user_version = 1") }
            }
            if !isCurrent { try migrator.migrate(pool) }
            identity = try pool.read { db in try Self.identity(db, name) }
            commits = GroupCommit(pool: pool, path: name)
            own = try WorkerIdentity(beside: path)
            self.pool = pool
            OpenJournals.add(pool)
        } catch {
            throw SubmitFailure(journal: error, path: name)
        }
    }

    deinit {
        if let pool = pool as? DatabasePool { OpenJournals.remove(pool) }
    }

    init(asItIs path: FilePath) throws(SubmitFailure) {
        let path = JournalFile.resolved(path)
        self.path = path
        clock = { .now }
        (isReadOnly, migratedFrom) = (true, nil)
        do {
            let queue = try JournalReading.open(path)
            let migrator = JournalSchema.migrator
            guard try queue.read(migrator.hasBeenSuperseded) == false else {
                throw SubmitFailure.newerJournal(path.string)
            }
            guard try queue.read(migrator.hasCompletedMigrations) else {
                throw SubmitFailure.olderJournal(path.string)
            }
            identity = try queue.read { db in try Self.identity(db, path.string) }
            pool = queue
            commits = GroupCommit(pool: queue, path: path.string)
            own = WorkerIdentity(lookingBeside: path)
        } catch {
            throw SubmitFailure(journal: error, path: path.string)
        }
    }

    /// Seconds.
    static let patienceForOthers = 20

    private static func identity(_ db: Database, _ path: String) throws -> String {
        guard let identity = try String.readOne(db, sql: "SELECT identity FROM journal") else {
            throw SubmitFailure(
                .retry(after: nil), code: "journal-damaged",
                message: "The journal \(path) has lost its identity: move it away to begin a new one.")
        }
        return identity
    }

    /// Runs `body` in a transaction it may share with others. Either all of it is on disk on return, or nothing.
    ///
    /// - Parameter haste: how long it may wait for others to share a transaction with.
    func write<Result: Sendable>(
        _ haste: GroupCommit.Haste = .urgent, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(SubmitFailure) -> Result {
        try await commits.perform(haste, body).get()
    }

    /// Reads a consistent state. Waits for no writer, and holds no thread that others need.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(SubmitFailure) -> Value {
        let outcome: Result<Value, any Error> = await withCheckedContinuation { continuation in
            pool.asyncRead { db in continuation.resume(returning: Result { try body(try db.get()) }) }
        }
        do {
            return try outcome.get()
        } catch {
            throw SubmitFailure(journal: error, path: path.string)
        }
    }

    /// Reads little with one statement, there where it is asked for: a transaction, and a thread of its own, would be most of
    /// its price. Who works on what is waiting can do nothing without the journal.
    func glance<Result: Sendable>(_ body: @Sendable (Database) throws -> Result) throws(SubmitFailure) -> Result {
        do {
            return try pool.unsafeRead(body)
        } catch {
            throw SubmitFailure(journal: error, path: path.string)
        }
    }

    package func makeWorker() async throws(SubmitFailure) -> any StoreWorker {
        do {
            return JournalWorker(self, try WorkerIdentity(beside: path))
        } catch {
            throw SubmitFailure(journal: error, path: path.string)
        }
    }

    /// Those that were written down, and whether they live.
    func workers(_ db: Database) throws -> [WorkerID: Bool] {
        try WorkerID.readAll(db, sql: "SELECT id FROM worker").reduce(into: [:]) { $0[$1] = try own.isAlive($1) }
    }

    package func mark() async throws(SubmitFailure) -> StoreMark {
        // On the connection that writes, which its own commits do not count for, and without a transaction: whoever
        // holds the lock for long must not make us deaf.
        StoreMark(try await commits.look { db in try Int64.readOne(db, sql: "PRAGMA data_version") ?? 0 }.get())
    }
}
