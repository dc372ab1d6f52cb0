import Foundation
import GRDB
import Submit
import SubmitCatalogue
import SubmitStore
import SystemPackage
import Testing

@testable import SubmitJournal

/// Values that submit never writes, in every column of every table. A read that ends the process ends these tests.
@Suite struct OddValuesTests {
    private let folder = TemporaryFolder()

    /// With `SUBMIT_ODD_VALUES=all`, every kind of value is planted, which takes minutes.
    private static let isThorough = ProcessInfo.processInfo.environment["SUBMIT_ODD_VALUES"] == "all"

    /// What may stand in a damaged column, as SQL.
    private static let values =
        ["'odd'", "NULL", "9223372036854775807"]
        + (isThorough ? ["x'ff00fe'", "-5", "-9223372036854775808", "1e300", "CAST(x'61ff62' AS TEXT)"] : [])

    /// What a sentence about the journal has as its code.
    private static let expected: Set<String> = [
        "journal-damaged", "journal-foreign", "journal-newer", "journal-older", "no-batch",
        // One of the reads also writes, and the journal is opened as it is.
        "journal-unwritable",
        // SQLite answers the same where a table has used up its numbers.
        "journal-full",
    ]

    @Test(arguments: values)
    func `a journal with an odd value is read or called damaged, and never ends the process`(value: String) async throws
    {
        let base = try await filled()
        let path = folder.path.appending("odd.sqlite")
        let sound = await OddReading(base.path)
        #expect(sound.codes.subtracting(["journal-unwritable"]).isEmpty)
        let columns = try base.columns()
        #expect(columns.count > 150)
        for column in columns {
            try base.copy(to: path, setting: column, to: value)
            let odd = await OddReading(path)
            let others = odd.failures.filter { !Self.expected.contains($0.key) }
            #expect(others.isEmpty, "\(others) of \(column)")
            // A value of another form is nothing to go by.
            guard column.refuses(value) else { continue }
            let isSaid = !odd.codes.subtracting(["journal-unwritable"]).isEmpty
            #expect(isSaid || odd.answers == sound.answers, "\(column) is read as another value, in silence")
        }
    }

    @Test(arguments: isThorough ? values : ["'odd'"])
    func `writing into a journal with an odd value works or calls it damaged, and never ends the process`(
        value: String
    ) async throws {
        let base = try await filled()
        let path = folder.path.appending("odd.sqlite")
        try base.copy(to: path, setting: nil, to: value)
        let sound = try await OddWriting(path)
        #expect(sound.failures == ["test": SubmitFailure.scripted.message])
        #expect(sound.claimed > 0)
        for column in try base.columns() where OddWriting.tables.contains(column.table) {
            try base.copy(to: path, setting: column, to: value)
            let failures: [String: String]
            do throws(SubmitFailure) {
                failures = try await OddWriting(path).failures
            } catch {
                failures = [error.code: error.message]
            }
            let others = failures.filter { !Self.expected.contains($0.key) && $0.key != "test" }
            #expect(others.isEmpty, "\(others) of \(column)")
        }
    }

    @Test func `an odd value is called damage`() async throws {
        let base = try await filled()
        let path = folder.path.appending("odd.sqlite")
        for (table, column) in [("item", "size"), ("submission", "tries"), ("batch", "created"), ("invite", "expires")]
        {
            try base.copy(to: path, setting: OddColumn(table: table, name: column), to: "'odd'")
            #expect(await OddReading(path).codes.contains("journal-damaged"), "\(table).\(column)")
        }
    }

    @Test func `claiming an item with an impossible size reports a damaged journal`() async throws {
        let base = try await filled()
        let path = folder.path.appending("odd.sqlite")
        for value in ["'odd'", "-5", "9223372036854775807", "NULL"] {
            try base.copy(to: path, setting: OddColumn(table: "item", name: "size"), to: value)
            let journal = try Journal(path: path)
            let worker = try await journal.makeWorker()
            let failure = await #expect(throws: SubmitFailure.self) { try await worker.take() }
            #expect(failure?.code == "journal-damaged", "\(value)")
        }
    }

    @Test(arguments: ["item", "batch"])
    func `claiming a submission whose item or batch is missing reports a damaged journal`(missing: String) async throws
    {
        let base = try await filled()
        let path = folder.path.appending("odd.sqlite")
        try base.copy(to: path, setting: OddColumn(table: "submission", name: missing), to: "1000")
        let journal = try Journal(path: path)
        let worker = try await journal.makeWorker()
        #expect(try await worker.nextDue("a", of: nil) == .zero)
        let failure = await #expect(throws: SubmitFailure.self) { try await worker.take() }
        #expect(failure?.code == "journal-damaged")
    }

    /// A journal with a row in every table.
    private func filled() async throws -> Base {
        let path = folder.path.appending("base.sqlite")
        do {
            let journal = try Journal(path: path)
            try await journal.accept(NewItem.photos(3, removal: SourceRemoval(copies: 1)))
            _ = try await journal.begin()
            try await journal.execute(
                """
                UPDATE submission SET state = 2, remote_id = 'r', evidence = 'verified', settled = 1, was_there = 0
                WHERE id = 1
                """)
        }
        return try Base(path)
    }

    private struct Base {
        let path: FilePath

        init(_ path: FilePath) throws {
            self.path = path
            try DatabaseQueue(path: path.string).writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
                for table in try Self.tables(db) where try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") == 0 {
                    let values = try db.columns(in: table).map { column in
                        switch (column.type, column.name) {
                        // No picture is in the catalogue and forgotten.
                        case (_, "id") where table == "picture_gone": "1000"
                        case (_, "sha256") where table == "picture_gone": "x'08'"
                        case ("INTEGER", _): "1"
                        case ("BLOB", _): "x'07'"
                        case ("REAL", _): "1.5"
                        case (_, "kind"): "'photo'"
                        case (_, "change"): "'{}'"
                        default: "'x'"
                        }
                    }
                    try? db.execute(sql: "INSERT OR IGNORE INTO \(table) VALUES (\(values.joined(separator: ", ")))")
                }
                try db.checkpoint(.truncate)
            }
        }

        private static func tables(_ db: Database) throws -> [String] {
            try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
                        AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'picture_search%' AND name <> 'grdb_migrations'
                    """)
        }

        func columns() throws -> [OddColumn] {
            try DatabaseQueue(path: path.string).read { db in
                try Self.tables(db).flatMap { table in
                    try db.columns(in: table).map { column in
                        OddColumn(table: table, name: column.name, type: column.type, isNeeded: column.isNotNull)
                    }
                }
            }
        }

        /// A copy in which a column of a table's first rows has another value, whatever its declaration says.
        func copy(to copy: FilePath, setting column: OddColumn?, to value: String) throws {
            for end in ["", "-wal", "-shm"] { unlink(copy.string + end) }
            try FileManager.default.copyItem(atPath: path.string, toPath: copy.string)
            guard let column else { return }
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            let queue = try DatabaseQueue(path: copy.string, configuration: configuration)
            let sql = try queue.writeWithoutTransaction { db in
                let sql = try String.fetchOne(
                    db, sql: "SELECT sql FROM sqlite_master WHERE name = ?", arguments: [column.table])
                try db.execute(sql: "PRAGMA writable_schema = ON")
                try db.execute(
                    sql: "UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE name = ?",
                    arguments: [column.table])
                return sql
            }
            try queue.close()
            let loose = try DatabaseQueue(path: copy.string, configuration: configuration)
            try loose.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON")
                // Keys take no such value: those columns stay as they are.
                try? db.execute(sql: "UPDATE OR IGNORE \(column.table) SET \(column.name) = \(value)")
                try db.execute(sql: "UPDATE sqlite_master SET sql = ? WHERE name = ?", arguments: [sql, column.table])
            }
            try loose.close()
        }
    }
}

/// A column of a journal's table.
private struct OddColumn: CustomStringConvertible {
    var table: String
    var name: String
    /// As it is declared.
    var type = ""
    /// Whether it is never NULL.
    var isNeeded = false

    var description: String { "\(table).\(name)" }

    /// Rows are found by these: one with another value isn't found, and nothing of it is read. NULL there is no row.
    private static let lookedUp: Set<String> = [
        "album", "batch", "destination", "document", "engine", "id", "invite", "item", "key", "picture", "session",
        "submission", "tag", "token", "topic", "worker",
    ]

    /// Whether submit never writes a value of this form there, and would read it.
    func refuses(_ value: String) -> Bool {
        if Self.lookedUp.contains(name) || ["note.data", "rendition.sha256"].contains(description) { return false }
        return switch value {
        case "NULL": isNeeded
        case "'odd'": type != "TEXT"
        case "x'ff00fe'": type != "BLOB"
        case "1e300": type == "INTEGER" || type == "BLOB"
        default: false
        }
    }
}

/// All that can be read of a journal.
private struct OddReading {
    /// The sentences of what failed, by their codes.
    private(set) var failures: [String: String] = [:]
    var codes: Set<String> { Set(failures.keys) }
    /// What was read, each sorted by its words: sets have no order.
    private(set) var answers: [[Substring]] = []

    private mutating func note(_ body: () async throws(SubmitFailure) -> Any?) async {
        do throws(SubmitFailure) {
            let answer = try await body()
            answers.append(String(describing: answer).split { ",:[]() ".contains($0) }.sorted())
        } catch {
            failures[error.code] = error.message
        }
    }

    init(_ path: FilePath) async {
        _ = JournalExamination.of(path, isThorough: true)
        let journal: Journal
        do throws(SubmitFailure) {
            journal = try Journal(asItIs: path)
        } catch {
            failures[error.code] = error.message
            return
        }
        let all = SubmissionSelection()
        await note { () throws(SubmitFailure) in try await journal.batches() }
        await note { () throws(SubmitFailure) in try await journal.openBatches() }
        await note { () throws(SubmitFailure) in try await journal.unfinishedBatches() }
        await note { () throws(SubmitFailure) in try await journal.submissions(all).map { String(describing: $0) } }
        await note { () throws(SubmitFailure) in
            try await journal.latest(at: "a", in: nil, of: [1], after: nil, limit: 10)
        }
        await note { () throws(SubmitFailure) in try await journal.submissions(ofSource: "/photos/0.jpg", limit: 10) }
        await note { () throws(SubmitFailure) in try await journal.nextWaiting(all) }
        await note { () throws(SubmitFailure) in try await journal.attempts(of: 1) }
        await note { () throws(SubmitFailure) in try await journal.states(of: [1, 2]) }
        await note { () throws(SubmitFailure) in try await journal.tallies(all) }
        await note { () throws(SubmitFailure) in try await journal.skipped([1]) }
        await note { () throws(SubmitFailure) in try await journal.proofs([1]) }
        await note { () throws(SubmitFailure) in try await journal.waiting(nil) }
        await note { () throws(SubmitFailure) in try await journal.waiting([1]) }
        await note { () throws(SubmitFailure) in try await journal.removals(of: [1]) }
        await note { () throws(SubmitFailure) in try await journal.state(of: "a") }
        await note { () throws(SubmitFailure) in try await journal.destinationStates() }
        await note { () throws(SubmitFailure) in try await journal.destinationNames() }
        await note { () throws(SubmitFailure) in try await journal.checkpointNames() }
        await note { () throws(SubmitFailure) in try await journal.checkpoints(destination: "a", of: nil) }
        await note { () throws(SubmitFailure) in try await journal.arrivals(at: "a") }
        await note { () throws(SubmitFailure) in try await journal.lastEvidence(at: "a") }
        await note { () throws(SubmitFailure) in try await journal.removalDestinations(batches: nil) }
        await note { () throws(SubmitFailure) in try await journal.removedSource(of: 1) }
        await note { () throws(SubmitFailure) in try await journal.openAcceptances(of: nil) }
        await note { () throws(SubmitFailure) in try await journal.invites(nil) }
        await note { () throws(SubmitFailure) in try await journal.sessions(of: InviteID(rawValue: "x")) }
        await note { () throws(SubmitFailure) in try await journal.openIncomingFiles() }
        await note { () throws(SubmitFailure) in try await journal.incomingFiles(of: 1) }
        await note { () throws(SubmitFailure) in try journal.note("x", of: "x") }
        await note { () throws(SubmitFailure) in try await journal.rendition(of: 1) }
        await note { () throws(SubmitFailure) in try await journal.revisions(of: 1) }
        await note { () throws(SubmitFailure) in try await journal.forgotten(before: nil, limit: 10) }
        await note { () throws(SubmitFailure) in try await journal.untoldTallies() }
        if let query = try? CatalogueQuery() {
            await note { () throws(SubmitFailure) in try await journal.pictures(query) }
        }
        for field in CatalogueField.allCases {
            await note { () throws(SubmitFailure) in
                try await journal.distinct(field, .everything, nil, after: nil, limit: 10)
            }
        }
        await note { () throws(SubmitFailure) in try await journal.known(keys: ["x"]) }
        await note { () throws(SubmitFailure) in
            try await journal.known(sources: [
                SourceQuery(path: "/photos/0.jpg", likeness: .bytes(Array(repeating: 7, count: 32)))
            ])
        }
        await note { () throws(SubmitFailure) in try await journal.needs("/photos/0.jpg", toRetry: true) }
        await note { () throws(SubmitFailure) in try await journal.unknownOutcomes(all) }
        await note { () throws(SubmitFailure) in try await journal.failedDestinations(all) }
        await note { () throws(SubmitFailure) in try await journal.session(ofToken: [7]) }
        await note { () throws(SubmitFailure) in
            try await journal.proven([Array(repeating: 7, count: 32)], at: ["a": 1])
        }
        await note { () throws(SubmitFailure) in try await journal.isForgotten([7]) }
        await note { () throws(SubmitFailure) in try await journal.catalogueFlaws() }
    }
}

/// All that is written into a journal in a run.
private struct OddWriting {
    /// Tables that what is written goes by.
    static let tables: Set<String> = [
        "acceptance", "attempt", "attendance", "batch", "catalogue", "checkpoint", "destination", "idempotency",
        "incoming_file", "invite", "item", "journal", "news", "picture", "picture_gone", "picture_item",
        "receiving_session", "removal", "rendition", "submission", "tally", "untold", "worker",
    ]

    /// The sentences of what failed, by their codes.
    private(set) var failures: [String: String] = [:]
    private(set) var claimed = 0

    @discardableResult
    private mutating func note<Value>(_ body: () async throws(SubmitFailure) -> Value) async -> Value? {
        do throws(SubmitFailure) {
            return try await body()
        } catch {
            failures[error.code] = error.message
            return nil
        }
    }

    init(_ path: FilePath) async throws(SubmitFailure) {
        let journal = try Journal(path: path)
        let all = SubmissionSelection()
        await note { () throws(SubmitFailure) in try await journal.sweep() }
        await note { () throws(SubmitFailure) in
            for acceptance in try await journal.openAcceptances(of: nil) {
                guard try await journal.takeUp(acceptance, key: IdempotencyKey()) else { continue }
                _ = try await journal.sources(of: acceptance)
                _ = try await journal.accept(NewItem.photos(2), for: acceptance, portion: 1)
                try await journal.complete(acceptance)
            }
        }
        await write(submissions: all, journal)
        await write(removals: journal)
        await receive(journal)
        await catalogue(journal)
        await note { () throws(SubmitFailure) in
            _ = try await journal.cancel(all)
            _ = try await journal.retry(all)
            _ = try await journal.takeUp([], at: ["a"])
            _ = try await journal.forget(endedBefore: .zero, after: 0, limit: 100, isDryRun: false)
            _ = try await journal.forgetBatches(begunBefore: .zero, after: 0, limit: 100, isDryRun: false)
            try await journal.rename("b", to: "c")
        }
    }

    private mutating func write(submissions all: SubmissionSelection, _ journal: Journal) async {
        guard let worker = await note({ () throws(SubmitFailure) in try await journal.makeWorker() }) else { return }
        for destination in ["a", "b", "x"] {
            await note { () throws(SubmitFailure) in
                try await journal.lookAgain(at: [destination], asked: nil)
                try await journal.endHold(destination)
                try await journal.setPaused(false, [destination])
                try await journal.hurry([destination])
            }
            let claims = await note { () throws(SubmitFailure) in
                try await worker.claim(destination, first: [1], others: true, limit: 10, inOrder: false)
            }
            claimed += claims?.count ?? 0
            await note { () throws(SubmitFailure) in _ = try await worker.held(at: destination) }
            await note { () throws(SubmitFailure) in _ = try await worker.nextDue(destination, of: [1]) }
            await note { () throws(SubmitFailure) in _ = try await worker.nextDue(destination, of: nil) }
            let settlements: [Settlement] = [
                .done(Receipt(remoteID: "r", evidence: .verified), facts: PictureFacts(width: 3, height: 2)),
                .waiting(.scripted, after: .seconds(1), counts: true), .failed(.scripted), .released,
            ]
            for (index, claim) in (claims ?? []).enumerated() {
                await note { () throws(SubmitFailure) in
                    _ = try await journal.objection(to: claim)
                    _ = try await journal.keep(Checkpoint(data: [1]), for: claim)
                    _ = try await journal.keep(
                        Rendition(engine: "e", size: 1, type: claim.item.type, digests: claim.item.digests),
                        by: "jpeg", for: claim)
                    _ = try await journal.document(of: claim, PictureFacts())
                }
                await note { () throws(SubmitFailure) in
                    _ = try await journal.hold(
                        destination, .unreachable, .scripted, by: claim, isProbe: false, looks: [.seconds(1)])
                }
                await note { () throws(SubmitFailure) in
                    try await journal.settle(claim, settlements[index % 4], landed: 1, fault: .none)
                }
            }
        }
        await note { () throws(SubmitFailure) in try await worker.attend([1]) }
        await note { () throws(SubmitFailure) in _ = try await worker.news(after: nil) }
        await note { () throws(SubmitFailure) in _ = try await worker.outlook([1], at: ["a"]) }
        await note { () throws(SubmitFailure) in _ = try await worker.cancelledClaims() }
        await note { () throws(SubmitFailure) in _ = try await worker.isTakenByAnother("a") }
        await note { () throws(SubmitFailure) in
            let records = try await journal.submissions(all).filter { $0.receipt != nil }
            try await journal.prove(records)
            _ = try await journal.sendAgain(
                records.map {
                    LostCopy(submission: $0.id, outcome: "vanished", finding: .scripted, onConflict: .rename)
                })
        }
        await note { () throws(SubmitFailure) in try await journal.condemn(item: 3, .scripted, key: IdempotencyKey()) }
        await note { () throws(SubmitFailure) in try await journal.prioritise(1, .high) }
        await note { () throws(SubmitFailure) in throw .scripted }
    }

    private mutating func write(removals journal: Journal) async {
        await note { () throws(SubmitFailure) in
            try await journal.want(SourceRemoval(copies: 1), of: [1, 2])
            for source in try await journal.claimRemovals(batches: nil, after: 0, limit: 10) {
                _ = try await journal.beginRemoval(of: source, to: "/aside", besides: [])
                try await journal.settleRemoval(of: source, .removed)
            }
        }
    }

    private mutating func receive(_ journal: Journal) async {
        let invite = InviteID(rawValue: "x")
        await note { () throws(SubmitFailure) in
            _ = try await journal.addInvite(
                NewInvite(id: InviteID(rawValue: "y"), secretDigest: [1], terms: "{}", life: .seconds(60)))
            try await journal.noteWrongSecret(for: invite)
        }
        await note { () throws(SubmitFailure) in
            _ = try await journal.openSession(
                NewSession(
                    invite: invite, tokenDigest: [1], attemptDigest: nil, device: "Phone", life: .seconds(60),
                    words: [], isOnce: true, mostWrongSecrets: 20))
        }
        await note { () throws(SubmitFailure) in
            _ = try await journal.begin(
                NewIncomingFile(
                    id: IncomingFileID(rawValue: "z"), session: 1, name: "a.jpg", folder: nil, length: 100,
                    toldType: nil, modified: nil, promised: nil, life: .seconds(60), mostFiles: 3, mostBytes: 1000,
                    mostOpen: 2))
        }
        let file = IncomingFileID(rawValue: "x")
        await note { () throws(SubmitFailure) in _ = try await journal.advance(file, to: 1, life: .seconds(1)) }
        await note { () throws(SubmitFailure) in
            _ = try await journal.completeFile(file, length: 2, digest: [1], kept: nil, mostBytes: 100)
        }
        await note { () throws(SubmitFailure) in
            try await journal.arrive(try await journal.incomingFiles(of: 1), in: 1)
        }
        await note { () throws(SubmitFailure) in _ = try await journal.end(file, as: .refused, nil) }
        await note { () throws(SubmitFailure) in _ = try await journal.expireIncomingFiles() }
        await note { () throws(SubmitFailure) in _ = try await journal.move(1, to: .ended) }
        await note { () throws(SubmitFailure) in _ = try await journal.revoke(invite) }
        await note { () throws(SubmitFailure) in try await journal.forgetInvites(endedFor: .zero) }
    }

    private mutating func catalogue(_ journal: Journal) async {
        var change = PictureChange()
        change.title = .replaced("Harbour")
        await note { () throws(SubmitFailure) in _ = try await journal.describe([1, 2], change, by: "me") }
        await note { () throws(SubmitFailure) in _ = try await journal.untold(at: "x", limit: 10) }
        await note { () throws(SubmitFailure) in _ = try await journal.catchUp(includesWords: true) }
        await note { () throws(SubmitFailure) in _ = try await journal.complete([1: PictureFacts(width: 1, height: 1)])
        }
        await note { () throws(SubmitFailure) in _ = try await journal.forget([1]) }
        await note { () throws(SubmitFailure) in
            _ = try await journal.recall([[8], Array(repeating: 7, count: 32)])
        }
        await note { () throws(SubmitFailure) in try await journal.tellAgain(at: []) }
        await note { () throws(SubmitFailure) in try await journal.rebuildCatalogue() }
    }
}
