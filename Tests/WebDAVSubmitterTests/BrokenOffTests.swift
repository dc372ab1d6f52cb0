import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

@Suite struct `What was broken off at a WebDAV server` {
    private let bytes = ScriptedBytes(ScriptedBytes.content(count: 200_000))
    private let inParts = ["parts_above": "1KiB", "part_size": "64KiB"]

    @Test(arguments: 1...85)
    func `is cleared away by the next process, where it was a trial of the server`(last: Int) async throws {
        let (count, bytes) = (Locked(0), ScriptedBytes(ScriptedBytes.content(count: 1000)))
        let server = FakeDAV { _, _ in
            let isDead = count.withLock { count in
                count += 1
                return count > last && count < 1000
            }
            return isDead ? .failure(.broken("killed", afterBody: false)) : nil
        }
        let notes = TransientNotes()
        let first = try server.submitter(notes: notes)
        do throws(SubmitFailure) {
            _ = try await first.submit(bytes)
        } catch {}
        count.withLock { $0 = 1000 }
        _ = try await server.submitter(notes: notes).submit(bytes, attempt: 2)
        #expect(server.files == ["a.jpg": bytes.content])
        #expect(server.names == ["a.jpg"])
    }

    @Test func `is not taken from another process that is still at it`() async throws {
        let notes = TransientNotes()
        let traces = ProbeTraces(notes: notes, topic: "probes")
        func write(_ started: some StringProtocol) async {
            await notes.write("probes", Array(#"[{"mark":"m","process":1,"started":"\#(started)"}]"#.utf8))
        }
        // The number is given away again.
        await write("another")
        #expect(await traces.broken() == ["m"])
        let stat = try String(contentsOfFile: "/proc/1/stat", encoding: .utf8)
        await write(try #require(stat.split(separator: ")").last?.split(separator: " ")[19]))
        #expect(await traces.broken() == [])
        await traces.begin("n")
        ProbeTraces.leave("n")
        #expect(await traces.broken() == ["n"])
        await traces.end("n")
        await traces.end("m")
        #expect(await notes.read("probes") == nil)
    }

    /// Tries to send the item, by the attempt's number; each goes on from what the one before kept.
    private func attempts(_ submitter: WebDAVSubmitter) -> @Sendable (Int) async throws(SubmitFailure) -> Receipt {
        let (bytes, kept) = (bytes, Locked<Checkpoint?>(nil))
        return { (number) async throws(SubmitFailure) in
            let context = SubmissionContext(
                submission: "test-1", attempt: number, checkpoint: kept.withLock { $0 },
                keep: { checkpoint in
                    kept.withLock { $0 = checkpoint }
                    return .success(())
                })
            return try await submitter.submit(bytes.item(named: "a.jpg"), bytes: bytes, context: context)
        }
    }

    @Test func `is not sent again where all of it is there and only its ETag is weak`() async throws {
        let isDead = Locked(false)
        let server = FakeDAV([.takesContentRange, .weakETags]) { request, _ in
            let isMoved = request.method == "MOVE" && request.url.contains("test-1")
            return isMoved && isDead.withLock { $0 } ? .failure(.broken("killed", afterBody: false)) : nil
        }
        let attempt = attempts(try server.submitter(inParts))
        isDead.withLock { $0 = true }
        _ = try await failure { () async throws(SubmitFailure) in try await attempt(1) }
        let (taken, requests) = (server.taken, server.log.count)
        isDead.withLock { $0 = false }
        _ = try await attempt(2)
        #expect(server.taken == taken, "\(server.log.dropFirst(requests))")
        #expect(server.files == ["a.jpg": bytes.content])
    }

    /// Sends two parts of four, and is killed.
    private func brokenOff(
        _ manners: Set<FakeDAV.Manner>
    ) async throws -> (server: FakeDAV, attempt: @Sendable (Int) async throws(SubmitFailure) -> Receipt) {
        let parts = Locked(0)
        let server = FakeDAV(manners) { request, _ in
            guard request.url.contains("test-1"), request.method == "PUT" else { return nil }
            let number = parts.withLock { parts in
                parts += 1
                return parts
            }
            return number == 3 ? .failure(.broken("killed", afterBody: false)) : nil
        }
        let attempt = attempts(try server.submitter(inParts))
        _ = try? await attempt(1)
        return (server, attempt)
    }

    @Test func `is sent from its beginning where the file is as long as the whole from the first part on`()
        async throws
    {
        let (server, attempt) = try await brokenOff([.growsToTotal])
        _ = try await attempt(2)
        #expect(server.files == ["a.jpg": bytes.content])
    }

    @Test func `is proven by its bytes when it was resumed, and not by its size`() async throws {
        let (server, attempt) = try await brokenOff([.takesContentRange])
        let sent = server.taken
        let receipt = try await attempt(2)
        #expect(receipt.evidence == .verified && server.files == ["a.jpg": bytes.content])
        #expect(server.taken - sent < 100_000, "the parts that were there were sent again")
    }

    @Test func `is sent again when the server lost bytes in the middle of what had arrived`() async throws {
        let (server, attempt) = try await brokenOff([.takesContentRange])
        server.change { $0.root.children["dav"]?.children[".submit-test-1"]?.content?[70_000] ^= 1 }
        let found = try await failure { () async throws(SubmitFailure) in try await attempt(2) }
        #expect(found.code == "not-stored" && found.remedy == .retry(after: nil), "\(found)")
        _ = try await attempt(3)
        #expect(server.files == ["a.jpg": bytes.content])
    }

    /// A server that makes a file anew to add a part to it leaves a hole where the others should be.
    @Test(arguments: [false, true])
    func `is not gone on with where its beginning was lost meanwhile`(isKilled: Bool) async throws {
        let parts = Locked(0)
        let server = FakeDAV([.takesContentRange]) { request, state in
            let isPart = request.url.contains("test-1") && request.headers.contains { $0.name == "Content-Range" }
            let number = parts.withLock { parts in
                parts += isPart ? 1 : 0
                return parts
            }
            if isPart, number == 1 { state.root.children["dav"]?.children[".submit-test-1"] = nil }
            return isPart && isKilled && number == 2 ? .failure(.broken("killed", afterBody: false)) : nil
        }
        let attempt = attempts(try server.submitter(inParts))
        let failure = try await failure { () async throws(SubmitFailure) in try await attempt(1) }
        #expect(failure.code == (isKilled ? "broken" : "not-stored"), "\(failure)")
        _ = try await attempt(2)
        #expect(server.files == ["a.jpg": bytes.content])
    }

    /// Where nothing can be moved, an upload that is killed leaves its beginning at the item's place.
    @Test(arguments: [false, true], [false, true])
    func `is told from what others stored at its place since, by its bytes`(isTheirs: Bool, isGivenUp: Bool)
        async throws
    {
        let isDead = Locked(false)
        let server = FakeDAV([.hasNoMove]) { _, _ in
            isDead.withLock { $0 } ? .failure(.broken("killed", afterBody: false)) : nil
        }
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 200_000), isFile: true)
        let submitter = try server.submitter()
        _ = try await submitter.check()
        let kept = Locked<Checkpoint?>(nil)
        func context(_ attempt: Int) -> SubmissionContext {
            SubmissionContext(
                submission: "test-1", attempt: attempt, checkpoint: kept.withLock { $0 },
                keep: { checkpoint in
                    kept.withLock { $0 = checkpoint }
                    // The process dies as soon as it may have sent anything.
                    isDead.withLock { $0 = true }
                    return .success(())
                })
        }
        let item = bytes.item(named: "a.jpg")
        _ = try await failure { () async throws(SubmitFailure) in
            try await submitter.submit(item, bytes: bytes, context: context(1))
        }
        let there = isTheirs ? [UInt8](repeating: 7, count: 5000) : Array(bytes.content.prefix(5000))
        server.put(there, "a.jpg")
        isDead.withLock { $0 = false }
        if isGivenUp {
            try await server.submitter().discard(item, context: context(2))
            #expect(server.files == (isTheirs ? ["a.jpg": there] : [:]))
        } else {
            let again = SubmissionContext(submission: "test-1", attempt: 2, checkpoint: kept.withLock { $0 })
            let receipt = try await server.submitter().submit(item, bytes: bytes, context: again)
            #expect(receipt.remoteID == (isTheirs ? "a-1.jpg" : "a.jpg"))
            #expect(server.files == (isTheirs ? ["a.jpg": there, "a-1.jpg": bytes.content] : ["a.jpg": bytes.content]))
        }
    }
}
