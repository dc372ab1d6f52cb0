import Foundation
import GRDB
import Submit
import SubmitConcurrency
import SystemPackage
import Testing

@testable import SubmitJournal

@Suite(.timeLimit(.minutes(2))) struct `A backup of a journal` {
    let folder = TemporaryFolder()
    private var path: FilePath { folder.path.appending("journal.sqlite") }
    private var file: FilePath { folder.path.appending("backup.sqlite") }

    private func makeBackup(isReplacing: Bool = false) throws -> Int64 {
        try JournalBackup.make(of: path, at: file, isReplacing: isReplacing)
    }

    private func files() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path.string))
    }

    @Test func `is whole and sound while others write, and its owner's alone`() async throws {
        let journal = try Journal(path: path)
        try await journal.accept(NewItem.photos(50))
        let writer = Task {
            while !Task.isCancelled { try await journal.accept(NewItem.photos(50)) }
        }
        var last = 0
        for turn in 0..<10 {
            let bytes = try makeBackup(isReplacing: turn > 0)
            let found = try #require(JournalExamination.of(file, isThorough: true))
            #expect(found.trouble == nil && found.integrity == "ok" && found.flaws.isEmpty, "\(found)")
            #expect(found.mode == 0o600 && found.size == bytes && found.batches >= max(1, last))
            last = found.batches
            // A batch is begun in a step of its own.
            let portions = found.counts["failed", default: 0]
            try #require([0, 1].contains(found.batches - portions))
            #expect(found.counts["waiting"] == portions * 99)
        }
        writer.cancel()
        _ = await writer.result
        #expect(try files().filter { !$0.hasPrefix("journal.sqlite") } == ["backup.sqlite"])
        // It may take the journal's place.
        let restored = try Journal(path: file)
        #expect(try await restored.batches().count >= last && restored.identity == journal.identity)
    }

    @Test func `replaces an earlier one where that is asked for, and nothing else`() async throws {
        let failure = #expect(throws: SubmitFailure.self) { try makeBackup() }
        #expect(failure?.code == "journal-missing")
        let journal = try Journal(path: path)
        _ = try makeBackup()
        let exists = #expect(throws: SubmitFailure.self) { try makeBackup() }
        #expect(exists?.code == "backup-exists")
        try await journal.accept(NewItem.photos(1))
        _ = try makeBackup(isReplacing: true)
        #expect(JournalExamination.of(file)?.batches == 1)
        // A journal that is at work, a photo, a link to a backup.
        let other = folder.path.appending("other.sqlite")
        _ = try Journal(path: other)
        let photo = folder.path.appending("photo.jpg")
        try Data("photo".utf8).write(to: URL(fileURLWithPath: photo.string))
        let link = folder.path.appending("link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: file.string)
        for place in [path, other, photo, link] {
            let before = try Data(contentsOf: URL(fileURLWithPath: place.string))
            let foreign = #expect(throws: SubmitFailure.self) {
                try JournalBackup.make(of: path, at: place, isReplacing: true)
            }
            #expect(foreign?.code == "backup-foreign", "\(place)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: place.string)) == before)
        }
    }

    @Test func `that was broken off is begun anew, and one at a time is made`() throws {
        let journal = try Journal(path: path)
        defer { withExtendedLifetime(journal) {} }
        let draft = folder.path.appending(".backup.sqlite.submit-new-7")
        try Data(repeating: 0x41, count: 100_000).write(to: URL(fileURLWithPath: draft.string))
        let other = try FileDescriptor.open(
            folder.path.appending(".backup.sqlite.submit-lock"), .readWrite, options: [.create],
            permissions: [.ownerReadWrite])
        flock(other.rawValue, LOCK_EX)
        // Who is refused takes nothing from whoever has it.
        for _ in 0..<3 {
            let busy = #expect(throws: SubmitFailure.self) { try makeBackup() }
            #expect(busy?.code == "backup-busy")
        }
        #expect(FileManager.default.fileExists(atPath: draft.string))
        try other.close()
        _ = try makeBackup()
        #expect(JournalExamination.of(file, isThorough: true)?.integrity == "ok")
        #expect(!FileManager.default.fileExists(atPath: draft.string))
    }

    @Test func `where none can be made says so and leaves nothing`() throws {
        _ = try Journal(path: path)
        let failure = #expect(throws: SubmitFailure.self) {
            try JournalBackup.make(of: path, at: "/proc/nowhere/backup.sqlite", isReplacing: false)
        }
        #expect(failure?.code == "backup-unwritable" && failure?.message.contains("/proc/nowhere") == true)
    }

    @Test(arguments: [
        ("UPDATE tally SET count = count + 1", "counts that are not"),
        ("DELETE FROM tally", "that are not counted"), ("DELETE FROM item WHERE id = 1", "that belong to nothing"),
        ("UPDATE submission SET state = 2, settled = 1", "without a receipt"),
        ("UPDATE submission SET settled = NULL WHERE state = 3", "ended at no time"),
        ("INSERT INTO journal VALUES ('0')", "identities"),
    ])
    func `and a journal in which a rule is broken are told`(sql: String, flaw: String) async throws {
        let journal = try Journal(path: path)
        try await journal.accept(NewItem.photos(2))
        #expect(JournalExamination.of(path, isThorough: true)?.flaws == [])
        try await journal.execute(sql)
        let flaws = try #require(JournalExamination.of(path, isThorough: true)?.flaws)
        #expect(flaws.contains { $0.contains(flaw) }, "\(flaws)")
    }
}
