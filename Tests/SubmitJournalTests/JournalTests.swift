import Foundation
import GRDB
import Submit
import SystemPackage
import Testing

@testable import SubmitJournal

@Suite struct JournalTests {
    let folder = TemporaryFolder()

    private func open() throws -> Journal { try Journal(path: folder.path.appending("state/journal.sqlite")) }

    private func item(_ name: String, path: FilePath = "/photos/a.jpg") -> NewItem {
        NewItem(
            item: MediaItem(
                source: path, name: name, size: 10,
                type: MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg"),
                modified: Timestamp(nanoseconds: 1_700_000_000_123_456_789),
                captured: CaptureTime("2024-05-17T18:42:07+02:00"), caption: "Am Hafen", tags: ["a,b", "é"],
                digests: Digests([.sha256: Array(repeating: 7, count: 32), .md5: Array(repeating: 8, count: 16)])),
            identity: SourceIdentity(
                size: 10, modified: Timestamp(nanoseconds: 1_700_000_000_123_456_789), inode: .max, device: 3),
            submissions: [NewSubmission(destination: "a"), NewSubmission(destination: "b", album: "Summer")])
    }

    private func accept(_ count: Int, in journal: Journal) async throws -> BatchID {
        let batch = try await journal.begin()
        _ = try await journal.accept((0..<count).map { item("\($0).jpg") }, in: batch)
        return batch
    }

    private func claim(_ journal: Journal, _ batch: BatchID, limit: Int = 100) async throws -> [ClaimedSubmission] {
        try await journal.claim(destination: "a", first: [batch], limit: limit)
    }

    /// Ends a worker as its process's end does: whoever still writes for it keeps it for a moment.
    private func die(_ journal: inout Journal!) async throws {
        let (worker, other) = (try #require(journal.own.registered), try open())
        journal = nil
        while try other.read(other.workers)[worker] == true { await Task.yield() }
    }

    private let failure = SubmitFailure(.giveUp, code: "test", message: "It failed.")

    @Test func `several values of one process keep their locks on it, as others see`() async throws {
        let journal = try open()
        _ = try await accept(1, in: journal)
        var second: Journal? = try open()
        _ = try second?.batches()
        second = nil
        let third = try open()
        _ = try third.batches()
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
        _ = try await accept(1, in: journal)
        #expect(try open().batches().count == 2)
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

    @Test func `what was accepted is there when the journal is opened again`() async throws {
        let batch = try await accept(3, in: open())
        let again = try open()
        let records = try again.submissions(SubmissionSelection(batch: batch))
        #expect(records.count == 6)
        #expect(records[1].item == item("0.jpg").item)
        #expect(records[1].album == "Summer")
        let claimed = try await again.claim(destination: "b", first: [batch], limit: 1)
        #expect(claimed.first?.identity == item("0.jpg").identity)
    }

    @Test(arguments: [1, 15, 16, 17, 40])
    func `every item of a group gets its own submissions, however many are written together`(count: Int) async throws {
        let journal = try open()
        let batch = try await journal.begin()
        let items = (0..<count).map { index in
            var new = item("\(index).jpg")
            new.submissions = (0..<index % 3).map { number in
                NewSubmission(
                    destination: "\(index)-\(number)", refusal: index.isMultiple(of: 2) ? failure : nil)
            }
            return new
        }
        _ = try await journal.accept([item("before.jpg")], in: batch)
        let ids = try await journal.accept(items, in: batch)
        #expect(ids.map(\.count) == items.map(\.submissions.count))
        for (new, ids) in zip(items, ids) {
            for (submission, id) in zip(new.submissions, ids) {
                let record = try #require(try journal.submissions(SubmissionSelection(submission: id)).first)
                #expect(record.item.name == new.item.name)
                #expect(record.destination == submission.destination)
                #expect(record.state == (submission.refusal == nil ? .queued : .failed))
            }
        }
    }

    @Test func `a path that is not UTF-8 comes back byte for byte`() async throws {
        let bytes: [CInterop.PlatformChar] = [0x2f, -1, -2, 0x2e, 0x6a, 0]
        let path = bytes.withUnsafeBufferPointer { FilePath(platformString: $0.baseAddress!) }
        let journal = try open()
        let batch = try await journal.begin()
        _ = try await journal.accept([item("x.jpg", path: path)], in: batch)
        #expect(try journal.submissions(SubmissionSelection()).first?.item.source == path)
    }

    @Test func `fresh submissions are claimed in the order of acceptance and only once`() async throws {
        let journal = try open()
        let other = try open()
        let batch = try await accept(20, in: journal)
        async let mine = journal.claim(destination: "a", first: [batch], limit: 12, inOrder: false)
        async let theirs = other.claim(destination: "a", first: [batch], limit: 12, inOrder: false)
        let (first, second) = try await (mine, theirs)
        #expect(first.count + second.count == 20)
        #expect(Set(first.map(\.id)).isDisjoint(with: second.map(\.id)))
        #expect(first.map(\.id) == first.map(\.id).sorted())
    }

    @Test func `a claim that was taken away cannot finish`() async throws {
        let journal = try open()
        let batch = try await accept(1, in: journal)
        let frozen = try #require(try await claim(journal, batch).first)
        try await journal.settle(frozen, .released)
        let current = try #require(try await claim(journal, batch).first)
        #expect(current.fence > frozen.fence)
        let receipt = Receipt(remoteID: "x", evidence: .verified)
        #expect(try await journal.settle(frozen, .done(receipt)) == nil)
        #expect(try await journal.keep(Checkpoint(data: [1]), for: frozen) == false)
        #expect(try await journal.settle(current, .done(receipt)) == .done)
        #expect(try await journal.settle(current, .done(receipt)) == nil, "settling twice changes nothing")
        #expect(try journal.submissions(SubmissionSelection(submission: current.id)).first?.receipt == receipt)
    }

    @Test func `the claims of who is gone come back at once`() async throws {
        var journal: Journal! = try open()
        let batch = try await accept(2, in: journal)
        let claimed = try await claim(journal, batch)
        #expect(try await journal.keep(Checkpoint(data: [1, 2]), for: claimed[0]))
        #expect(try await journal.recover() == 0, "a living worker keeps its claims")
        let other = try open()
        #expect(try await other.recover() == 0)
        try await die(&journal)
        let next = try open()
        #expect(try await next.recover() == 2)
        let again = try await next.claim(destination: "a", first: [batch], limit: 10)
        #expect(again.map(\.id) == claimed.map(\.id))
        #expect(again.first?.checkpoint == Checkpoint(data: [1, 2]))
        #expect(again.first?.tries == 2)
        #expect(again.first?.failures == 0, "being killed is no failure of the submission")
        #expect(try next.attempts(of: claimed[0].id).map(\.outcome) == ["interrupted"])
    }

    @Test func `what waits for a time is not claimed before it, and holds up nothing`() async throws {
        let journal = try open()
        let batch = try await accept(3, in: journal)
        let first = try #require(try await claim(journal, batch, limit: 1).first)
        let later = Timestamp.now.advanced(by: .milliseconds(3_600_000))
        try await journal.settle(first, .waits(failure, until: later, counts: true))
        let rest = try await claim(journal, batch)
        #expect(rest.map(\.id).contains(first.id) == false)
        #expect(rest.count == 2)
        #expect(try journal.nextDue(destination: "a", batches: [batch]) == later)
        let record = try #require(try journal.submissions(SubmissionSelection(submission: first.id)).first)
        #expect(record.state == .queued)
        #expect(record.message == "It failed.")
    }

    @Test func `paused and parked destinations give out nothing, and others go on`() async throws {
        let journal = try open()
        let batch = try await accept(2, in: journal)
        try await journal.pause(destinations: ["a"])
        #expect(try await claim(journal, batch).isEmpty)
        #expect(try await journal.claim(destination: "b", first: [batch], limit: 1).count == 1)
        try await journal.resume(destinations: ["a"])
        let later = Timestamp.now.advanced(by: .milliseconds(3_600_000))
        let state = try await journal.park("a", .unreachable, failure) { _ in later }
        #expect(state.parking?.count == 1)
        #expect(try await claim(journal, batch).isEmpty)
        let same = try await journal.park("a", .unreachable, failure) { _ in later }
        #expect(same.parking?.count == 1, "those that were under way find out the same")
        try await journal.lookAgain(at: ["a"], asked: [])
        #expect(try await claim(journal, batch).count == 1, "one finds out whether it works again")
        try await journal.unpark("a")
        #expect(try await claim(journal, batch).count == 1)
        #expect(try journal.state(of: "a").parking == nil)
    }

    @Test func `what waits for someone is looked at by one submission each time someone asks`() async throws {
        let journal = try open()
        let batch = try await accept(4, in: journal)
        _ = try await journal.park("a", nil, failure) { _ in nil }
        try await journal.lookAgain(at: ["a"], asked: ["b"])
        #expect(try await claim(journal, batch).isEmpty, "nobody asked for it")
        try await journal.lookAgain(at: ["a"], asked: ["a"])
        #expect(try await claim(journal, batch).count == 1)
        #expect(try await claim(open(), batch).isEmpty, "that one is the only one, in other processes too")
        try await journal.giveBackLook(at: "a")
        #expect(try await claim(journal, batch).count == 1, "the first found nothing out")
        #expect(try await claim(journal, batch).isEmpty)
        let state = try await journal.park("a", nil, SubmitFailure(.giveUp, code: "c", message: "Another reason."), isProbe: true) {
            _ in nil
        }
        #expect(state.parking?.message == "Another reason.", "who looked again tells how it is now")
    }

    @Test func `cancelling ends what is owed and tells who is sending`() async throws {
        let journal = try open()
        let batch = try await accept(3, in: journal)
        let sending = try #require(try await claim(journal, batch, limit: 1).first)
        let cancellation = try await open().cancel(SubmissionSelection(batch: batch, destination: "a"))
        #expect(cancellation.cancelled.count == 2)
        #expect(cancellation.told == [sending.id])
        #expect(try journal.cancelledClaims(of: journal.own) == [sending.id])
        try await journal.settle(sending, .cancelled)
        let tallies = try journal.tallies(SubmissionSelection(batch: batch))
        #expect(tallies.filter { $0.destination == "a" }.map(\.state) == [.cancelled])
        #expect(tallies.filter { $0.destination == "b" }.map(\.state) == [.queued])
    }

    @Test func `a cancel holds when the attempt ends by itself before it is heard of`() async throws {
        let journal = try open()
        let batch = try await accept(3, in: journal)
        let claims = try await claim(journal, batch)
        _ = try await journal.cancel(SubmissionSelection(batch: batch, destination: "a"))
        #expect(try await journal.settle(claims[0], .waits(failure, until: .now, counts: true)) == .cancelled)
        #expect(try await journal.settle(claims[1], .released) == .cancelled)
        #expect(try await journal.settle(claims[2], .waits(failure, until: .now, counts: false)) == .cancelled)
        #expect(try await claim(journal, batch).isEmpty)
        let tallies = try journal.tallies(SubmissionSelection(batch: batch, destination: "a"))
        #expect(tallies.map(\.state) == [.cancelled])
    }

    @Test func `one process is written down once, however many begin at the same moment`() async throws {
        let journal = try open()
        let batches = try await withThrowingTaskGroup(of: BatchID.self) { group in
            for _ in 0..<40 { group.addTask { try await journal.beginAcceptance("x").batch } }
            var begun: [BatchID] = []
            for try await batch in group { begun.append(batch) }
            return begun
        }
        #expect(try journal.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM worker") } == 1)
        #expect(Set(try journal.unfinishedBatches()) == Set(batches))
    }

    @Test func `who could not be written down is taken for no other`() async throws {
        let (journal, other) = (try open(), try open())
        await #expect(throws: JournalFailure.self) {
            try await journal.write { db in
                _ = try journal.own.id(db)
                throw CancellationError()
            }
        }
        _ = try await other.beginAcceptance("x")
        _ = try await journal.beginAcceptance("x")
        #expect(try await journal.recover() == 0)
        #expect(try journal.read(journal.workers).count == 2)
        #expect(try journal.read(journal.workers).values.allSatisfy { $0 })
    }

    @Test func `what was asked for is kept until all of it is accepted`() async throws {
        let journal = try open()
        let first = try await journal.beginAcceptance("these files")
        _ = try await journal.accept([item("a.jpg", path: "/photos/a.jpg")], in: first.batch)
        #expect(try journal.openAcceptances(of: first.batch).map(\.request) == ["these files"])
        #expect(try journal.sources(of: first.batch) == ["/photos/a.jpg"])
        let second = try await journal.beginAcceptance("and those", in: first.batch)
        #expect(try journal.sources(of: first.batch, after: second.after) == [], "the first one's are not its own")
        try await journal.seal(first.batch, first.id)
        #expect(try journal.openAcceptances(of: first.batch).map(\.request) == ["and those"])
        #expect(try journal.batches([first.batch]).map(\.isSealed) == [false])
        try await journal.seal(first.batch, second.id)
        #expect(try journal.openAcceptances(of: first.batch).isEmpty)
        #expect(try journal.batches([first.batch]).map(\.isSealed) == [true])
        _ = try await journal.beginAcceptance("more", in: first.batch)
        #expect(try journal.batches([first.batch]).map(\.isSealed) == [false], "it is complete no longer")
    }

    @Test func `an acceptance is completed by one, and not while somebody is at it`() async throws {
        var journal: Journal! = try open()
        let open = try await journal.beginAcceptance("these files")
        #expect(try await journal.takeUp(open) == false, "it is at it itself")
        let other = try self.open()
        try await other.recover()
        #expect(try await other.takeUp(open) == false, "the first one lives")
        try await journal.release(open.id)
        #expect(try await other.takeUp(open) == true, "it was left to others")
        try await other.release(open.id)
        #expect(try await journal.takeUp(open) == true)
        try await die(&journal)
        try await other.recover()
        #expect(try await other.takeUp(open) == true)
        #expect(try await self.open().takeUp(open) == false)
        try await other.seal(open.batch, open.id)
        #expect(try await other.takeUp(open) == false)
    }

    @Test func `whatever is due is claimed, those of the given batches first`() async throws {
        let journal = try open()
        let (old, own) = (try await accept(3, in: journal), try await accept(3, in: journal))
        let ids = try await journal.claim(destination: "a", first: [own], limit: 5).map(\.batch)
        #expect(ids == [own, own, own, old, old])
        #expect(try await journal.claim(destination: "a", first: [own], others: false, limit: 5).isEmpty)
        #expect(try await journal.claim(destination: "a", limit: 5).map(\.batch) == [old])
    }

    @Test func `new ones without an end starve none that failed before`() async throws {
        let journal = try open()
        let batch = try await accept(1, in: journal)
        let failed = try #require(try await claim(journal, batch).first)
        let longAgo = Timestamp.now.advanced(by: .milliseconds(-120_000))
        try await journal.settle(failed, .waits(failure, until: longAgo, counts: true))
        _ = try await accept(50, in: journal)
        let claimed = try await journal.claim(destination: "a", limit: 4).map(\.id)
        #expect(claimed.first == failed.id && claimed.count == 4)
    }

    @Test func `a destination that takes one at a time is one worker's at a time`() async throws {
        let journal = try open()
        _ = try await accept(4, in: journal)
        let (one, other) = (try journal.makeWorker(), try journal.makeWorker())
        let mine = try await journal.claim(destination: "a", limit: 2, by: one)
        #expect(mine.count == 2)
        #expect(try journal.outlook(nil, at: ["a"], for: other) == Outlook(elsewhere: 2, due: ["a": Timestamp(nanoseconds: 0)]))
        #expect(try await journal.claim(destination: "a", limit: 2, by: other).isEmpty)
        #expect(try await journal.claim(destination: "b", limit: 2, by: other).count == 2)
        #expect(try await journal.claim(destination: "a", limit: 1, inOrder: false, by: other).count == 1)
        // One that was stopped says nothing for as long, and holds up nobody.
        try await journal.write { db in try db.execute(sql: "UPDATE worker SET beat = 0") }
        #expect(try journal.outlook(nil, at: ["a"], for: other).elsewhere == 0)
        #expect(try await journal.claim(destination: "a", limit: 2, by: other).count == 1)
    }

    @Test func `claims are their worker's, and come back when it is gone though its process lives`() async throws {
        let journal = try open()
        let batch = try await accept(2, in: journal)
        var worker: Worker? = try journal.makeWorker()
        #expect(try await journal.claim(destination: "a", limit: 1, by: worker).count == 1)
        #expect(try await journal.recover() == 0)
        let id = try #require(worker?.registered)
        worker = nil
        while try journal.read(journal.workers)[id] == true { await Task.yield() }
        #expect(try await journal.recover() == 1)
        #expect(try await claim(journal, batch).count == 2)
    }

    @Test func `who attends a batch hears once what others made of it`() async throws {
        let journal = try open()
        let batch = try await accept(3, in: journal)
        let (watcher, sender) = (try journal.makeWorker(), try journal.makeWorker())
        try await journal.attend([batch], watcher)
        try await journal.attend([batch], sender)
        let claims = try await journal.claim(destination: "a", limit: 2, by: sender)
        try await journal.settle(claims[0], .done(Receipt(remoteID: "x", evidence: .verified)))
        try await journal.settle(claims[1], .untried)
        let own = try await journal.claim(destination: "a", limit: 1, inOrder: false, by: watcher)
        try await journal.settle(own[0], .failed(failure))
        #expect(try await journal.news(for: watcher).map(\.id) == [claims[0].id])
        #expect(try await journal.news(for: watcher).isEmpty)
        #expect(try await journal.news(for: sender).map(\.id) == own.map(\.id), "nobody hears of its own")
        try await journal.leave(watcher)
        #expect(try journal.submissions(SubmissionSelection(submission: claims[1].id)).first?.tries == 1)
        #expect(try journal.attempts(of: claims[1].id).map(\.outcome) == ["failed"], "what was not tried is no attempt")
    }

    @Test func `retrying owes failed submissions again and nothing else`() async throws {
        let journal = try open()
        let batch = try await accept(2, in: journal)
        let claims = try await claim(journal, batch)
        try await journal.settle(claims[0], .failed(failure))
        try await journal.settle(claims[1], .done(Receipt(remoteID: "x", evidence: .size)))
        #expect(try await journal.retry(SubmissionSelection(batch: batch)) == 1)
        let again = try await claim(journal, batch)
        #expect(again.map(\.id) == [claims[0].id])
        #expect(again.first?.failures == 0)
    }

    @Test func `retrying leaves what may have arrived, until it is named`() async throws {
        let journal = try open()
        let batch = try await accept(2, in: journal)
        let claims = try await claim(journal, batch)
        let unknown = SubmitFailure(.outcomeUnknown, code: SubmitFailure.outcomeUnknownCode, message: "Nobody knows.")
        try await journal.settle(claims[0], .failed(unknown))
        try await journal.settle(claims[1], .failed(failure))
        let all = SubmissionSelection(batch: batch)
        #expect(try journal.unknownOutcomes(all) == 1)
        #expect(try await journal.retry(all) == 1)
        #expect(try await claim(journal, batch).map(\.id) == [claims[1].id])
        #expect(try await journal.retry(SubmissionSelection(submission: claims[0].id)) == 1)
        #expect(try journal.unknownOutcomes(all) == 0)
    }

    @Test func `one item's broken source fails what nobody works on`() async throws {
        let journal = try open()
        let batch = try await accept(1, in: journal)
        let mine = try #require(try await claim(journal, batch).first)
        let condemned = try await journal.condemn(item: mine.itemID, failure)
        #expect(condemned.map(\.destination) == ["b"])
    }

    @Test func `the marks of a copy are kept, and what was disproved until it is done`() async throws {
        let journal = try open()
        let batch = try await accept(1, in: journal)
        let first = try #require(try await claim(journal, batch).first)
        #expect(first.disproved == nil)
        let marks = ["etag": "“9b”-2", "modified": "Sat, 21 Nov 2026 00:00:00 GMT"]
        try await journal.settle(first, .done(Receipt(remoteID: "0.jpg", evidence: .verified, marks: marks)))
        func record() throws -> SubmissionRecord {
            try #require(try journal.submissions(SubmissionSelection(submission: first.id)).first)
        }
        #expect(try record().receipt?.marks == marks)
        let lost = LostCopy(
            submission: first.id, outcome: "changed", finding: failure, onConflict: .rename, verification: .readback,
            disproved: "0.jpg")
        #expect(try await journal.owe(again: [lost]) == [first.id])
        let second = try #require(try await claim(journal, batch).first)
        #expect(second.disproved == "0.jpg" && second.verification == .readback)
        try await journal.settle(second, .released)
        let third = try #require(try await claim(journal, batch).first)
        #expect(third.disproved == "0.jpg")
        let many = ["etag": String(repeating: "9", count: Receipt.mostMarks)]
        try await journal.settle(third, .done(Receipt(remoteID: "0-1.jpg", evidence: .verified, marks: many)))
        #expect(try record().receipt?.marks == [:] && record().verification == .readback)
        let later = LostCopy(submission: first.id, outcome: "vanished", finding: failure, onConflict: .rename)
        #expect(try await journal.owe(again: [later]) == [first.id])
        #expect(try await claim(journal, batch).map(\.disproved) == [nil])
    }

    @Test func `a lost copy is owed again once, and what was found is an attempt more`() async throws {
        let journal = try open()
        let batch = try await accept(2, in: journal)
        let claims = try await claim(journal, batch)
        try await journal.settle(claims[0], .done(Receipt(remoteID: "0.jpg", evidence: .verified)))
        let lost = claims.map {
            LostCopy(submission: $0.id, outcome: "vanished", finding: failure, onConflict: .rename)
        }
        #expect(try await journal.owe(again: lost) == [claims[0].id], "the other one is not done")
        #expect(try await journal.owe(again: lost).isEmpty)
        #expect(try journal.attempts(of: claims[0].id).map(\.outcome) == ["done", "vanished"])
        let record = try #require(try journal.submissions(SubmissionSelection(submission: claims[0].id)).first)
        #expect(record.state == .queued && record.receipt == nil && record.tries == 2)
        #expect(try await claim(journal, batch).map(\.tries) == [3])
    }

    @Test func `a wanted removal is one process's at a time, and outlives it`() async throws {
        var journal: Journal! = try open()
        let batch = try await journal.begin()
        var new = item("a.jpg")
        new.removal = SourceRemoval(copies: 2)
        _ = try await journal.accept([new, item("b.jpg")], in: batch)
        let mine = try await journal.claimRemovals(batches: nil, after: 0, limit: 10)
        #expect(mine.map(\.item.name) == ["a.jpg"] && mine.first?.removal == SourceRemoval(copies: 2))
        let other = try open()
        #expect(try await other.claimRemovals(batches: nil, after: 0, limit: 10).isEmpty)
        #expect(
            try await journal.beginRemoval(of: mine[0], to: "/trash/a.jpg", covers: { _, _ in false })
                == .submission(1, destination: "a", isFailed: false))
        _ = try await journal.cancel(SubmissionSelection())
        #expect(
            try await journal.beginRemoval(of: mine[0], to: "/trash/a.jpg", covers: { _, _ in false }) == nil)
        try await die(&journal)
        try await other.recover()
        let taken = try await other.claimRemovals(batches: [batch], after: 0, limit: 10)
        try #require(taken.first?.state == .underWay && taken.first?.aside == "/trash/a.jpg")
        try await other.settleRemoval(of: taken[0], .removed)
        #expect(try other.removedSource(of: 1) == "/trash/a.jpg" && other.removalDestinations(batches: nil).isEmpty)
    }

    @Test func `a journal from before sources could be removed gets a place for that`() async throws {
        try await open().write { db in
            try db.execute(sql: "DROP TABLE removal")
            try db.execute(sql: "DELETE FROM grdb_migrations WHERE substr(identifier, 1, 1) >= '4'")
        }
        #expect(try open().removalBatches().isEmpty)
    }

    @Test(arguments: [true, false])
    func `a journal whose removals do not know their batch is taught, and others stay as they are`(
        isOld: Bool
    ) async throws {
        let journal = try open()
        _ = try await journal.begin()
        let batch = try await journal.begin()
        var item = item("a.jpg")
        item.removal = SourceRemoval(copies: 1)
        _ = try await journal.accept([item], in: batch)
        try await journal.write { db in
            if isOld {
                try db.execute(
                    sql: """
                        DROP INDEX removal_open_batch; DROP INDEX removal_batch; DROP INDEX item_path;
                        ALTER TABLE removal DROP COLUMN batch;
                        """)
            }
            try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier LIKE '5:%'")
        }
        let opened = try open()
        #expect(try opened.removalBatches() == [batch])
        #expect(try await opened.claimRemovals(batches: [batch], after: 0, limit: 10).map(\.batch) == [batch])
        #expect(try await opened.accept([item], in: batch).count == 1)
    }

    @Test func `a verb that fails takes nothing of its neighbours with it`() async throws {
        let journal = try open()
        let batch = try await accept(1, in: journal)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask {
                    try? await journal.write { db in
                        try db.execute(sql: "INSERT INTO destination (name) VALUES (?)", arguments: ["\(index)"])
                        if index % 2 == 1 { throw JournalFailure(code: "scripted", message: "Scripted.") }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(try journal.destinationStates().map(\.name)) == Set((0..<50).filter { $0 % 2 == 0 }.map(String.init)))
        #expect(try await claim(journal, batch).count == 1)
    }

    @Test func `a damaged journal says so`() throws {
        let path = folder.path.appending("broken.sqlite")
        try Data(repeating: 0x41, count: 10_000).write(to: URL(fileURLWithPath: path.string))
        let failure = #expect(throws: JournalFailure.self) { try Journal(path: path) }
        #expect(failure?.code == "journal-damaged")
    }

    @Test func `a journal of a newer version is left alone`() async throws {
        let journal = try open()
        try await journal.write { db in
            try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('999: from the future')")
        }
        let failure = #expect(throws: JournalFailure.self) { try open() }
        #expect(failure?.code == "journal-newer")
    }
}

/// A folder that is removed with the value that holds it.
final class TemporaryFolder: Sendable {
    let path: FilePath

    init() {
        path = FilePath(NSTemporaryDirectory()).appending("submit-test-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path.string)
    }
}
