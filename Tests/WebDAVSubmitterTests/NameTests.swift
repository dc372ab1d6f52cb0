import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

@Suite struct `Names at a WebDAV server` {
    static let names = [
        "a b.jpg", "100%.jpg", "%41.jpg", "#1.jpg", "what?.jpg", "a+b.jpg", "a&b.jpg", "a;b=c,d@e:f.jpg", "🌅.jpg",
        "\u{e9}.jpg", "e\u{301}.jpg", "trailing.", "A.JPG", "a.jpg", String(repeating: "x", count: 251) + ".jpg",
    ]

    private func item(_ index: Int) -> ScriptedBytes {
        ScriptedBytes(ScriptedBytes.content(count: 100, seed: UInt64(index + 1)))
    }

    @Test(arguments: [("_DSC1.jpg", "-DSC1.jpg"), ("a_1.jpg", "a_1.jpg"), ("#1.jpg", "#1.jpg")])
    func `that begin with an underscore are spelled otherwise where the server refuses that`(
        _ name: String, _ stored: String
    ) async throws {
        let server = FakeDAV([.refusesUnderscore])
        let receipt = try await server.submitter().submit(item(0), named: name)
        #expect(receipt.remoteID == stored && server.files == [stored: item(0).content])
    }

    @Test func `that the server dies of are spelled plainly, and plain ones go`() async throws {
        let server = FakeDAV([.diesOfSigns])
        let submitter = try server.submitter()
        _ = try await submitter.submit(item(0), named: "what?.jpg", as: "test-0")
        _ = try await submitter.submit(item(1), named: "a (1).jpg", as: "test-1")
        #expect(server.files == ["what_.jpg": item(0).content, "a (1).jpg": item(1).content])
    }

    /// It is down until someone starts it again.
    @Test(arguments: [("%3A", "a:b.jpg", "a_b.jpg"), ("%C3%A9", "\u{e9}.jpg", "_.jpg")])
    func `that a server stays dead of are tried twice and then spelled plainly`(
        _ sign: String, _ name: String, _ stored: String
    ) async throws {
        let isDead = Locked(false)
        let server = FakeDAV { request, _ in
            let addresses = [request.url] + request.headers.filter { $0.name == "Destination" }.map(\.value)
            let dies = addresses.contains { $0.contains(sign) }
            return isDead.withLock { dead in
                if dead { return .failure(.cannotConnect("Connection refused")) }
                dead = dies
                return dies ? .failure(.broken("Empty reply from server", afterBody: true)) : nil
            }
        }
        let notes = TransientNotes()
        for attempt in 1...2 {
            let submitter = try server.submitter(notes: notes)
            _ = try await failure { () async throws(SubmitFailure) in
                try await submitter.submit(item(0), named: name, attempt: attempt)
            }
            #expect(isDead.withLock { $0 })
            isDead.withLock { $0 = false }
        }
        _ = try await server.submitter(notes: notes).submit(item(0), named: name, attempt: 3)
        #expect(server.files == [stored: item(0).content] && server.names == [stored])
    }

    @Test func `that people give their own files are not those of broken uploads`() async throws {
        let access = try await DAVFront.nginx.access()
        let folder = "names-\(UUID().uuidString.lowercased())"
        let submitter = try access.submitter(["folder": folder])
        _ = try await submitter.check()
        let own = URL(fileURLWithPath: "\(access.data)/\(folder)")
        // nginx does not list names that begin with a dot.
        let left = "submit-unfinished-1"
        try FileManager.default.createDirectory(
            at: own.appending(path: "submit-pictures"), withIntermediateDirectories: true)
        for name in ["submit-holiday.jpg", "submit-1.jpg", "submit-pictures/a.jpg", left] {
            try Data([1]).write(to: own.appending(path: name))
        }
        let found = try await #require(submitter.facets.leftovers).list(sparing: [])
        #expect(found.map(\.name) == ["/dav/\(folder)/\(left)"])
    }

    @Test(arguments: [DAVFront.apache, .nginx, .sabre])
    func `of all kinds arrive, and are listed as they are`(_ front: DAVFront) async throws {
        let access = try await front.access()
        let folder = "names-\(UUID().uuidString.lowercased()) %41#?+&🌅e\u{301}"
        let submitter = try access.submitter(["folder": folder])
        for (index, name) in Self.names.enumerated() {
            let receipt = try await submitter.submit(item(index), named: name, as: "test-\(index)")
            #expect(Array(receipt.remoteID.utf8) == Array(name.utf8))
            #expect(!receipt.wasThere && receipt.note == nil)
        }
        // Byte by byte: two that are canonically equivalent are two.
        for (index, name) in Self.names.enumerated() {
            let stored = try Data(contentsOf: URL(fileURLWithPath: "\(access.data)/\(folder)/\(name)"))
            #expect(Array(stored) == item(index).content, "\(name)")
            let presence = try #require(submitter.facets.presence)
            let found = await presence.presence(
                of: item(index).item(named: name), receipt: Receipt(remoteID: name, evidence: .size))
            guard case .present = found else {
                Issue.record("“\(name)” is \(found)")
                continue
            }
        }
        // A new process, which has to look.
        for (index, name) in Self.names.enumerated() {
            let again = try await access.submitter(["folder": folder]).submit(
                item(index), named: name, as: "test-\(index)")
            #expect(again.wasThere && Array(again.remoteID.utf8) == Array(name.utf8), "\(name)")
        }
        #expect(try await access.submitter(["folder": folder]).facets.leftovers?.list(sparing: []).isEmpty ?? false)
    }

    @Test(arguments: [DAVFront.apache, .nginx, .sabre])
    func `of albums of all kinds are listed as they are`(_ front: DAVFront) async throws {
        let access = try await front.access()
        let folder = "albums-\(UUID().uuidString.lowercased())"
        let albums = try #require(try access.submitter(["folder": folder]).facets.albums)
        let names = Self.names.filter { $0.utf8.count < 200 && $0 != "e\u{301}.jpg" }
        for name in names { try await albums.create("\(name)/in \(name)") }
        let listed = Set(try await albums.list())
        #expect(listed == Set(names + names.map { "\($0)/in \($0)" }))
    }

    @Test(
        arguments: [
            [FakeDAV.Manner.foldsCase], [.normalises], [.foldsCase, .ignoresOverwrite],
            [.normalises, .ignoresOverwrite],
        ]
        .map { Set($0) })
    func `that a server takes for one get another, and nothing is lost`(_ manners: Set<FakeDAV.Manner>) async throws {
        let server = FakeDAV(manners)
        let submitter = try server.submitter()
        let pairs = manners.contains(.foldsCase) ? ["A.JPG", "a.jpg"] : ["e\u{301}.jpg", "\u{e9}.jpg"]
        try await withThrowingTaskGroup(of: Receipt.self) { group in
            for (index, name) in pairs.enumerated() {
                group.addTask { try await submitter.submit(item(index), named: name, as: "test-\(index)") }
            }
            let receipts = try await group.reduce(into: []) { $0.append($1) }
            #expect(
                receipts.filter { $0.note?.contains("another file has the name") ?? false }.count == 1, "\(receipts)")
        }
        #expect(server.files.count == 2 && Set(server.files.values) == Set([item(0).content, item(1).content]))
    }

    @Test(arguments: [DAVFront.rclone, .wsgiDAV, .chezdav, .nginx])
    func `with characters that control something are kept without them, for good`(_ front: DAVFront) async throws {
        let access = try await front.access()
        let folder = "controls-\(UUID().uuidString.lowercased())"
        for (index, name) in ["a\nb.jpg", "a\tb.jpg", "\u{1}.jpg", "\u{7f}.jpg"].enumerated() {
            let submitter = try access.submitter(["folder": folder])
            let receipt = try await submitter.submit(item(index), named: name, as: "test-\(index)")
            #expect(receipt.note?.contains("does not keep the name") ?? false, "\(receipt)")
            let stored = try Data(contentsOf: URL(fileURLWithPath: "\(access.data)/\(folder)/\(receipt.remoteID)"))
            #expect(Array(stored) == item(index).content)
            let again = try await access.submitter(["folder": folder]).submit(
                item(index), named: name, as: "test-\(index)", attempt: 2)
            #expect(again.wasThere && again.remoteID == receipt.remoteID, "\(again)")
        }
    }

    @Test func `have an ampersand wherever that arrives`() async throws {
        let submitter = try await DAVFront.wsgiDAV.access().submitter([
            "folder": "and-\(UUID().uuidString.lowercased())"
        ])
        let receipt = try await submitter.submit(item(1), named: "Salt & Pepper.jpg")
        #expect(receipt.remoteID == "Salt & Pepper.jpg" && receipt.note == nil, "\(receipt)")
    }

    /// chezdav's answers name nothing there.
    @Test func `of albums with an ampersand can be asked for at a server that loses their addresses`() async throws {
        let access = try await DAVFront.chezdav.access()
        let folder = "salt & pepper \(UUID().uuidString.lowercased())"
        for index in 0..<6 {
            let submitter = try access.submitter(["folder": folder])
            let receipt = try await submitter.submit(item(index), named: "a.jpg", as: "test-\(index)")
            let stored = try Data(contentsOf: URL(fileURLWithPath: "\(access.data)/\(folder)/\(receipt.remoteID)"))
            #expect(Array(stored) == item(index).content)
            let presence = try #require(submitter.facets.presence)
            #expect(
                await presence.presenceReadBack(of: item(index).item(named: "a.jpg"), receipt: receipt)
                    == .present(.verified))
        }
    }

    @Test func `that differ by case are two photos where one may replace the other, too`() async throws {
        let server = FakeDAV([.foldsCase])
        let submitter = try server.submitter()
        for (index, name) in ["a.jpg", "A.JPG"].enumerated() {
            _ = try await submitter.submit(item(index), named: name, as: "test-\(index)", onConflict: .overwrite)
        }
        #expect(server.files == ["a.jpg": item(0).content, "A-1.JPG": item(1).content])
        // The one that is called so is replaced.
        _ = try await submitter.submit(item(2), named: "a.jpg", as: "test-2", onConflict: .overwrite)
        #expect(server.files == ["a.jpg": item(2).content, "A-1.JPG": item(1).content])
    }

    @Test func `may be as long as those that files are moved to`() async throws {
        // Nextcloud: what is sent lies under a longer name until it is whole.
        let server = FakeDAV { request, _ in
            let name = DAVPath(href: request.url)?.name ?? ""
            return request.method == "PUT" && name.utf8.count > 200 ? .success(HTTPResponse(status: 400)) : nil
        }
        let name = String(repeating: "x", count: 246) + ".jpg"
        let receipt = try await server.submitter().submit(item(1), named: name)
        #expect(receipt.remoteID == name && receipt.note == nil)
    }

    @Test func `are not to blame where a server says once that it moved something and did not`() async throws {
        let server = FakeDAV([.movesNothing200])
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 300, seed: 1))
        let receipt = try await server.submitter().submit(bytes, named: "%41.jpg")
        #expect(receipt.remoteID == "%41.jpg" && receipt.note == nil, "\(receipt)")
    }

    @Test func `in answers may be encoded in any way`() async throws {
        let server = FakeDAV([.overEncodes])
        let submitter = try server.submitter()
        for (index, name) in Self.names.enumerated() {
            let receipt = try await submitter.submit(item(index), named: name, as: "test-\(index)")
            #expect(Array(receipt.remoteID.utf8) == Array(name.utf8) && receipt.note == nil)
        }
        #expect(server.files.count >= Self.names.count - 1)
    }
}
