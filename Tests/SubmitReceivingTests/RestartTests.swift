import Foundation
import Submit
import SubmitDigest
import SubmitEngine
import SubmitStore
import SubmitTesting
import SystemPackage
import TestServers
import Testing

@testable import SubmitReceiving

/// A process that is killed leaves what it had written: its values are let go of without a word, and the next one begins.
@Suite(.timeLimit(.minutes(2))) struct `After kill -9` {
    let desk = FrontDesk()

    private func begun(
        _ bytes: [UInt8], upTo offset: Int
    ) async throws -> (session: ReceivingSession, file: IncomingFile) {
        let reception = try desk.open()
        let session = try await reception.enter()
        let file = try await reception.begin(FileOffer(name: "a.jpg", length: Int64(bytes.count)), session: session)
        _ = try await reception.append(to: file.id, session: session, at: 0, Pieces(Array(bytes[..<offset])))
        return (session, file)
    }

    private func file(_ id: IncomingFileID) throws -> FileHandle {
        try #require(FileHandle(forUpdatingAtPath: desk.spool.appending(id.rawValue).string))
    }

    @Test(arguments: [
        (0, 400_000), (-1000, 399_000), (-400_000, 0), (5000, 400_000),
    ])
    func `a file goes on from what both the disk and the journal know of`(more: Int, offset: Int64) async throws {
        let bytes = jpeg(700_000)
        let (session, file) = try await begun(bytes, upTo: 400_000)
        try self.file(file.id).truncate(atOffset: UInt64(400_000 + more))
        let reception = try desk.open()
        try await reception.tidy()
        #expect(try await reception.file(file.id, session: session).offset == offset)
        _ = try await reception.append(
            to: file.id, session: session, at: offset, Pieces(Array(bytes[Int(offset)...]), of: 9999))
        #expect(try await reception.finish(file.id, session: session).digest == sha256(bytes))
        try await desk.pay(reception)
        #expect(desk.places["a"]?.contents["a.jpg"] == bytes)
    }

    @Test func `nothing is accepted of a file that may still be written, and what is whole is cut by nobody`()
        async throws
    {
        let bytes = jpeg(5000)
        let (session, file) = try await begun(bytes, upTo: 5000)
        // The journal itself keeps an eye on it.
        try await ChildProcess.output(of: [
            "sqlite3", desk.journal.string,
            """
            CREATE TRIGGER half BEFORE INSERT ON submission
            WHEN EXISTS (SELECT 1 FROM incoming_file WHERE state = 0 AND id = '\(file.id)')
            BEGIN SELECT raise(ABORT, 'half'); END
            """,
        ])
        let first = try desk.open()
        let isWhole = try await first.store.completeFile(
            file.id, length: 5000, digest: sha256(bytes), kept: nil, mostBytes: nil)
        #expect(isWhole)
        // Killed here, and the phone is sooner than we are.
        let next = try desk.open()
        let now = try await next.file(file.id, session: session)
        #expect(now.state == .whole && now.offset == 5000)
        let conflict = await refusal { _ = try await next.append(to: file.id, session: session, at: 0, Pieces(bytes)) }
        #expect(conflict?.kind == .conflict(offset: 5000))
        try await next.tidy()
        #expect(try await next.file(file.id, session: session).state == .arrived)
        // And one that nobody breaks off.
        try await next.send(jpeg(900, 2), named: "b.jpg", session)
        try await desk.pay(next)
        #expect(desk.places["a"]?.contents["a.jpg"] == bytes && desk.places["a"]?.contents["b.jpg"] == jpeg(900, 2))
    }

    @Test func `what a disk did not take comes again`() throws {
        let folder = TemporaryFolder()
        let whole = jpeg(9000)
        var bytes = IncomingBytes(FilePath(folder.path("a")), length: 9000, upTo: 0, [.sha256])
        var none: DigestPass?
        try bytes.open()
        try bytes.append(Array(whole[..<5000]), also: &none)
        try bytes.sync()
        try bytes.append(Array(whole[5000..<8000]), also: &none)
        #expect(throws: IncomingFolder.Fault.self) { try bytes.lasts(upTo: 8000, EIO) }
        // A second sync says that all is well (fsync(2)).
        #expect(throws: IncomingFolder.Fault.self) { try bytes.sync() }
        #expect(throws: IncomingFolder.Fault.self) { try bytes.seal(modified: nil) }
        #expect(throws: IncomingFolder.Fault.self) { try bytes.append([1], also: &none) }
        bytes.close()
        try bytes.open()
        #expect(bytes.end == 5000)
        try bytes.append(Array(whole[5000...]), also: &none)
        try bytes.seal(modified: nil)
        #expect(bytes.digests[.sha256] == sha256(whole))
        #expect(try Data(contentsOf: URL(filePath: folder.path("a"))) == Data(whole))
    }

    @Test func `a file that is gone begins anew, and bytes that nobody knows go`() async throws {
        let bytes = jpeg(5000)
        let (session, file) = try await begun(bytes, upTo: 3000)
        let path = desk.spool.appending(file.id.rawValue).string
        try FileManager.default.removeItem(atPath: path)
        let orphan = desk.spool.appending(String(repeating: "0", count: 32)).string
        try Data(bytes).write(to: URL(filePath: orphan))
        let reception = try desk.open()
        try await reception.tidy()
        #expect(!FileManager.default.fileExists(atPath: orphan))
        #expect(try await reception.file(file.id, session: session).offset == 0)
        _ = try await reception.append(to: file.id, session: session, at: 0, Pieces(bytes))
        #expect(try await reception.finish(file.id, session: session).state == .arrived)
    }

    @Test func `a link that somebody put in a file's place is not followed`() async throws {
        let bytes = jpeg(5000)
        let (session, file) = try await begun(bytes, upTo: 3000)
        let (path, victim) = (desk.spool.appending(file.id.rawValue).string, desk.folder.appending("victim").string)
        try FileManager.default.removeItem(atPath: path)
        try Data([1, 2, 3]).write(to: URL(filePath: victim))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)
        let reception = try desk.open()
        let refused = await refusal { _ = try await reception.file(file.id, session: session) }
        #expect(refused?.kind == .unavailable)
        #expect(FileManager.default.contents(atPath: victim) == Data([1, 2, 3]))
    }

    @Test func `one that was accepted, of which that was not written down, has arrived once`() async throws {
        let bytes = jpeg(5000)
        let (session, file) = try await begun(bytes, upTo: 5000)
        let former = try desk.open()
        let item = SubmitItem(
            source: .file(desk.spool.appending(file.id.rawValue)), name: "a.jpg", idempotencyKey: file.id.rawValue)
        let batch = try await former.manager.accept(SubmitRequest(items: [item], destinations: ["a", "b"])).batch
        let reception = try desk.open()
        try await reception.tidy()
        // The offset of the end is written down with the arrival, and so the last piece comes again.
        let offset = try await reception.file(file.id, session: session).offset
        _ = try await reception.append(
            to: file.id, session: session, at: offset, Pieces(Array(bytes[Int(offset)...])))
        let arrived = try await reception.finish(file.id, session: session)
        #expect(arrived.batch == batch)
        #expect(try await reception.manager.records.submissions(SubmissionSelection()).count == 2)
    }

    @Test func `what its owner keeps is accepted from there, under one name`() async throws {
        let bytes = jpeg(5000)
        let keep = desk.folder.appending("keep")
        let former = try desk.open()
        let session = try await former.enter(InviteTerms(destinations: ["a"], keep: keep.string))
        let file = try await former.begin(FileOffer(name: "a.jpg", length: 5000), session: session)
        _ = try await former.append(to: file.id, session: session, at: 0, Pieces(bytes))
        // It was killed when it had a second name, and once more when the first one was gone.
        let source = desk.spool.appending(file.id.rawValue)
        let kept = try KeepFolder(keep).take(source, named: "a.jpg", file.id)
        #expect(try KeepFolder(keep).take(source, named: "a.jpg", file.id) == kept)
        #expect(
            try await former.store.completeFile(
                file.id, length: 5000, digest: sha256(bytes), kept: kept, mostBytes: nil))
        try FileManager.default.removeItem(atPath: source.string)
        let reception = try desk.open()
        try await reception.tidy()
        #expect(try await reception.file(file.id, session: session).state == .arrived)
        try await desk.pay(reception)
        #expect(try FileManager.default.contentsOfDirectory(atPath: keep.string) == ["a.jpg"])
        #expect(desk.places["a"]?.contents["a.jpg"] == bytes)
    }

    @Test func `little is lost of a file that came at one go`() async throws {
        let bytes = jpeg(40 << 20)
        let session: ReceivingSession
        let id: IncomingFileID
        do {
            let reception = try desk.open()
            session = try await reception.enter()
            let file = try await reception.begin(FileOffer(name: "a.jpg", length: 40 << 20), session: session)
            id = file.id
            var pieces = Pieces(Array(bytes[..<(39 << 20)]), of: 1 << 20)
            let store = reception.store
            // What the journal knows while the sender has not come to an end.
            pieces.before = { taken in
                guard taken == 39 << 20 else { return }
                while ((try? await store.incomingFile(id))??.offset ?? 0) < 16 << 20 { await Task.yield() }
            }
            _ = try await reception.append(to: id, session: session, at: 0, pieces)
        }
        #expect(try await desk.open().file(id, session: session).offset == 39 << 20)
    }
}
