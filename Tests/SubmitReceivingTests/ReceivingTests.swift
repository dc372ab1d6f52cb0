import Foundation
import Submit
import SubmitConcurrency
import SubmitDigest
import SubmitEngine
import SubmitJournal
import SubmitStore
import SubmitTesting
import SystemPackage
import TestServers
import Testing

@testable import SubmitReceiving

@Suite(.timeLimit(.minutes(5))) struct `A file that is sent in` {
    let desk = FrontDesk()

    @Test func `arrives in pieces, is sent as it was, and goes when its copies are proven`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        let bytes = jpeg(1_000_000)
        let modified = Timestamp(nanoseconds: 1_600_000_000_123_456_789)
        let file = try await reception.begin(
            FileOffer(
                name: "b/a.jpg", length: 1_000_000, sha256: sha256(bytes), modified: modified, type: "image/jpeg"),
            session: session)
        let path = desk.spool.appending(file.id.rawValue)
        #expect(try mode(desk.spool) == 0o700)
        #expect(try mode(path) == 0o600)
        var offset: Int64 = 0
        for end in [1, 300_000, 300_001, 999_999, 1_000_000] {
            offset = try await reception.append(
                to: file.id, session: session, at: offset, Pieces(Array(bytes[Int(offset)..<end]), of: 50_000))
            #expect(offset == Int64(end))
            #expect(try await reception.file(file.id, session: session).offset == offset)
        }
        let arrived = try await reception.finish(file.id, session: session)
        #expect(arrived.state == .arrived && arrived.digest == sha256(bytes))
        #expect(try await reception.finish(file.id, session: session).batch == arrived.batch)
        let waiting = try await reception.manager.submissions(ofKey: file.id.rawValue)
        #expect(waiting.map(\.destination).sorted() == ["a", "b"])
        #expect(waiting[0].item.name == "a.jpg" && waiting[0].album == "b")
        #expect(waiting[0].item.modified == modified)
        try await desk.pay(reception)
        for place in desk.places.values { #expect(place.contents["b/a.jpg"] == bytes) }
        while !desk.spooled().isEmpty { await reception.manager.tidySpool() }
    }

    @Test(arguments: [nil, "kept"])
    func `that a server would run by its name is stored under another one`(folder: String?) async throws {
        let reception = try desk.open()
        let keep = folder.map { desk.folder.appending($0) }
        var terms = InviteTerms.both
        terms.keep = keep?.string
        terms.kinds = [.photo, .video, .other]
        let session = try await reception.enter(terms)
        let program = Array("<?php system($_GET['c']); ?>".utf8)
        try await reception.send(jpeg(3000) + program, named: "scan.php", session)
        _ = try await reception.take(
            FileOffer(name: "a.php.jpg", length: 3000), session: session, Pieces(jpeg(3000, 2)))
        try await reception.send(program, named: "shell.phtml", session)
        try await desk.pay(reception)
        let names: Set = ["scan_php.jpg", "a_php.jpg", "shell_phtml"]
        #expect(Set(desk.places["a"]?.contents.keys.map { $0 } ?? []) == names)
        if let keep { #expect(Set(try FileManager.default.contentsOfDirectory(atPath: keep.string)) == names) }
    }

    @Test func `that is small arrives at once, and leaves nothing where it is not taken`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter(InviteTerms(destinations: ["a", "b"], files: 3))
        let bytes = jpeg(5000)
        let modified = Timestamp(nanoseconds: 1_600_000_000_123_456_789)
        func take(_ offer: FileOffer, _ pieces: Pieces) async throws -> IncomingFile {
            try await reception.take(offer, session: session, pieces)
        }
        let offer = FileOffer(name: "b/a.jpg", length: 5000, modified: modified)
        for (offer, pieces, code) in [
            (offer, Pieces(bytes + [0]), "too-long"), (offer, Pieces(Array(bytes.dropLast())), "incomplete"),
            (offer, Pieces(Array(bytes.prefix(900)), of: 400, breaks: true), "broken-off"),
            (FileOffer(name: "a.jpg", length: 5000, sha256: sha256([1])), Pieces(bytes), "digest"),
            (FileOffer(name: "a.jpg", length: 0), Pieces([]), "empty"),
            (FileOffer(name: "a.txt", length: 3), Pieces([1, 2, 3]), "kind"),
        ] {
            let refused = await refusal { _ = try await take(offer, pieces) }
            #expect(refused?.code == code)
            #expect(desk.spooled().isEmpty, "\(code) \(String(describing: refused))")
        }
        // What is of no kind that is taken is told of, and counts no more.
        #expect(try await reception.store.incomingFiles(of: session.id).map(\.state) == [.refused])
        let arrived = try await take(offer, Pieces(bytes, of: 999))
        #expect(arrived.state == .arrived && arrived.digest == sha256(bytes) && arrived.offset == 5000)
        let path = desk.spool.appending(arrived.id.rawValue)
        #expect(try mode(path) == 0o644 && FileManager.default.contents(atPath: path.string) == Data(bytes))
        let waiting = try await reception.manager.submissions(ofKey: arrived.id.rawValue)
        #expect(waiting.map(\.destination).sorted() == ["a", "b"])
        #expect(waiting[0].item.name == "a.jpg" && waiting[0].album == "b" && waiting[0].item.modified == modified)
        for seed in 2...3 {
            _ = try await take(FileOffer(name: "c.jpg", length: 5000), Pieces(jpeg(5000, UInt64(seed))))
        }
        let fourth = await refusal { _ = try await take(FileOffer(name: "d.jpg", length: 5000), Pieces(jpeg(5000, 9))) }
        #expect(fourth?.code == "invite-files" && desk.spooled().count == 3)
        try await desk.pay(reception)
        for place in desk.places.values { #expect(place.contents["b/a.jpg"] == bytes) }
    }

    @Test func `that is small is left alone by whoever tidies up at this moment`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter(InviteTerms(destinations: ["a"]))
        // As `submit` in another process does.
        let other = try desk.open().manager
        let tidying = Task { while !Task.isCancelled { await other.tidySpool() } }
        defer { tidying.cancel() }
        for seed in 1...30 {
            let bytes = jpeg(3000, UInt64(seed))
            let file = try await reception.take(FileOffer(name: "a.jpg", length: 3000), session: session, Pieces(bytes))
            #expect(file.state == .arrived)
        }
        #expect(desk.spooled().count == 30)
    }

    @Test func `that is small and was on disk when the process died is nobody's, or arrives`() async throws {
        var file: IncomingFile?
        do {
            let first = try desk.open()
            let session = try await first.enter()
            file = try await first.take(FileOffer(name: "a.jpg", length: 5000), session: session, Pieces(jpeg(5000)))
            // As another one was left before it was written down.
            let id = String(repeating: "a", count: 32)
            try Data(jpeg(600)).write(to: URL(filePath: desk.spool.appending(id).string))
        }
        let next = try desk.open()
        try await next.tidy()
        #expect(try await next.store.incomingFile(try #require(file).id)?.state == .arrived)
        #expect(desk.spooled() == [try #require(file).id.rawValue])
    }

    private func mode(_ path: FilePath) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path.string)[.posixPermissions] as? Int)
    }

    @Test func `is not read a second time when it is accepted`() async throws {
        let reception = try desk.open()
        let source = desk.folder.appending("x.jpg")
        try Data(jpeg(5000)).write(to: URL(filePath: source.string))
        let claimed = [UInt8](repeating: 9, count: 32)
        // Digests of other bytes than there are by now count for nothing.
        for (size, digest) in [(5000 as Int64, claimed), (5001, sha256(jpeg(5000)))] {
            var item = SubmitItem(source: .file(source), idempotencyKey: "\(size)")
            (item.digests, item.size) = (Digests([.sha256: claimed]), size)
            _ = try await reception.manager.accept(SubmitRequest(items: [item], destinations: ["a"]))
            let record = try #require(try await reception.manager.submissions(ofKey: "\(size)").first)
            #expect(record.item.digests[.sha256] == digest && record.item.type.mime == "image/jpeg")
        }
    }

    @Test func `stays as it is where an offset is another, and takes no more than was told`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        let bytes = jpeg(5000)
        let file = try await reception.begin(FileOffer(name: "a.jpg", length: 5000), session: session)
        _ = try await reception.append(to: file.id, session: session, at: 0, Pieces(Array(bytes[..<2000])))
        for wrong: Int64 in [0, 1999, 2001, 4000, -1, .max] {
            let refused = await refusal {
                _ = try await reception.append(to: file.id, session: session, at: wrong, Pieces([1, 2, 3]))
            }
            #expect(refused?.kind == .conflict(offset: 2000))
        }
        let longer = await refusal {
            _ = try await reception.append(to: file.id, session: session, at: 2000, Pieces(bytes))
        }
        #expect(longer?.kind == .tooLarge)
        let early = await refusal { _ = try await reception.finish(file.id, session: session) }
        #expect(early?.kind == .conflict(offset: 2000))
        _ = try await reception.append(to: file.id, session: session, at: 2000, Pieces(Array(bytes[2000...])))
        #expect(try await reception.finish(file.id, session: session).digest == sha256(bytes))
        let late = await refusal {
            _ = try await reception.append(to: file.id, session: session, at: 0, Pieces(bytes))
        }
        #expect(late?.kind == .conflict(offset: 5000))
    }

    @Test func `has one writer at a time`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        let bytes = jpeg(3000)
        let file = try await reception.begin(FileOffer(name: "a.jpg", length: 3000), session: session)
        var pieces = Pieces(bytes, of: 1000)
        let outcomes = Locked<[ReceivingRefusal.Kind?]>([])
        pieces.before = { taken in
            guard taken == 1000 else { return }
            let second = await refusal {
                _ = try await reception.append(to: file.id, session: session, at: 0, Pieces(bytes))
            }
            let finish = await refusal { _ = try await reception.finish(file.id, session: session) }
            outcomes.withLock { $0 = [second?.kind, finish?.kind] }
        }
        #expect(try await reception.append(to: file.id, session: session, at: 0, pieces) == 3000)
        #expect(outcomes.withLock { $0 } == [.busy, .busy])
        #expect(try await reception.finish(file.id, session: session).digest == sha256(bytes))
    }

    @Test func `keeps what came before its sender broke off`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        let bytes = jpeg(900_000)
        let file = try await reception.begin(FileOffer(name: "a.jpg", length: 900_000), session: session)
        let broken = await refusal {
            _ = try await reception.append(
                to: file.id, session: session, at: 0, Pieces(Array(bytes[..<700_001]), of: 1000, breaks: true))
        }
        #expect(broken?.kind == .brokenOff(offset: 700_001))
        // One whose task is cancelled ends without an error of its own.
        let task = Task {
            var pieces = Pieces(Array(bytes[700_001..<800_000]), of: 10_000)
            pieces.before = { taken in if taken >= 50_000 { withUnsafeCurrentTask { $0?.cancel() } } }
            return try await reception.append(to: file.id, session: session, at: 700_001, pieces)
        }
        _ = await task.result
        let next = try await reception.file(file.id, session: session).offset
        #expect(next > 700_001)
        _ = try await reception.append(to: file.id, session: session, at: next, Pieces(Array(bytes[Int(next)...])))
        #expect(try await reception.finish(file.id, session: session).digest == sha256(bytes))
    }

    @Test(arguments: [DigestAlgorithm.sha1, .sha256])
    func `drops a piece whose checksum is another`(algorithm: DigestAlgorithm) async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        let bytes = jpeg(600_000)
        let file = try await reception.begin(FileOffer(name: "a.jpg", length: 600_000), session: session)
        let (head, rest) = (Array(bytes[..<100_000]), Array(bytes[100_000...]))
        let promise = { (bytes: [UInt8]) async throws -> PromisedDigest in
            PromisedDigest(algorithm, try #require(try Digests.of(bytes)[algorithm]))
        }
        #expect(
            try await reception.append(
                to: file.id, session: session, at: 0, Pieces(head), checksum: promise(head)) == 100_000)
        let wrong = await refusal {
            _ = try await reception.append(
                to: file.id, session: session, at: 100_000, Pieces(rest.reversed()), checksum: promise(rest))
        }
        #expect(wrong?.kind == .checksum(offset: 100_000))
        #expect(try await reception.file(file.id, session: session).offset == 100_000)
        let broken = await refusal {
            _ = try await reception.append(
                to: file.id, session: session, at: 100_000, Pieces(Array(rest[..<1000]), breaks: true),
                checksum: promise(rest))
        }
        #expect(broken?.kind == .brokenOff(offset: 100_000))
        _ = try await reception.append(
            to: file.id, session: session, at: 100_000, Pieces(rest), checksum: promise(rest))
        #expect(try await reception.finish(file.id, session: session).digest == sha256(bytes))
    }

    @Test func `begins anew where the whole is not what was promised`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        let bytes = jpeg(2000)
        let file = try await reception.begin(
            FileOffer(name: "a.jpg", length: 2000, sha256: sha256(bytes)), session: session)
        _ = try await reception.append(to: file.id, session: session, at: 0, Pieces(jpeg(2000, 2)))
        let wrong = await refusal { _ = try await reception.finish(file.id, session: session) }
        #expect(wrong?.kind == .checksum(offset: 0))
        #expect(try await reception.manager.records.batches().isEmpty)
        #expect(try await reception.file(file.id, session: session).offset == 0)
        _ = try await reception.append(to: file.id, session: session, at: 0, Pieces(bytes))
        #expect(try await reception.finish(file.id, session: session).state == .arrived)
    }

    @Test func `is refused where it is no photo, and its bytes are gone`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        let script = Array("#!/bin/sh\nrm -rf /\n".utf8)
        for (name, bytes) in [("a.jpg", script), ("a.xmp", Array("<x:xmpmeta/>".utf8))] {
            let refused = await refusal { _ = try await reception.send(bytes, named: name, session) }
            #expect(refused?.kind == .unwanted)
            #expect(refused?.message.contains("“\(name)”") ?? false)
        }
        #expect(desk.spooled().isEmpty)
        let states = try await reception.status(of: session).files
        #expect(states.map(\.file.state) == [.refused, .refused] && states.allSatisfy { $0.file.sentence != nil })
        #expect(
            await refusal { _ = try await reception.finish(states[0].file.id, session: session) }?.kind == .unwanted)
    }

    @Test func `that is no photo is refused before all of it has come`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        let file = try await reception.begin(FileOffer(name: "a.jpg", length: 8 << 20), session: session)
        let taken = Locked(0)
        var pieces = Pieces([UInt8](repeating: 0x50, count: 8 << 20), of: 100 << 10)
        pieces.before = { count in taken.withLock { $0 = count } }
        let refused = await refusal {
            _ = try await reception.append(to: file.id, session: session, at: 0, pieces)
        }
        #expect(refused?.kind == .unwanted && taken.withLock { $0 } < 2 << 20)
        #expect(desk.spooled().isEmpty)
        #expect(try await reception.file(file.id, session: session).state == .refused)
    }

    @Test func `of a kind that is not asked for is refused, and any file is taken where that is asked for`()
        async throws
    {
        let reception = try desk.open()
        let videos = try await reception.enter(InviteTerms(destinations: ["a"], kinds: [.video]))
        let refused = await refusal { _ = try await reception.send(jpeg(100), videos) }
        #expect(refused?.kind == .unwanted && refused?.message.contains("videos only") ?? false)
        let any = try await reception.enter(InviteTerms(destinations: ["a"], kinds: [.photo, .other]))
        #expect(try await reception.send(Array("text".utf8), named: "a.txt", any).state == .arrived)
    }

    @Test func `whose length nobody told is all that came`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter(InviteTerms(destinations: ["a"], bytes: 10_000, fileBytes: 5000))
        let file = try await reception.begin(FileOffer(name: "a.jpg", length: nil), session: session)
        _ = try await reception.append(to: file.id, session: session, at: 0, Pieces(jpeg(4000)))
        #expect(try await reception.finish(file.id, session: session).length == 4000)
        let large = try await reception.begin(FileOffer(name: "b.jpg", length: nil), session: session)
        let refused = await refusal {
            _ = try await reception.append(to: large.id, session: session, at: 0, Pieces(jpeg(6000), of: 100))
        }
        #expect(refused?.kind == .tooLarge)
        let none = try await reception.begin(FileOffer(name: "c.jpg", length: nil), session: session)
        #expect(await refusal { _ = try await reception.finish(none.id, session: session) }?.code == "empty")
        #expect(try await reception.invites().first?.record.bytes == 4000)
    }

    @Test func `is of its session alone`() async throws {
        let reception = try desk.open()
        let (one, other) = (try await reception.enter(), try await reception.enter())
        let file = try await reception.begin(FileOffer(name: "a.jpg", length: 10), session: one)
        #expect(await refusal { _ = try await reception.file(file.id, session: other) }?.kind == .unknown)
        let refused = await refusal {
            _ = try await reception.append(to: file.id, session: other, at: 0, Pieces([1]))
        }
        #expect(refused?.kind == .unknown)
        #expect(await refusal { try await reception.cancel(file.id, session: other) }?.kind == .unknown)
    }

    @Test func `goes with its space when it is cancelled, and whoever writes it is broken off`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        let file = try await reception.begin(FileOffer(name: "a.jpg", length: 4 << 20), session: session)
        var pieces = Pieces(jpeg(4 << 20), of: 300 << 10)
        pieces.before = { taken in
            if taken == 300 << 10 { try? await reception.cancel(file.id, session: session) }
        }
        let refused = await refusal {
            _ = try await reception.append(to: file.id, session: session, at: 0, pieces)
        }
        #expect(refused != nil)
        #expect(desk.spooled().isEmpty)
        #expect(try await reception.file(file.id, session: session).state == .cancelled)
        #expect(try await reception.invites().first?.record.files == 0)
        #expect(await refusal { _ = try await reception.finish(file.id, session: session) }?.code == "file-cancelled")
    }

    @Test func `that has arrived and is cancelled is sent to nobody who has not got it`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        let file = try await reception.send(jpeg(300), session)
        try await reception.cancel(file.id, session: session)
        #expect(
            try await reception.manager.submissions(ofKey: file.id.rawValue).map(\.state) == [.cancelled, .cancelled])
    }

    @Test func `goes with its space when its time is over, and with its session`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        let old = try await reception.begin(FileOffer(name: "a.jpg", length: 1 << 20), session: session)
        desk.pass(.seconds(80_000))
        let kept = try await reception.begin(FileOffer(name: "b.jpg", length: 1 << 20), session: session)
        #expect(try await reception.expire() == 0)
        desk.pass(.seconds(6_000))
        _ = try await reception.append(to: kept.id, session: session, at: 0, Pieces(jpeg(10)))
        desk.pass(.seconds(399))
        #expect(try await reception.expire() == 0)
        desk.pass(.seconds(2))
        #expect(try await reception.expire() == 2, "the one is too old, and so is the other's session")
        #expect(desk.spooled().isEmpty)
        #expect(try await reception.file(old.id, session: session).state == .expired)
    }

    @Test(arguments: 0..<8)
    func `is either there or not where its session ends while it is finished`(turn: Int) async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        let bytes = jpeg(3000)
        let file = try await reception.begin(FileOffer(name: "a.jpg", length: 3000), session: session)
        _ = try await reception.append(to: file.id, session: session, at: 0, Pieces(bytes))
        async let finished = refusal { _ = try await reception.finish(file.id, session: session) }
        for _ in 0..<turn * 20 { await Task.yield() }
        try await reception.end(session.id)
        let refused = await finished
        let state = try await reception.file(file.id, session: session).state
        #expect(state == (refused == nil ? .arrived : .cancelled))
        try await desk.pay(reception)
        #expect(desk.places["a"]?.contents["a.jpg"] == (refused == nil ? bytes : nil))
    }

    @Test func `stays until a copy is proven, and goes when somebody says so`() async throws {
        let reception = try desk.open()
        for place in desk.places.values { place.proves = .accepted }
        let session = try await reception.enter()
        let file = try await reception.send(jpeg(3000), session)
        try await desk.pay(reception)
        let records = try await reception.manager.submissions(ofKey: file.id.rawValue)
        #expect(records.map(\.state) == [.done, .done])
        await reception.manager.tidySpool()
        guard records.contains(where: { $0.receipt?.evidence != .verified }) else { return }
        #expect(desk.spooled() == [file.id.rawValue])
        #expect(try await reception.heldBytes().arrived > 0)
        #expect(try await reception.letGo(of: session.id) == 1)
        #expect(desk.spooled().isEmpty)
    }

    @Test func `is kept in a folder of its owner's under a name that nobody has, and sent from there`() async throws {
        let keep = desk.folder.appending("keep")
        let reception = try desk.open()
        let session = try await reception.enter(InviteTerms(destinations: ["a"], keep: keep.string))
        for seed: UInt64 in [1, 2] { try await reception.send(jpeg(500, seed), named: "../a.jpg", session) }
        try await desk.pay(reception)
        #expect(desk.spooled().isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: keep.string).sorted()
        #expect(names == ["a-1.jpg", "a.jpg"])
        #expect(try Data(contentsOf: URL(filePath: keep.appending("a-1.jpg").string)) == Data(jpeg(500, 2)))
        #expect(try await reception.status(of: session).files.allSatisfy(\.isSafe))
        #expect(desk.places["a"]?.contents.count == 2)
    }

    @Test func `is one of a thousand, begun at once and sent side by side`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter(InviteTerms(destinations: ["a"]))
        try await withThrowingTaskGroup { group in
            for worker in 0..<40 {
                group.addTask {
                    for number in stride(from: worker, to: 1000, by: 40) {
                        try await reception.send(jpeg(400, UInt64(number)), named: "\(number).jpg", session)
                    }
                }
            }
            try await group.waitForAll()
        }
        let files = try await reception.status(of: session).files
        #expect(files.count == 1000 && files.allSatisfy { $0.file.state == .arrived })
        #expect(Set(files.compactMap(\.file.batch)).count == 1)
        try await desk.pay(reception)
        #expect(desk.places["a"]?.contents.count == 1000)
        #expect(desk.places["a"]?.contents["77.jpg"] == jpeg(400, 77))
    }

    @Test(arguments: [Int64.min, -9_223_372_036_500_000_000, -1, 0, Int64.max])
    func `a time that nobody means is nobody's end`(nanoseconds: Int64) async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        let bytes = jpeg(400)
        let file = try await reception.begin(
            FileOffer(name: "a.jpg", length: 400, modified: Timestamp(nanoseconds: nanoseconds)), session: session)
        _ = try await reception.append(to: file.id, session: session, at: 0, Pieces(bytes))
        #expect(try await reception.finish(file.id, session: session).state == .arrived)
    }
}

extension Digests {
    static func of(_ bytes: [UInt8]) throws -> Digests {
        try Digests.reading([.sha1, .sha256], of: MemoryBytes(bytes))
    }
}
