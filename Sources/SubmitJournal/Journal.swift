internal import Foundation
internal import GRDB
public import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
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

    package var ownFiles: [FilePath] { ["", "-wal", "-shm", "-workers"].map { FilePath(path.string + $0) } }

    package var spool: FilePath {
        path.removingLastComponent().appending(".\(path.lastComponent?.string ?? "journal")-spool")
    }

    /// The version of the tables that were migrated when this was opened; `nil` where nothing was, or there was nothing yet.
    package let migratedFrom: Int?
    let pool: DatabasePool
    private let commits: GroupCommit
    /// Who accepts, and removes sources, through this value.
    let own: WorkerIdentity
    /// The wall clock, by which is told when something is due.
    let clock: @Sendable () -> Timestamp
    /// Acceptances that somebody is at through this value.
    let accepting = Locked<Set<AcceptanceID>>([])

    /// Opens a journal, or makes one that only its owner can read.
    ///
    /// The calling thread waits while another process makes or migrates the journal.
    ///
    /// - Throws: with a sentence that says what to do: `journal-unwritable`, `journal-full`, `journal-io` or
    ///   `journal-descriptors` where the file cannot be opened or written, `journal-busy` where another process holds it for
    ///   longer than 20 s, `journal-damaged`, and `journal-newer` where a newer version of this package wrote it. All are
    ///   worth another try once somebody has acted.
    public convenience init(path: FilePath) throws(SubmitFailure) {
        try self.init(path: path, clock: { .now })
    }

    /// - Parameter clock: the wall clock.
    package init(path: FilePath, clock: @escaping @Sendable () -> Timestamp) throws(SubmitFailure) {
        self.path = path
        self.clock = clock
        let name = path.string
        do {
            try Self.makePrivateFolder(path.removingLastComponent())
            let turn = try OpeningLock(in: path.removingLastComponent())
            defer { withExtendedLifetime(turn) {} }
            try Self.makePrivateFile(path)
            var configuration = Configuration()
            configuration.busyMode = .timeout(20)
            configuration.maximumReaderCount = 3
            configuration.journalMode = .wal
            configuration.label = "journal"
            // Rows are never deleted while others refer to them; looking up parents for every child takes its time.
            configuration.foreignKeysEnabled = false
            pool = try DatabasePool(path: name, configuration: configuration)
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
            migratedFrom = isCurrent || former == 0 ? nil : former
            if !isCurrent {
                Self.makeDurable(path.removingLastComponent())
                try migrator.migrate(pool)
            }
            identity = try pool.read { db in
                guard let identity = try String.fetchOne(db, sql: "SELECT identity FROM journal") else {
                    throw SubmitFailure(
                        .retry(after: nil), code: "journal-damaged",
                        message: "The journal \(name) has lost its identity: move it away to begin a new one.")
                }
                return identity
            }
            commits = GroupCommit(pool: pool, path: name)
            own = try WorkerIdentity(beside: path)
        } catch {
            throw SubmitFailure(journal: error, path: name)
        }
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
        try WorkerID.fetchAll(db, sql: "SELECT id FROM worker").reduce(into: [:]) { $0[$1] = try own.isAlive($1) }
    }

    package func mark() async throws(SubmitFailure) -> StoreMark {
        // On the connection that writes, which its own commits do not count for, and without a transaction: whoever
        // holds the lock for long must not make us deaf.
        StoreMark(try await commits.look { db in try Int64.fetchOne(db, sql: "PRAGMA data_version") ?? 0 }.get())
    }

    private static func makePrivateFolder(_ folder: FilePath) throws {
        if folder.isEmpty { return }
        try FileManager.default.createDirectory(
            atPath: folder.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Makes the file where there is none.
    ///
    /// One that is there is not touched: when any descriptor of a file is closed, all locks that this process has on it are
    /// gone (fcntl(2)), those of another value of this type too, and others would take the journal for nobody's.
    private static func makePrivateFile(_ path: FilePath) throws {
        do {
            // SQLite gives its -wal and -shm the mode of the main file.
            try FileDescriptor.open(
                path, .readWrite, options: [.create, .exclusiveCreate], permissions: [.ownerReadWrite]
            ).close()
        } catch Errno.fileExists {}
    }

    /// SQLite syncs its files and the folder they lie in; that folder and those above may be as new as the journal.
    private static func makeDurable(_ folder: FilePath) {
        var folder = folder
        while true {
            // One that cannot be opened, or synced, was not made by us.
            if let descriptor = try? FileDescriptor.open(
                folder.isEmpty ? "." : folder, .readOnly, options: [.directory])
            {
                fsync(descriptor.rawValue)
                try? descriptor.close()
            }
            if !folder.removeLastComponent() { return }
        }
    }
}

/// One process at a time makes or migrates a journal: SQLite waits for no one while a database becomes one with a
/// write-ahead log, and two that migrate at once would make the same tables.
private final class OpeningLock {
    private let folder: FileDescriptor

    init(in folder: FilePath) throws {
        self.folder = try FileDescriptor.open(folder.isEmpty ? "." : folder, .readOnly, options: [.directory])
        // A file system without such locks is no reason to refuse the journal.
        while flock(self.folder.rawValue, LOCK_EX) != 0, errno == EINTR {}
    }

    deinit {
        try? folder.close()
    }
}
