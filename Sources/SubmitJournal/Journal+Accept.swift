internal import Foundation
internal import GRDB
package import Submit
internal import SubmitConcurrency
package import SystemPackage

extension Journal {
    package func beginAcceptance(
        _ request: String, in batch: BatchID?, key: IdempotencyKey
    ) async throws(SubmitFailure) -> OpenAcceptance {
        try await write { [self] db in
            let before = try OpenAcceptance.fetch(db, "key = ?", [key.text]).first
            if let before {
                try take(before.id, db)
                return before
            }
            let now = clock().nanoseconds
            let id: BatchID
            if let batch {
                id = batch
                // It may have been forgotten, as nothing was accepted into it.
                try db.cachedStatement(sql: "INSERT OR IGNORE INTO batch (id, created) VALUES (?, ?)").execute(
                    arguments: [id.rawValue, now])
            } else {
                try db.cachedStatement(sql: "INSERT INTO batch (created) VALUES (?)").execute(arguments: [now])
                id = BatchID(rawValue: db.lastInsertedRowID)
            }
            try db.cachedStatement(sql: "UPDATE batch SET complete = 0 WHERE id = ?").execute(arguments: [id.rawValue])
            let last = try ItemID.readOne(db, sql: "SELECT max(id) FROM item") ?? 0
            try db.cachedStatement(
                sql: "INSERT INTO acceptance (batch, request, after, worker, key) VALUES (?, ?, ?, ?, ?)"
            ).execute(arguments: [id.rawValue, request, last.rawValue, try own.id(db).rawValue, key.text])
            let acceptance = AcceptanceID(rawValue: db.lastInsertedRowID)
            try take(acceptance, db)
            return OpenAcceptance(id: acceptance, batch: id, request: request)
        }
    }

    /// From now on this value is at an acceptance, unless the transaction fails.
    private func take(_ acceptance: AcceptanceID, _ db: Database) throws {
        try Self.beat(try own.id(db), db)
        accepting.withLock { _ = $0.insert(acceptance) }
        db.afterNextTransaction(
            onCommit: { _ in }, onRollback: { [accepting] _ in accepting.withLock { _ = $0.remove(acceptance) } })
    }

    package func openAcceptances(of batch: BatchID?) async throws(SubmitFailure) -> [OpenAcceptance] {
        try await read { db in try OpenAcceptance.fetch(db, "batch = ifnull(?, batch)", [batch?.rawValue]) }
    }

    package func takeUp(
        _ acceptance: OpenAcceptance, key: IdempotencyKey
    ) async throws(SubmitFailure) -> Bool {
        let id = acceptance.id
        return try await write { [self] db in
            let me = try own.id(db)
            let isOurs = accepting.withLock { $0.contains(id) }
            // Whoever is at it through this value too has another key.
            try db.cachedStatement(
                sql: """
                    UPDATE acceptance SET worker = ?1, key = ?2, portions = iif(key = ?2, portions, 0)
                    WHERE id = ?3 AND (worker IS NULL OR worker = ?1) AND (key = ?2 OR NOT ?4)
                    """
            ).execute(arguments: [me.rawValue, key.text, id.rawValue, isOurs])
            guard db.changesCount == 1 else { return false }
            try take(id, db)
            return true
        }
    }

    package func amend(
        _ acceptance: OpenAcceptance, to request: String
    ) async throws(SubmitFailure) -> Bool {
        try await write { [own] db in
            try db.cachedStatement(sql: "UPDATE acceptance SET request = ? WHERE id = ? AND worker = ?").execute(
                arguments: [request, acceptance.id.rawValue, try own.id(db).rawValue])
            return db.changesCount == 1
        }
    }

    package func release(_ acceptance: OpenAcceptance) async throws(SubmitFailure) {
        let id = acceptance.id
        accepting.withLock { _ = $0.remove(id) }
        try await write { [own] db in
            try db.cachedStatement(sql: "UPDATE acceptance SET worker = NULL WHERE id = ? AND worker = ?").execute(
                arguments: [id.rawValue, own.registered?.rawValue])
        }
    }

    package func sources(of acceptance: OpenAcceptance) async throws(SubmitFailure) -> Set<FilePath> {
        try await read { db in
            let rows = try DatabaseValue.fetchCursor(
                db,
                sql: """
                    SELECT path FROM acceptance JOIN item ON item.batch = acceptance.batch AND item.id > after
                    WHERE acceptance.id = ? AND ifnull(item.acceptance, acceptance.id) = acceptance.id
                    """, arguments: [acceptance.id.rawValue])
            var sources: Set<FilePath> = []
            while let path = try rows.next() { sources.insert(FilePath(bytes: try Data.read(path))) }
            return sources
        }
    }

    package func accept(
        _ items: [NewItem], for acceptance: OpenAcceptance, portion: Int
    ) async throws(SubmitFailure) -> [AcceptedItem]? {
        try await write { [self] db -> [AcceptedItem]? in
            let query = try db.cachedStatement(sql: "SELECT portions, first FROM acceptance WHERE id = ?")
            guard let row = try Row.fetchOne(query, arguments: [acceptance.id.rawValue]) else { return nil }
            if let me = own.registered { try Self.beat(me, db) }
            let isUnlessKnown = items.contains(where: \.isUnlessKnown)
            if try portion < row.value(0) as Int {
                return try isUnlessKnown
                    ? items.map { try Self.accepted($0, for: acceptance, db) }
                    : Self.accepted(items, from: SubmissionID(rawValue: Amount.checked(row.value(1) ?? 0)), db)
            }
            var first: SubmissionID?
            let accepted: [AcceptedItem]
            if isUnlessKnown {
                (first, accepted) = try acceptUnlessKnown(items, acceptance, db)
            } else if items.contains(where: { $0.idempotencyKey != nil }) {
                accepted = try items.map { try acceptOnce($0, acceptance, db) }
                first = accepted.lazy.compactMap { $0.newSubmissions.first }.first
            } else {
                let submission = try insert(items, acceptance, db).submission
                (first, accepted) = (submission, try Self.accepted(items, from: submission, db))
            }
            try db.cachedStatement(sql: "UPDATE acceptance SET portions = ?, first = ? WHERE id = ?").execute(
                arguments: [portion + 1, first?.rawValue, acceptance.id.rawValue])
            return accepted
        }
    }

    /// What became of a portion's items, whose new submissions have one number after the other.
    private static func accepted(
        _ items: [NewItem], from first: SubmissionID, _ db: Database
    ) throws -> [AcceptedItem] {
        var next = first.rawValue
        return try items.map { new in
            if let key = new.idempotencyKey, let known = try known(key, db) {
                if known.submissions.first?.rawValue == next { next += Int64(known.submissions.count) }
                return .known(known)
            }
            defer { next += Int64(new.submissions.count) }
            return .accepted((next..<next + Int64(new.submissions.count)).map { SubmissionID(rawValue: $0) })
        }
    }

    /// Writes down items but for what others have accepted of the same files since they were looked for, and what is known by
    /// its key.
    private func acceptUnlessKnown(
        _ items: [NewItem], _ acceptance: OpenAcceptance, _ db: Database
    ) throws -> (first: SubmissionID?, [AcceptedItem]) {
        var accepted: [AcceptedItem] = []
        var written: [(index: Int, item: NewItem)] = []
        var known: [Int: [KnownSource.Submission]] = [:]
        for (index, item) in items.enumerated() {
            if item.isUnlessKnown {
                var rest = item
                known[index] = try Self.known(of: item, db).map { submission in
                    rest.submissions.removeAll { $0.destination == submission.destination }
                    return submission
                }
                if !rest.submissions.isEmpty { written.append((index, rest)) }
                accepted.append(.acceptedUnlessKnown([:], known: known[index] ?? []))
            } else {
                accepted.append(try acceptOnce(item, acceptance, db))
            }
        }
        if !written.isEmpty {
            var next = try insert(written.map(\.item), acceptance, db).submission.rawValue
            for (index, item) in written {
                var ids: [String: SubmissionID] = [:]
                for submission in item.submissions {
                    ids[submission.destination] = SubmissionID(rawValue: next)
                    next += 1
                }
                accepted[index] = .acceptedUnlessKnown(ids, known: known[index] ?? [])
            }
        }
        return (accepted.lazy.flatMap(\.newSubmissions).min(), accepted)
    }

    /// What makes submissions of an item needless.
    private static func known(of item: NewItem, _ db: Database) throws -> [KnownSource.Submission] {
        guard let digest = item.item.digests[.sha256] else { return [] }
        let known = try KnownSource(SourceQuery(path: item.item.source, likeness: .bytes(digest)), db)
        return item.submissions.compactMap {
            known.submission(insteadOf: $0, caption: item.item.caption, tags: item.item.tags)
        }
    }

    /// What was written down of an item that comes to be asked for again.
    private static func accepted(
        _ item: NewItem, for acceptance: OpenAcceptance, _ db: Database
    ) throws -> AcceptedItem {
        if let key = item.idempotencyKey, let known = try known(key, db) { return .known(known) }
        let query = try db.cachedStatement(
            sql: """
                SELECT destination, submission.id FROM item JOIN submission ON submission.item = item.id
                WHERE item.path = ? AND item.acceptance = ? ORDER BY submission.id
                """)
        let rows = try Row.fetchAll(query, arguments: [item.item.source.bytes, acceptance.id.rawValue])
        guard item.isUnlessKnown else { return .accepted(try rows.map { try $0.value(1) }) }
        let ids = try rows.reduce(into: [String: SubmissionID]()) { $0[try $1.value(0)] = try $1.value(1) }
        return .acceptedUnlessKnown(ids, known: try known(of: item, db).filter { ids[$0.destination] == nil })
    }

    /// Writes down an item, unless something was accepted under its key.
    private func acceptOnce(_ new: NewItem, _ acceptance: OpenAcceptance, _ db: Database) throws -> AcceptedItem {
        if let key = new.idempotencyKey, let known = try Self.known(key, db) { return .known(known) }
        let (item, first) = try insert([new], acceptance, db)
        let accepted = try Self.accepted([new], from: first, db)
        if let key = new.idempotencyKey {
            try db.cachedStatement(sql: "INSERT INTO idempotency VALUES (?, ?)").execute(arguments: [
                key, item.rawValue,
            ])
        }
        return accepted[0]
    }

    package func known(keys: [String]) async throws(SubmitFailure) -> [String: KnownItem] {
        try await read { db in
            try keys.reduce(into: [:]) { known, key in known[key] = try Self.known(key, db) }
        }
    }

    private static func known(_ key: String, _ db: Database) throws -> KnownItem? {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT item.batch, submission.id FROM idempotency JOIN item ON item.id = idempotency.item
                    LEFT JOIN submission ON submission.item = item.id
                WHERE key = ? ORDER BY submission.id
                """, arguments: [key])
        return try rows.first.map {
            KnownItem(
                idempotencyKey: key, batch: try $0.value(0), submissions: try rows.compactMap { try $0.value(1) })
        }
    }

    package func needs(_ source: FilePath, toRetry: Bool) async throws(SubmitFailure) -> Bool {
        let name = source.lastComponent?.string ?? ""
        return try await read { db in
            if try Bool.readOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM acceptance WHERE instr(request, ?) > 0)", arguments: [name])
                ?? true
            {
                return true
            }
            let isReceived = try Self.isReceived(name, db)
            if isReceived == .unfinished { return true }
            var isOfUse = """
                EXISTS (SELECT 1 FROM submission
                        WHERE submission.item = item.id AND (state IN (0, 1) OR state = 3 AND ?1))
                """
            if isReceived == .arrived, toRetry { isOfUse = "(\(isOfUse) OR \(Self.lacksProof))" }
            let here = try Bool.readAll(
                db, sql: "SELECT \(isOfUse) FROM item WHERE path = ?2", arguments: [toRetry, source.bytes])
            if !here.isEmpty { return here.contains(true) }
            // Its folder may have had another path then: in another container, or before it was moved.
            return try Bool.readOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM item
                        WHERE substr(path, -length(CAST(?2 AS BLOB))) = CAST(?2 AS BLOB) AND \(isOfUse))
                    """, arguments: [toRetry, "/" + name]) ?? true
        }
    }

    /// - Returns: the first of them and of their submissions; those after it have the numbers after.
    private func insert(
        _ items: [NewItem], _ acceptance: OpenAcceptance, _ db: Database
    ) throws -> (item: ItemID, submission: SubmissionID) {
        let (now, batch) = (clock().nanoseconds, acceptance.batch)
        let lastItem = try Self.insert(items, into: "item", NewItem.columns, db) {
            try $0.bind(to: $1, for: acceptance)
        }
        let firstItem = lastItem - Int64(items.count) + 1
        var waiting: [(item: Int64, NewSubmission)] = []
        var removals: [(item: Int64, SourceRemoval)] = []
        var tally = TallyChanges()
        for (item, new) in zip(firstItem..., items) {
            if let removal = new.removal { removals.append((item, removal)) }
            for submission in new.submissions {
                waiting.append((item, submission))
                tally.move(batch, submission.destination, bytes: new.item.size, from: nil, to: submission.state)
            }
        }
        _ = try Self.insert(removals, into: "removal", ["item", "batch", "copies", "manner"], db) {
            removal, statement in
            statement.bind(removal.item)
            statement.bind(batch.rawValue)
            statement.bind(removal.1.copies)
            statement.bind(removal.1.manner.rawValue)
        }
        let lastSubmission = try Self.insert(waiting, into: "submission", NewSubmission.columns, db) {
            $0.1.bind(to: $1, of: $0.item, in: batch, now)
        }
        try tally.write(db)
        return (ItemID(rawValue: firstItem), SubmissionID(rawValue: lastSubmission - Int64(waiting.count) + 1))
    }

    /// Inserts rows, several with one statement: one for each takes nearly twice the time.
    ///
    /// - Parameter bind: binds what a row becomes of, to the next of its statement's values.
    /// - Returns: the last row's id. Those before it have the numbers before: nobody else writes meanwhile.
    private static func insert<Source>(
        _ rows: [Source], into table: String, _ columns: [String], _ db: Database,
        _ bind: (Source, DirectStatement) throws -> Void
    ) throws -> Int64 {
        func statement(rows count: Int) throws -> DirectStatement {
            let row = "(\(repeatElement("?", count: columns.count).joined(separator: ",")))"
            return try DirectStatement(
                """
                INSERT INTO \(table) (\(columns.joined(separator: ",")))
                VALUES \(repeatElement(row, count: count).joined(separator: ","))
                """, db)
        }
        var rest = rows[...]
        for count in [16, 1] where rest.count >= count {
            let statement = try statement(rows: count)
            while rest.count >= count {
                for row in rest.prefix(count) { try bind(row, statement) }
                try statement.run()
                rest = rest.dropFirst(count)
            }
        }
        return db.lastInsertedRowID
    }

    package func complete(_ acceptance: OpenAcceptance) async throws(SubmitFailure) {
        let (id, batch) = (acceptance.id, acceptance.batch)
        accepting.withLock { _ = $0.remove(id) }
        try await write { db in
            let after = try Int64.readOne(
                db, sql: "SELECT after FROM acceptance WHERE id = ?", arguments: [id.rawValue])
            try db.cachedStatement(sql: "DELETE FROM acceptance WHERE id = ?").execute(arguments: [id.rawValue])
            try db.cachedStatement(
                sql: """
                    UPDATE batch SET complete = 1
                    WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM acceptance WHERE batch = ?1)
                    """
            ).execute(arguments: [batch.rawValue])
            // Of what is named each night, and was sent already, nothing is to be left.
            try db.cachedStatement(
                sql: """
                    DELETE FROM batch
                    WHERE id = ?1 AND complete = 1 AND ?2 IS NOT NULL
                        AND NOT EXISTS (SELECT 1 FROM submission WHERE batch = ?1)
                        AND NOT EXISTS (SELECT 1 FROM item WHERE batch = ?1 AND id > ?2)
                    """
            ).execute(arguments: [batch.rawValue, after])
        }
    }
}

extension AcceptedItem {
    fileprivate var newSubmissions: [SubmissionID] {
        switch self {
        case .accepted(let ids): ids
        case .acceptedUnlessKnown(let ids, _): Array(ids.values)
        case .known: []
        }
    }
}

extension OpenAcceptance {
    static func fetch(
        _ db: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [OpenAcceptance] {
        try Row.fetchAll(
            db, sql: "SELECT id, batch, request FROM acceptance WHERE \(condition) ORDER BY id", arguments: arguments
        ).map { try OpenAcceptance(id: $0.value(0), batch: $0.value(1), request: $0.value(2)) }
    }
}

extension NewItem {
    fileprivate static let columns = [
        "batch", "path", "name", "size", "modified", "inode", "device", "kind", "mime", "extension", "captured",
        "caption", "tags", "sha256", "sha1", "md5", "crc32c", "acceptance", "changed",
    ]

    /// The values of ``columns``.
    fileprivate func bind(to statement: DirectStatement, for acceptance: OpenAcceptance) throws {
        statement.bind(acceptance.batch.rawValue)
        statement.bind(item.source)
        statement.bind(item.name)
        statement.bind(item.size)
        statement.bind(identity.modified.nanoseconds)
        statement.bind(Int64(bitPattern: identity.inode))
        statement.bind(Int64(bitPattern: identity.device))
        statement.bind(item.type.kind.rawValue)
        statement.bind(item.type.mime)
        statement.bind(item.type.filenameExtension)
        statement.bind(item.captured?.description)
        statement.bind(item.caption)
        statement.bind(item.tags.isEmpty ? nil : String(decoding: try JSONEncoder().encode(item.tags), as: UTF8.self))
        for algorithm in [DigestAlgorithm.sha256, .sha1, .md5, .crc32c] { statement.bind(item.digests[algorithm]) }
        statement.bind(acceptance.id.rawValue)
        statement.bind(identity.changed?.nanoseconds)
    }
}

extension NewSubmission {
    // What is counted by whoever writes it down.
    fileprivate static let columns =
        ["batch", "item", "destination"] + SubmissionOptions.columnNames
        + ["state", "settled", "code", "sentence", "counted", "recipe"]

    fileprivate var state: SubmissionState { refusal == nil ? .waiting : .failed }

    /// The values of ``columns``.
    fileprivate func bind(to statement: DirectStatement, of item: Int64, in batch: BatchID, _ now: Int64) {
        statement.bind(batch.rawValue)
        statement.bind(item)
        statement.bind(destination)
        options.bind(to: statement)
        statement.bind(state.rawValue)
        statement.bind(refusal == nil ? nil : now)
        statement.bind(refusal?.code)
        statement.bind(refusal?.message)
        statement.bind(1)
        statement.bind(recipe)
    }
}
