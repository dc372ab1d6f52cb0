import GRDB
import SubmitCatalogue

@testable import SubmitJournal

/// A journal's tables with pictures in them.
struct CatalogueBench {
    let database: any DatabaseWriter

    /// - Parameter path: of a file; `nil`: in memory.
    init(path: String? = nil) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in try CatalogueFunctions.install(db) }
        configuration.foreignKeysEnabled = false
        database =
            try path.map { try DatabasePool(path: $0, configuration: configuration) }
            ?? DatabaseQueue(configuration: configuration)
        try JournalSchema.migrator.migrate(database)
        try database.write { db in
            if try !db.tableExists("picture") { try db.execute(sql: JournalSchema.catalogue) }
        }
    }

    /// Writes down pictures, and what was accepted and sent of them.
    func insert(_ pictures: [CataloguePicture]) throws {
        try database.write { db in
            for picture in pictures { try Self.insert(picture, db) }
            while try CatalogueWords.write(limit: 500, db) {}
        }
    }

    private static func insert(_ picture: CataloguePicture, _ db: Database) throws {
        let number = try picture.insert(db)
        guard !picture.copies.isEmpty else { return }
        try db.execute(
            sql: """
                INSERT INTO item (batch, path, name, size, modified, inode, device, kind, mime, extension, sha256)
                VALUES (1, x'2F', 'a', 0, 0, 0, 0, 'photo', 'image/jpeg', 'jpg', x'00')
                """)
        let item = db.lastInsertedRowID
        try db.execute(sql: "INSERT INTO picture_item VALUES (?, ?)", arguments: [item, number])
        // One that waits is no copy.
        for (state, copies) in [(2, picture.copies), (0, [CatalogueCopy(destination: "waiting", evidence: "size")])] {
            for copy in copies {
                let statement = try DirectStatement(
                    """
                    INSERT INTO submission (batch, item, destination, conflict, evidence, url, state, counted)
                    VALUES (1, ?, ?, 'rename', ?, ?, ?, 1)
                    """, db)
                statement.bind(item)
                statement.bind(copy.destination)
                statement.bind(copy.evidence)
                statement.bind(copy.url)
                statement.bind(state)
                try statement.run()
                guard let rendition = copy.rendition else { continue }
                let made = try DirectStatement(
                    "INSERT INTO rendition VALUES (last_insert_rowid(), 'some', ?, 'photo', ?, 'webp', ?, NULL, NULL, NULL)",
                    db)
                made.bind(rendition.size)
                made.bind(rendition.type)
                made.bind(rendition.digest)
                try made.run()
            }
        }
    }

    func read<Value>(_ body: (CatalogueReading) throws -> Value) throws -> Value {
        try database.read { db in try body(CatalogueReading(db)) }
    }

    func page(_ query: CatalogueQuery) throws -> CataloguePage { try read { try $0.page(query) } }

    /// The numbers of all that a filter means.
    func ids(_ filter: CatalogueFilter) throws -> [Int64] {
        try page(CatalogueQuery(filter, limit: CatalogueLimits.page)).pictures.map(\.id)
    }
}
