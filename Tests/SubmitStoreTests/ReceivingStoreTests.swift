import Submit
import SubmitStore
import SystemPackage
import Testing

/// What others send in, in every kind of store.
@Suite struct ReceivingStoreTests {
    private func invite(_ id: String = "abcdef", digest: UInt8 = 1) -> NewInvite {
        NewInvite(
            id: InviteID(rawValue: id), secretDigest: Array(repeating: digest, count: 32), terms: "{}",
            life: .seconds(600))
    }

    private func session(
        _ token: UInt8 = 1, attempt: UInt8? = nil, words: [String] = [], isOnce: Bool = true
    ) -> NewSession {
        NewSession(
            invite: InviteID(rawValue: "abcdef"), tokenDigest: Array(repeating: token, count: 32),
            attemptDigest: attempt.map { Array(repeating: $0, count: 32) }, device: "Phone", life: .seconds(3600),
            words: words, isOnce: isOnce, mostWrongSecrets: 20)
    }

    private func file(_ id: String, _ session: SessionID, length: Int64? = 100) -> NewIncomingFile {
        NewIncomingFile(
            id: IncomingFileID(rawValue: id), session: session, name: "a.jpg", folder: "x/y", length: length,
            toldType: "image/jpeg", modified: Timestamp(nanoseconds: 5), promised: Array(repeating: 3, count: 32),
            life: .seconds(60), mostFiles: 3, mostBytes: 1000, mostOpen: 2)
    }

    private func opened(_ store: any Store, _ new: NewSession) async throws -> ReceivingSession? {
        if case .opened(let session) = try await store.openSession(new) { session } else { nil }
    }

    @Test(arguments: StoreMaker.all)
    func `an invite has an id of its own, and ends when its time is over`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        #expect(try await store.addInvite(invite()))
        #expect(try await !store.addInvite(invite(digest: 2)))
        let record = try #require(try await store.invites(nil).first)
        #expect(record.secretDigest == invite().secretDigest && record.state == .open && !record.isExpired)
        try await store.noteWrongSecret(for: record.id)
        place.clock.advance(by: .seconds(600))
        #expect(try await store.invites(record.id).map(\.isExpired) == [true])
        #expect(try await store.invites(record.id).map(\.wrongSecrets) == [1])
        #expect(try await store.openSession(session()) == .expired)
        #expect(try await store.invites(InviteID(rawValue: "others")).isEmpty)
    }

    @Test(arguments: StoreMaker.all)
    func `a session is opened once, and again by its own attempt`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        #expect(try await store.openSession(session()) == .unknown)
        _ = try await store.addInvite(invite())
        let first = try #require(try await opened(store, session(attempt: 9)))
        #expect(try await store.openSession(session(2)) == .claimed)
        #expect(try await store.openSession(session(2, attempt: 8)) == .claimed)
        #expect(try await opened(store, session(3, attempt: 9))?.id == first.id)
        #expect(try await store.session(ofToken: session(1).tokenDigest) == nil)
        #expect(try await store.session(ofToken: session(3).tokenDigest)?.id == first.id)
        _ = try await store.revoke(first.invite)
        #expect(try await store.openSession(session(3, attempt: 9)) == .revoked)
    }

    @Test(arguments: StoreMaker.all)
    func `a session that was declined lets another in`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        _ = try await store.addInvite(invite())
        let first = try #require(try await opened(store, session(words: ["one", "two"])))
        #expect(first.state == .unconfirmed && first.words == ["one", "two"])
        #expect(try await store.begin(file("f", first.id)) == .closed)
        _ = try await store.move(first.id, to: .declined)
        let second = try #require(try await opened(store, session(2, words: ["three"])))
        _ = try await store.move(second.id, to: .open)
        #expect(try await store.sessions(of: first.invite).map(\.state) == [.declined, .open])
        // What is open is not declined any more.
        _ = try await store.move(second.id, to: .declined)
        #expect(try await store.sessions(of: first.invite).map(\.state) == [.declined, .open])
    }

    @Test(arguments: StoreMaker.all)
    func `files are begun within the limits, and what ended counts no more`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        _ = try await store.addInvite(invite())
        let session = try #require(try await opened(store, session())).id
        guard case .begun(let begun) = try await store.begin(file("1", session)) else {
            Issue.record("it is begun")
            return
        }
        #expect(begun.name == "a.jpg" && begun.folder == "x/y" && begun.length == 100 && begun.offset == 0)
        #expect(begun.toldType == "image/jpeg" && begun.modified == Timestamp(nanoseconds: 5))
        #expect(begun.promised == Array(repeating: 3, count: 32) && begun.state == .receiving)
        #expect(try await store.begin(file("2", session, length: 901)) == .tooManyBytes(left: 900))
        _ = try await store.begin(file("2", session, length: nil))
        #expect(try await store.begin(file("3", session)) == .tooManyOpen)
        let id = begun.id
        #expect(try await store.advance(id, to: 40, life: .seconds(60)))
        #expect(try await store.incomingFile(id)?.offset == 40)
        let two = try #require(try await store.incomingFile(IncomingFileID(rawValue: "2")))
        var whole = two
        (whole.length, whole.digest) = (300, [7])
        let batch = try await store.accept([.photo()]).batch
        try await store.arrive([whole], in: batch)
        #expect(try await store.incomingFile(two.id)?.state == .arrived)
        #expect(try await store.sessions(of: begun.invite).map(\.batch) == [batch])
        #expect(try await store.invites(begun.invite).map(\.bytes) == [400])
        #expect(try await store.end(id, as: .cancelled, nil)?.state == .cancelled)
        #expect(try await !store.advance(id, to: 50, life: .zero))
        #expect(try await store.end(two.id, as: .cancelled, nil)?.state == .arrived)
        #expect(try await store.invites(begun.invite).map { [$0.files, Int($0.bytes)] } == [[1, 300]])
        #expect(try await store.incomingFiles(of: session).map(\.id.rawValue) == ["1", "2"])
    }

    @Test(arguments: StoreMaker.all)
    func `unfinished files go in their time, and are needed until then`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        _ = try await store.addInvite(invite())
        let session = try #require(try await opened(store, session()))
        _ = try await store.begin(file("1", session.id))
        let path = store.spool.appending("1")
        #expect(try await store.needs(path, toRetry: true))
        #expect(try await store.expireIncomingFiles().isEmpty)
        #expect(try await store.openIncomingFiles().count == 1)
        place.clock.advance(by: .seconds(61))
        let over = try await store.expireIncomingFiles()
        #expect(!place.remembers || over.map(\.rawValue) == ["1"])
        #expect(try await store.incomingFile(IncomingFileID(rawValue: "1"))?.state == .expired)
        #expect(try await !store.needs(path, toRetry: true))
        #expect(try await store.openIncomingFiles().isEmpty)
    }

    @Test(arguments: StoreMaker.all)
    func `what arrived is needed until a copy is verified`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        _ = try await store.addInvite(invite())
        let session = try #require(try await opened(store, session()))
        _ = try await store.begin(file("1", session.id))
        let row = try #require(try await store.incomingFile(IncomingFileID(rawValue: "1")))
        let path = store.spool.appending("1")
        let accepted = try await store.accept([.photo(path: path, to: ["a"])])
        try await store.arrive([row], in: accepted.batch)
        #expect(try await store.needs(path, toRetry: true))
        let worker = try await store.makeWorker()
        let claim = try #require(try await worker.take().first)
        try await store.settle(claim, .done(.stored("x", .echoed)))
        #expect(try await store.needs(path, toRetry: true))
        #expect(try await !store.needs(path, toRetry: false))
        let record = try #require(try await store.record(claim.id))
        try await store.prove([record])
        #expect(try await !store.needs(path, toRetry: true))
    }

    @Test(arguments: StoreMaker.all)
    func `bytes are known again whose originals are proven where each destination puts things now`(maker: StoreMaker)
        async throws
    {
        let digest = [UInt8](repeating: 7, count: 32)
        let here: [String: Int64] = ["a": 5, "b": 6]
        // One thing at a time that is otherwise.
        let cases: [(what: String, recipe: String?, evidence: Evidence, place: Int64, isProven: Bool)] = [
            ("all of it", nil, .verified, 5, true), ("by name", "original", .verified, 5, true),
            ("a rendition", "strip=gps", .verified, 5, false), ("accepted", nil, .accepted, 5, false),
            ("another place", nil, .verified, 4, false),
        ]
        for (what, recipe, evidence, place, isProven) in cases {
            let store = try maker.place().open()
            var photo = NewItem.photo()
            for index in photo.submissions.indices {
                if photo.submissions[index].destination == "a" { photo.submissions[index].recipe = recipe }
            }
            try await store.accept([photo])
            let worker = try await store.makeWorker()
            for name in ["a", "b"] {
                #expect(try await store.proven([digest], at: here).isEmpty)
                let claim = try #require(try await worker.take(name).first)
                try await store.settle(
                    claim,
                    name == "a"
                        ? .done(.stored("x", evidence), place: place) : .done(.stored(), place: 6))
            }
            #expect(try await store.proven([digest, [1]], at: here) == (isProven ? [digest] : []), "\(what)")
            #expect(try await store.proven([digest], at: ["a": 5, "c": 5]).isEmpty)
            #expect(try await store.proven([digest], at: [:]).isEmpty)
        }
    }
}
