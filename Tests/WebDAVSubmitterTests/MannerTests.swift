import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

@Suite struct `What WebDAV servers have been seen to do` {
    private let bytes = ScriptedBytes(ScriptedBytes.content(count: 1000))

    @Test func `a login page is no server`() async throws {
        let submitter = try FakeDAV([.loginPage]).submitter()
        let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(bytes) }
        #expect(found.remedy == .hold(.misconfigured, after: nil) && found.code == "not-webdav", "\(found)")
    }

    @Test func `who shows nothing is told how to be let in`() async throws {
        let access = try await DAVFront.nginx.access()
        for (values, secrets, advice) in [
            ([:], [:], "sign in where that is a Nextcloud"),
            (["user": "alice"], ["password": "an0ther"], "check or renew"),
            ([:], ["token": "an0ther"], "the token"),
        ] as [([String: String], [String: String], String)] {
            let submitter = try WebDAVSubmitter(
                DestinationSettings(
                    destination: "dav", values: values.merging(["url": access.url]) { $1 }, secrets: secrets,
                    notes: TransientNotes()), transport: access.transport)
            let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(bytes) }
            #expect(found.remedy == .renewCredentials && found.message.contains(advice), "\(found)")
        }
    }

    /// As chezdav does.
    @Test func `one name that makes no document of a listing condemns no other`() async throws {
        let server = FakeDAV { request, state in
            let folders = state.root.children["dav"]?.children.values.filter { $0.isCollection } ?? []
            let isBroken = folders.contains { $0.children.keys.contains { $0.contains("\u{1}") } }
            guard request.method == "PROPFIND", isBroken else { return nil }
            return .success(HTTPResponse(status: 207, body: Array("<D:multistatus xmlns:D='DAV:'>\u{1}".utf8)))
        }
        let receipt = try await server.submitter().submit(bytes, named: "Hafen – 港 (1).jpg")
        #expect(receipt.remoteID == "Hafen – 港 (1).jpg")
    }

    @Test(arguments: ["MKCOL", "PUT", "MOVE"], [429, 503])
    func `who asks for patience while it is tried out is tried out again`(_ method: String, _ status: Int) async throws
    {
        let refuses = Locked(true)
        let server = FakeDAV { request, _ in
            let isRefused =
                request.method == method && request.url.contains("probe")
                && refuses.withLock { refuses in
                    defer { refuses = false }
                    return refuses
                }
            return isRefused ? .success(HTTPResponse(status: status)) : nil
        }
        let submitter = try server.submitter()
        _ = try await failure { () async throws(SubmitFailure) in try await submitter.submit(bytes) }
        _ = try await submitter.submit(bytes, named: "IMG (1).jpg")
        #expect(server.files == ["IMG (1).jpg": bytes.content])
        #expect(
            server.log.contains { $0.hasPrefix("MOVE") && $0.contains("test-1") },
            "it is stored in place: \(server.log)")
    }

    @Test(arguments: [(FakeDAV.Manner.movesNowhere500, 500), (.movesNowhere404, 404), (.movesNowhere204, 204)])
    func `a folder that is removed before the move is made again`(_ manner: FakeDAV.Manner, _ status: Int) async throws
    {
        let removes = Locked(true)
        let server = FakeDAV([manner]) { request, state in
            let isOurs = request.method == "MOVE" && request.url.contains("/album/")
            let removesNow = removes.withLock { removes in
                defer { if isOurs { removes = false } }
                return isOurs && removes
            }
            // What was sent stays: only its place is gone.
            if removesNow, var dav = state.root.children["dav"] {
                dav.children["album"] = nil
                state.root.children["dav"] = dav
                return .success(HTTPResponse(status: status))
            }
            return nil
        }
        let submitter = try server.submitter(["template": "album/{name}"])
        let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(bytes) }
        guard case .retry = found.remedy else {
            Issue.record("the remedy is \(found.remedy): \(found)")
            return
        }
        let receipt = try await submitter.submit(bytes, attempt: 2)
        #expect(receipt.remoteID == "album/a.jpg" && server.files == ["album/a.jpg": bytes.content])
    }

    @Test func `a fragment that replaces the file is noticed before anything is trusted to it`() async throws {
        let server = FakeDAV([.keepsFragment])
        let submitter = try server.submitter(["parts_above": "1KiB", "part_size": "64KiB"])
        let large = ScriptedBytes(ScriptedBytes.content(count: 200_000))
        _ = try await submitter.submit(large)
        #expect(server.files == ["a.jpg": large.content])
    }

    @Test(arguments: [FakeDAV.Manner.headsNoLength, .listsNoLength])
    func `a photo is stored once and found again where one way of asking says that it has 0 bytes`(
        _ manner: FakeDAV.Manner
    ) async throws {
        let uploads = Locked(0)
        let server = FakeDAV([manner]) { request, _ in
            if request.method == "PUT", request.body.length == 1000 { uploads.withLock { $0 += 1 } }
            return nil
        }
        let submitter = try server.submitter()
        let receipt = try await submitter.submit(bytes)
        #expect(server.files == ["a.jpg": bytes.content] && uploads.withLock { $0 } == 1)
        let presence = try #require(submitter.facets.presence)
        let item = bytes.item(named: "a.jpg")
        #expect(await presence.presence(of: item, receipt: receipt) == .present(.size))
        #expect(await presence.presenceReadBack(of: item, receipt: receipt) == .present(.verified))
    }

    @Test func `a good copy is not called changed when HEAD begins to say that it has 0 bytes`() async throws {
        let isWrong = Locked(false)
        let server = FakeDAV { request, state in
            guard request.method == "HEAD", request.url.hasSuffix("/a.jpg"), isWrong.withLock({ $0 }),
                state.root.children["dav"]?.children["a.jpg"] != nil
            else { return nil }
            return .success(HTTPResponse(status: 200, headers: [("Content-Length", "0")]))
        }
        let submitter = try server.submitter()
        let receipt = try await submitter.submit(bytes)
        isWrong.withLock { $0 = true }
        let item = bytes.item(named: "a.jpg")
        let presence = try #require(submitter.facets.presence)
        #expect(await presence.presence(of: item, receipt: receipt) == .present(.verified))
        #expect(try await submitter.submit(bytes).wasThere, "it is stored a second time")
        #expect(server.names == ["a.jpg"])
    }

    @Test(arguments: [FakeDAV.Manner.ignoresRanges, .cutsRanges])
    func `a film is read back where the server answers a range with the whole file or cuts it short`(
        _ manner: FakeDAV.Manner
    ) async throws {
        let film = ScriptedBytes(ScriptedBytes.content(count: 9 << 20))
        let reads = Locked(0)
        let server = FakeDAV([manner]) { request, _ in
            if request.method == "GET", request.url.contains("a.jpg") { reads.withLock { $0 += 1 } }
            return nil
        }
        let submitter = try server.submitter(["verify": "readback"])
        let receipt = try await submitter.submit(film)
        #expect(receipt.evidence == .verified && server.files == ["a.jpg": film.content])
        reads.withLock { $0 = 0 }
        let presence = try #require(submitter.facets.presence)
        #expect(await presence.presenceReadBack(of: film.item(named: "a.jpg"), receipt: receipt) == .present(.verified))
        #expect(reads.withLock { $0 } <= 2, "a whole file is read more than once")
        server.change { $0.root.children["dav"]?.children["a.jpg"]?.content?[8 << 20] ^= 1 }
        #expect(await presence.presenceReadBack(of: film.item(named: "a.jpg"), receipt: receipt) == .changed(.digest))
    }

    @Test func `half a file is none`() async throws {
        let server = FakeDAV([.storesHalf])
        let submitter = try server.submitter()
        let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(bytes) }
        #expect(found.code == "not-stored" && found.message.contains("500 of 1000 bytes"), "\(found)")
        #expect(server.files.isEmpty)
    }

    @Test func `an answer that says in a multistatus that it failed is no success`() async throws {
        let server = FakeDAV { request, _ in
            guard request.method == "PUT", request.body.length == 1000 else { return nil }
            let body =
                "<D:multistatus xmlns:D='DAV:'><D:response><D:href>/dav/a</D:href><D:status>HTTP/1.1 424 Failed Dependency"
                + "</D:status></D:response><D:response><D:href>/dav</D:href><D:status>HTTP/1.1 507 Insufficient Storage"
                + "</D:status></D:response></D:multistatus>"
            return .success(HTTPResponse(status: 207, body: Array(body.utf8)))
        }
        let submitter = try server.submitter()
        let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(bytes) }
        #expect(found.remedy == .hold(.full, after: nil), "\(found)")
    }

    @Test func `what others store while an item is on its way stays, also where the server would not spare it`()
        async throws
    {
        let server = FakeDAV([.ignoresOverwrite, .ignoresConditions]) { request, state in
            guard request.method == "PUT", request.body.length == 1000, var dav = state.root.children["dav"] else {
                return nil
            }
            dav.children["a.jpg"] = FakeDAV.Node(name: "a.jpg", content: [1, 2, 3])
            state.root.children["dav"] = dav
            return nil
        }
        let receipt = try await server.submitter().submit(bytes)
        #expect(receipt.remoteID == "a-1.jpg")
        #expect(server.files == ["a.jpg": [1, 2, 3], "a-1.jpg": bytes.content])
    }

    @Test func `one listing that makes no sense is tried again where others made sense`() async throws {
        let breaks = Locked(false)
        let server = FakeDAV { request, _ in
            let isDue =
                request.method == "PROPFIND"
                && breaks.withLock { breaks in
                    defer { breaks = false }
                    return breaks
                }
            return isDue
                ? .success(HTTPResponse(status: 207, body: Array("<D:multistatus xmlns:D='DAV:'><D:resp".utf8))) : nil
        }
        let notes = TransientNotes()
        let settings = ["folder": "photos", "captions": "sidecar"]
        _ = try await server.submitter(settings, notes: notes).submit(bytes)
        // In the process that found out what it is, and in the next one.
        let presence = try #require(try server.submitter(settings, notes: notes).facets.albums)
        breaks.withLock { $0 = true }
        let found = await #expect(throws: SubmitFailure.self) { _ = try await presence.list() }
        let broken = try #require(found)
        #expect(broken.remedy == .retry(after: nil) && broken.code == "bad-answer", "\(broken)")
        #expect(try await presence.list() == [])
    }

    @Test func `one that makes no sense from the first is no WebDAV server's`() async throws {
        let server = FakeDAV { request, _ in
            request.method == "PROPFIND"
                ? .success(HTTPResponse(status: 207, body: Array("<D:multistatus xmlns:D='DAV:'><D:resp".utf8))) : nil
        }
        let submitter = try server.submitter()
        let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(bytes) }
        #expect(found.remedy == .hold(.misconfigured, after: nil) && found.code == "bad-answer", "\(found)")
    }

    @Test(arguments: [[], [FakeDAV.Manner.makesAgain]] as [Set<FakeDAV.Manner>])
    func `a folder that is said to be made anew is looked into before anything is sent`(
        _ manners: Set<FakeDAV.Manner>
    ) async throws {
        let uploads = Locked(0)
        let server = FakeDAV(manners) { request, _ in
            if request.method == "PUT", request.body.length == 1000 { uploads.withLock { $0 += 1 } }
            return nil
        }
        server.put(bytes.content, "album/a.jpg")
        let receipt = try await server.submitter(["template": "album/{name}"]).submit(bytes)
        #expect(receipt.wasThere && receipt.remoteID == "album/a.jpg" && uploads.withLock { $0 } == 0)
    }

    @Test func `a range that is answered with 200 and says so is one`() async throws {
        let large = ScriptedBytes(ScriptedBytes.content(count: 5 << 20))
        let server = FakeDAV { request, state in
            guard request.method == "GET", let range = request.headers.first(where: { $0.name == "Range" })?.value,
                let content = state.root.children["dav"]?.children["a.jpg"]?.content
            else { return nil }
            let bounds = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            let header = "bytes \(bounds[0])-\(bounds[1])/\(content.count)"
            return .success(
                HTTPResponse(
                    status: 200, headers: [("Content-Range", header)], body: Array(content[bounds[0]...bounds[1]])))
        }
        server.put(large.content, "a.jpg")
        let receipt = try await server.submitter().submit(large)
        #expect(receipt.wasThere && receipt.evidence == .verified)
    }
}
