import Foundation
import Submit
import SubmitEngine
import SubmitStore
import SubmitTesting
import TestServers
import Testing

@testable import SubmitReceiving

@Suite(.timeLimit(.minutes(2))) struct `What an invite allows` {
    let desk = FrontDesk()

    @Test func `is so many files, of so many bytes each and in all, also side by side`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter(
            InviteTerms(destinations: ["a"], files: 3, bytes: 1000, fileBytes: 600))
        let begin = { (length: Int64) in
            try await reception.begin(FileOffer(name: "a.jpg", length: length), session: session)
        }
        #expect(await refusal { _ = try await begin(601) }?.code == "file-too-large")
        #expect(await refusal { _ = try await begin(0) }?.code == "empty")
        #expect(await refusal { _ = try await begin(-5) }?.code == "empty")
        #expect(await refusal { _ = try await begin(.max) }?.code == "file-too-large")
        let first = try await begin(600)
        #expect(await refusal { _ = try await begin(401) }?.code == "invite-bytes")
        try await reception.cancel(first.id, session: session)
        // What was cancelled counts no more.
        for _ in 0..<3 { _ = try await begin(300) }
        #expect(await refusal { _ = try await begin(1) }?.code == "invite-files")
    }

    @Test func `is no more where nobody told the lengths of those that came at once`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter(InviteTerms(destinations: ["a"], bytes: 8000))
        var files: [IncomingFile] = []
        for _ in 0..<3 {
            files.append(try await reception.begin(FileOffer(name: "a.jpg", length: nil), session: session))
        }
        for (seed, file) in files.enumerated() {
            _ = try await reception.append(
                to: file.id, session: session, at: 0, Pieces(jpeg(3000 + seed)))
        }
        _ = try await reception.finish(files[0].id, session: session)
        _ = try await reception.finish(files[1].id, session: session)
        let third = await refusal { _ = try await reception.finish(files[2].id, session: session) }
        #expect(third?.code == "invite-bytes")
        #expect(desk.spooled().count <= 2)
        #expect(try await reception.invites().first?.record.bytes == 6001)
    }

    @Test func `is the same for all of its sessions`() async throws {
        let reception = try desk.open()
        let invite = try await reception.invite(InviteTerms(destinations: ["a"], files: 1, isOnce: false))
        var kinds: [ReceivingRefusal.Kind?] = []
        for _ in 0..<2 {
            let session = try await reception.claim(invite.id, secret: invite.secret, address: "x", device: "P").session
            kinds.append(
                await refusal { _ = try await reception.begin(FileOffer(name: "a.jpg", length: 3), session: session) }?
                    .kind)
        }
        #expect(kinds == [nil, .tooMany])
    }

    @Test func `is so many unfinished files at once`() async throws {
        let reception = try desk.open { $0.mostUnfinished = 2 }
        let session = try await reception.enter()
        for _ in 0..<2 { _ = try await reception.begin(FileOffer(name: "a.jpg", length: 3), session: session) }
        let refused = await refusal {
            _ = try await reception.begin(FileOffer(name: "a.jpg", length: 3), session: session)
        }
        #expect(refused?.code == "too-many-unfinished")
    }

    @Test func `takes files only while there is room, and says so before the first byte`() async throws {
        let reception = try desk.open { $0.freeFloor = 1 << 60 }
        let session = try await reception.enter()
        let refused = await refusal {
            _ = try await reception.begin(FileOffer(name: "a.jpg", length: 3), session: session)
        }
        #expect(refused?.kind == .full && refused?.message.contains("“a.jpg”") ?? false)
        #expect(desk.spooled().isEmpty)
        #expect(try await reception.invites().first?.record.files == 0)
    }

    @Test func `goes on after a disk was full`() async throws {
        guard await SmallDisk.isAllowed() else { return }
        let disk = try await SmallDisk.mount("6m")
        let desk = FrontDesk(in: disk.path)
        let reception = try desk.open()
        let session = try await reception.enter()
        let bytes = jpeg(1 << 20)
        let known = try await reception.begin(FileOffer(name: "a.jpg", length: 1 << 20), session: session)
        let unknown = try await reception.begin(FileOffer(name: "b.jpg", length: nil), session: session)
        try disk.fill(sparing: 400 << 10)
        let refused = await refusal {
            _ = try await reception.begin(FileOffer(name: "c.jpg", length: 1 << 20), session: session)
        }
        #expect(refused?.kind == .full)
        // What room was made for has it.
        _ = try await reception.append(to: known.id, session: session, at: 0, Pieces(bytes))
        let full = await refusal {
            _ = try await reception.append(to: unknown.id, session: session, at: 0, Pieces(bytes))
        }
        #expect(full?.kind == .full || full?.kind == .unavailable)
        try FileManager.default.removeItem(atPath: "\(disk.path)/filler")
        let offset = try await reception.file(unknown.id, session: session).offset
        _ = try await reception.append(
            to: unknown.id, session: session, at: offset, Pieces(Array(bytes[Int(offset)...])))
        for file in [known, unknown] {
            #expect(try await reception.finish(file.id, session: session).digest == sha256(bytes))
        }
    }

    @Test func `is said of an offer without anything being written down`() async throws {
        let reception = try desk.open { $0.mostOffered = 10 }
        let session = try await reception.enter(
            InviteTerms(destinations: ["a"], files: 3, bytes: 5000, fileBytes: 2000))
        let bytes = jpeg(1000)
        try await reception.send(bytes, named: "there.jpg", session)
        let had = FileOffer(name: "other.jpg", length: 1000, sha256: sha256(bytes))
        #expect(try await reception.offer([had], session: session) == [.want], "it is not done yet")
        try await desk.pay(reception)
        let answers = try await reception.offer(
            [
                had, FileOffer(name: "b.jpg", length: 2001), FileOffer(name: "c.jpg", length: 2000),
                FileOffer(name: "d.jpg", length: nil, sha256: [1]), FileOffer(name: "e.jpg", length: 1),
            ], session: session)
        #expect(answers[0] == .have && answers[2] == .want && answers[3] == .want)
        guard case .refuse(let large) = answers[1], case .refuse(let many) = answers[4] else {
            Issue.record("they are refused")
            return
        }
        #expect(large.code == "file-too-large" && many.code == "invite-files")
        #expect(try await reception.status(of: session).files.count == 1)
        let million = await refusal {
            _ = try await reception.offer(Array(repeating: had, count: 1_000_000), session: session)
        }
        #expect(million?.kind == .tooMany)
    }
}
