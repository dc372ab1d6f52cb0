import Foundation
import GRDB
import Submit
import SystemPackage
import Testing

@testable import SubmitJournal

/// The journal as a file that others can see.
@Suite struct JournalFileTests {
    let folder = TemporaryFolder()

    private func open() throws -> Journal { try Journal(path: folder.path.appending("state/journal.sqlite")) }

    @Test func `several values of one process keep their locks on it, as others see`() async throws {
        let journal = try open()
        try await journal.accept(NewItem.photos(1))
        var second: Journal? = try open()
        _ = try await second?.batches()
        second = nil
        let third = try open()
        _ = try await third.batches()
        // Whoever closes it last and sees no lock of anybody removes these two.
        let sqlite = Process()
        sqlite.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
        sqlite.arguments = [journal.path.string, "SELECT count(*) FROM batch"]
        sqlite.standardOutput = FileHandle.nullDevice
        try sqlite.run()
        sqlite.waitUntilExit()
        #expect(sqlite.terminationStatus == 0)
        for suffix in ["-wal", "-shm"] {
            #expect(FileManager.default.fileExists(atPath: journal.path.string + suffix), "\(suffix)")
        }
        try await journal.accept(NewItem.photos(1))
        #expect(try await open().batches().count == 2)
    }

    @Test func `commits are synced to the disk`() throws {
        let level = try open().pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        #expect(level == 2, "2 is FULL, 1 would lose acknowledged commits with the power")
    }

    @Test func `the journal is for its owner only`() throws {
        let journal = try open()
        defer { withExtendedLifetime(journal) {} }
        for name in ["journal.sqlite", "journal.sqlite-wal"] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path.appending("state/\(name)").string)
            #expect(mode[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test(arguments: [0o660, 0o602]) func `a journal that others can write is not obeyed`(mode: mode_t) throws {
        let path = folder.path.appending("open.sqlite")
        _ = try Journal(path: path)
        chmod(path.string, mode)
        let failure = #expect(throws: SubmitFailure.self) { try Journal(path: path) }
        #expect(failure?.code == "journal-exposed" && failure?.message.contains("chmod go-w \(path)") == true)
        chmod(path.string, 0o600)
        chmod(folder.path.string, 0o777)
        defer { chmod(folder.path.string, 0o700) }
        #expect(throws: SubmitFailure.self) { try Journal(path: path) }
        chmod(folder.path.string, 0o1777)
        _ = try Journal(path: path)
    }

    @Test func `a damaged journal says so`() throws {
        let path = folder.path.appending("broken.sqlite")
        try Data(repeating: 0x41, count: 10_000).write(to: URL(fileURLWithPath: path.string))
        let failure = #expect(throws: SubmitFailure.self) { try Journal(path: path) }
        #expect(failure?.code == "journal-damaged" && failure?.isOfJournal == true)
    }

    @Test func `a journal of a newer version is left alone`() async throws {
        let journal = try open()
        try await journal.execute("INSERT INTO grdb_migrations VALUES ('999: from the future')")
        let failure = #expect(throws: SubmitFailure.self) { try open() }
        #expect(failure?.code == "journal-newer")
    }
}
