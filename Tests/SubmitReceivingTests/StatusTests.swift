import Foundation
import Submit
import SubmitEngine
import SubmitStore
import SubmitTesting
import Testing

@testable import SubmitReceiving

@Suite(.timeLimit(.minutes(2))) struct `What became of files` {
    let desk = FrontDesk()

    @Test func `is told by file and destination, with what is proven and why not`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        desk.places["b"]?.script = { _, _, _ in
            .failure(SubmitFailure(.giveUp, code: "no", message: "It does not like it."))
        }
        let file = try await reception.send(jpeg(400), session)
        let before = try await reception.status(of: session)
        #expect(before.files.map { $0.destinations.map(\.state) } == [[.waiting, .waiting]])
        try await desk.pay(reception)
        let after = try #require(try await reception.status(of: session).files.first)
        #expect(after.file.id == file.id && after.destinations.map(\.destination) == ["a", "b"])
        #expect(after.destinations[0].state == .done && after.destinations[0].evidence != nil)
        #expect(after.destinations[1].state == .failed && after.destinations[1].sentence == "It does not like it.")
        #expect(!after.isSafe)
    }

    @Test func `is safe where it is done everywhere, and proven to be the original somewhere`() {
        func file(_ places: [(SubmissionState, proven: Bool)], wanted: Int = 2) -> IncomingFileStatus {
            let row = IncomingFile(
                id: IncomingFileID(rawValue: "1"), session: SessionID(rawValue: 1), invite: InviteID(rawValue: "a"),
                name: "a.jpg", folder: nil, length: 1, offset: 1, toldType: nil, modified: nil, promised: nil,
                expires: .now, state: .arrived)
            return IncomingFileStatus(
                file: row,
                destinations: places.enumerated().map { index, place in
                    DestinationStatus(
                        destination: "\(index)", submission: SubmissionID(rawValue: Int64(index)), state: place.0,
                        evidence: nil, isProvenOriginal: place.proven, sentence: nil, code: nil)
                }, sequence: 1, wanted: wanted)
        }
        #expect(file([(.done, true), (.done, false)]).isSafe)
        #expect(!file([(.done, false), (.done, false)]).isSafe, "nobody has proven an original")
        #expect(!file([(.done, true)]).isSafe, "the other one knows nothing of it")
        #expect(!file([(.done, true), (.waiting, false)]).isSafe)
    }

    @Test func `comes as it changes, once, and from where one had heard it`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter(InviteTerms(destinations: ["a"]))
        try await reception.send(jpeg(400, 1), named: "1.jpg", session)
        var heard: UInt64 = 0
        do {
            var changes = reception.changes(of: session, after: nil).makeAsyncIterator()
            let first = try #require(await changes.next())
            #expect(first.isWhole && first.files.map(\.file.name) == ["1.jpg"])
            try await reception.send(jpeg(400, 2), named: "2.jpg", session)
            var last = first
            while last.files.last?.file.state != .arrived || last.files.last?.file.name != "2.jpg" {
                last = try #require(await changes.next())
                #expect(!last.isWhole)
            }
            heard = last.sequence
        }
        try await desk.pay(reception)
        var safe: Set<String> = []
        for await changes in reception.changes(of: session, after: heard) {
            #expect(changes.sequence > heard && !changes.isWhole)
            for file in changes.files where file.isSafe { safe.insert(file.file.name) }
            if safe.count == 2 { break }
        }
        // Another process knows nothing of those numbers but that they are of before.
        let next = try desk.open()
        var changes = next.changes(of: session, after: heard).makeAsyncIterator()
        let all = try #require(await changes.next())
        #expect(all.isWhole && all.files.count == 2 && all.files.allSatisfy(\.isSafe) && all.sequence > heard)
    }

    @Test func `ends with the session`() async throws {
        let reception = try desk.open()
        let session = try await reception.enter()
        let open = try await reception.begin(FileOffer(name: "a.jpg", length: 10), session: session)
        let changes = reception.changes(of: session, after: nil)
        let ending = Task { try await reception.revoke(session.invite) }
        var last: ReceptionChanges?
        for await change in changes { last = change }
        try await ending.value
        #expect(last?.files.isEmpty ?? true || last?.files.map(\.file.id) == [open.id])
        #expect(desk.spooled().isEmpty)
    }
}
