import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

@Suite struct `Locks at a WebDAV server` {
    private let bytes = ScriptedBytes(ScriptedBytes.content(count: 100_000))

    /// Somebody else.
    private struct Other {
        let access: DAVFront.Access
        let server: DAVServer

        init(_ access: DAVFront.Access) throws {
            self.access = access
            let endpoint = try #require(
                try DestinationSettings(destination: "dav", values: ["url": access.url], secrets: [:]).endpoint("url"))
            server = DAVServer(
                endpoint, destination: "other",
                transport: AuthenticatingTransport(
                    access.transport,
                    credentials: .password(
                        user: access.values["user"] ?? "", password: access.secrets["password"] ?? ""),
                    origin: endpoint, allowsBasic: true))
        }

        func lock(_ path: String, depth: String = "0") async throws -> String {
            let answer = try await server.send(
                DAVRequest(
                    "LOCK", path,
                    headers: [
                        ("Depth", depth), ("Timeout", "Second-600"), ("Content-Type", "application/xml; charset=utf-8"),
                    ],
                    body: .bytes(LockBody(owner: "Mona & Lisa").bytes)))
            #expect(answer.status == 200 || answer.status == 201)
            return try #require(answer["Lock-Token"])
        }

        func unlock(_ path: String, _ token: String) async throws {
            let answer = try await server.send(DAVRequest("UNLOCK", path, headers: [("Lock-Token", token)]))
            #expect(answer.status == 204)
        }
    }

    @Test func `that a server demands are taken by the next process before anything is sent in vain`() async throws {
        let server = FakeDAV([.demandsLocks])
        let notes = TransientNotes()
        _ = try await server.submitter(notes: notes).check()
        let before = server.log.count
        _ = try await server.submitter(notes: notes).submit(bytes)
        #expect(server.log.dropFirst(before).count { $0.hasPrefix("PUT ") } == 1)
    }

    @Test(arguments: [405, 501])
    func `that a server demanded are not asked for where it has none any more`(_ status: Int) async throws {
        let notes = TransientNotes()
        _ = try await FakeDAV([.demandsLocks]).submitter(notes: notes).check()
        let server = FakeDAV { request, _ in request.method == "LOCK" ? .success(HTTPResponse(status: status)) : nil }
        _ = try await server.submitter(notes: notes).submit(bytes)
        #expect(server.files == ["a.jpg": bytes.content])
        #expect(server.log.count { $0.hasPrefix("LOCK ") } == 1)
    }

    @Test(arguments: [(1, 5), (3, 60), (9, 3600)])
    func `on a folder that is to be made are waited for as those on files, and named`(
        _ attempt: Int, _ seconds: Int64
    ) async throws {
        let server = FakeDAV { request, _ in
            request.method == "MKCOL" && request.url.contains("%22") ? .success(HTTPResponse(status: 423)) : nil
        }
        let submitter = try server.submitter(["template": #"say "hi"/{name}"#])
        let found = try await failure { () async throws(SubmitFailure) in
            try await submitter.submit(bytes, attempt: attempt)
        }
        #expect(found.remedy == .retry(after: .seconds(seconds)) && found.code == "locked")
        #expect(found.message.contains(#"say "hi""#) && !found.message.contains("tried again"), "\(found)")
    }

    @Test(arguments: [DAVFront.apache, .nginx, .sabre])
    func `of others are waited for`(_ front: DAVFront) async throws {
        // SabreDAV loses locks that are taken and left at the same moment.
        let access = try await front.start()
        let other = try Other(access)
        let folder = "locks-\(UUID().uuidString.lowercased())"
        let submitter = try access.submitter(["folder": folder])
        _ = try await submitter.submit(ScriptedBytes([1, 2, 3]))
        let path = "/dav/\(folder)/a.jpg"
        let token = try await other.lock(path)
        let found = try await failure { () async throws(SubmitFailure) in
            try await submitter.submit(bytes, as: "test-2", onConflict: .overwrite)
        }
        guard case .retry(let wait?) = found.remedy else {
            Issue.record("the remedy is \(found.remedy): \(found)")
            return
        }
        #expect((.seconds(5) ... .seconds(600)).contains(wait) && found.message.contains("a.jpg"), "\(found)")
        #expect(found.message.contains(front == .apache ? "Mona & Lisa" : "someone"), "\(found)")
        #expect(found.message.contains("ends in"), "\(found)")
        try await other.unlock(path, token)
        let receipt = try await submitter.submit(bytes, as: "test-2", attempt: 2, onConflict: .overwrite)
        #expect(receipt.remoteID == "a.jpg")
        let stored = try Data(contentsOf: URL(fileURLWithPath: "\(access.data)/\(folder)/a.jpg"))
        #expect(Array(stored) == bytes.content)
    }

    @Test(arguments: [DAVFront.apache, .nginx, .sabre])
    func `of others on a whole collection are waited for`(_ front: DAVFront) async throws {
        // SabreDAV loses locks that are taken and left at the same moment.
        let access = try await front.start()
        let other = try Other(access)
        let folder = "locks-\(UUID().uuidString.lowercased())"
        let submitter = try access.submitter(["folder": folder])
        _ = try await submitter.submit(ScriptedBytes([1, 2, 3]))
        let token = try await other.lock("/dav/\(folder)/", depth: "infinity")
        let found = try await failure { () async throws(SubmitFailure) in
            try await submitter.submit(bytes, named: "b.jpg", as: "test-2")
        }
        guard case .retry = found.remedy else {
            Issue.record("the remedy is \(found.remedy): \(found)")
            return
        }
        // The others keep the owner to themselves.
        #expect(found.message.contains(front == .apache ? "Mona & Lisa" : "someone"), "\(found)")
        try await other.unlock("/dav/\(folder)/", token)
        let receipt = try await submitter.submit(bytes, named: "b.jpg", as: "test-2", attempt: 2)
        #expect(receipt.remoteID == "b.jpg")
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(access.data)/\(folder)")
            .filter { ![".DAV", ".sabredav"].contains($0) }
        #expect(files.sorted() == ["a.jpg", "b.jpg"])
    }

    @Test(arguments: [FakeDAV.Manner.demandsLocks, .demandsLocks428])
    func `are taken where the server demands them, and let go of`(_ manner: FakeDAV.Manner) async throws {
        let server = FakeDAV([manner])
        let submitter = try server.submitter()
        let receipt = try await submitter.submit(bytes)
        #expect(receipt.remoteID == "a.jpg" && server.files == ["a.jpg": bytes.content])
        #expect(server.locks.isEmpty)
        let before = server.log.count
        _ = try await submitter.submit(bytes, named: "b.jpg", as: "test-2")
        let log = server.log.dropFirst(before)
        // It is known by now: nothing is sent in vain.
        #expect(log.filter { $0.hasPrefix("PUT") }.count == 1, "\(log)")
        #expect(server.locks.isEmpty)
    }

    @Test func `of ours are let go of when the submission is cancelled`() async throws {
        let server = FakeDAV([.demandsLocks])
        let submitter = try server.submitter()
        _ = try await submitter.submit(ScriptedBytes([1]))
        let task = Locked<Task<SubmitFailure?, Never>?>(nil)
        let slow = ScriptedBytes(ScriptedBytes.content(count: 1 << 20)) { offset in
            if offset >= 256 << 10 { task.withLock { $0 }?.cancel() }
        }
        let started = Task { () -> SubmitFailure? in
            while task.withLock({ $0 }) == nil { await Task.yield() }
            do throws(SubmitFailure) {
                _ = try await submitter.submit(slow, named: "b.jpg", as: "test-2")
                return nil
            } catch {
                return error
            }
        }
        task.withLock { $0 = started }
        #expect(await started.value?.remedy == .cancelled)
        #expect(server.locks.isEmpty)
    }

    @Test func `that an attempt which was killed left are taken up`() async throws {
        let server = FakeDAV([.demandsLocks])
        let submitter = try server.submitter()
        _ = try await submitter.submit(ScriptedBytes([1]))
        server.change {
            $0.locks.append(
                FakeDAV.Lock(
                    path: ["dav", ".submit-test-2"], token: "urn:uuid:lost", owner: "submit test-2", isDeep: false))
        }
        server.put([], ".submit-test-2")
        let receipt = try await submitter.submit(bytes, named: "b.jpg", as: "test-2", attempt: 2)
        #expect(receipt.remoteID == "b.jpg" && server.locks.isEmpty)
    }

    @Test func `that are lost meanwhile are a reason to try again`() async throws {
        let server = FakeDAV([.demandsLocks]) { request, state in
            if request.method == "PUT", request.body.length == 100_000 { state.locks = [] }
            return nil
        }
        let submitter = try server.submitter()
        let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(bytes) }
        #expect(found.remedy == .retry(after: nil), "\(found)")
    }
}
