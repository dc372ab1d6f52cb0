import Foundation
import TestServers
import Testing

/// A large file on its way in parts when the server can take no more: it waits, and goes on from where it stood.
@Suite(.fewAtOnce) struct `A large file in parts meets` {
    private static let part: Int64 = 5 << 20
    private static let size = 6 * part + 12345
    private static let slots: Int64 = 2

    /// A file of which more than two parts are on their way when the world stops.
    private struct Scene {
        let server: SwiftServer
        let bucket: SwiftBucket
        let proxy: CountingProxy
        let submit: Submit
        let path: String

        init(_ server: SwiftServer) async throws {
            self.server = server
            bucket = try await server.makeBucket()
            proxy = CountingProxy(to: server.port)
            submit = Submit(
                bucket,
                [
                    "AWS_ENDPOINT_URL": proxy.endpoint, "SUBMIT_OBJSTORE_PART_SIZE": "5MiB",
                    "SUBMIT_OBJSTORE_JOBS": "\(slots)",
                ])
            path = try submit.folder.write(Photos.jpeg(Int(size), seed: 7), to: "large.jpg")
        }

        /// Sends the file, and lets `trouble` happen in the middle of the third part or the fourth.
        func broken(by trouble: () async throws -> Void) async throws -> Outcome {
            proxy.stop(at: 2 * part + part / 2)
            let running = try submit.start("--json", "--wait", "0", "--to", "objstore", path)
            try await until { proxy.bytes >= 2 * part + part / 2 }
            try await trouble()
            proxy.goOn()
            return try await running.outcome()
        }

        /// All is well again: the rest is sent, and nothing else is left.
        ///
        /// - Parameter isAnew: nothing was left to go on from.
        func arrives(isAnew: Bool = false) async throws {
            let before = Set(proxy.puts.compactMap(\.part))
            let count = proxy.puts.count
            let outcome = try await submit.run("resume", "--json")
            #expect(outcome.end == .exited(0), "\(outcome)")
            let again = proxy.puts.dropFirst(count).compactMap(\.part).filter(before.contains)
            #expect(isAnew || again.count <= slots, "\(again)")
            let digest = try await ChildProcess.output(of: ["sha256sum", path]).prefix { $0 != " " }
            #expect(try await bucket.digest(of: "large.jpg") == digest)
            #expect(try await bucket.objects().map(\.name) == ["large.jpg"])
            #expect(try await bucket.parts.objects().count == 7)
            let submission = try #require(try await submit.list().first)
            #expect(submission.state == "done" && submission.evidence == "verified", "\(submission)")
        }
    }

    /// The one line on what waits, and for what.
    private func expectWaiting(_ outcome: Outcome, code: String, _ words: [String]) throws {
        #expect(outcome.end == .exited(3), "\(outcome)")
        let event = try #require(try outcome.events("on-hold").first, "\(outcome)")
        #expect(event.code == code && event.destination == "objstore", "\(outcome)")
        let message = try #require(event.message)
        for word in words { #expect(message.contains(word), "\(message)") }
    }

    @Test func `a quota, waits for room and goes on`() async throws {
        let scene = try await Scene(.shared())
        let outcome = try await scene.broken { try await scene.bucket.parts.limit(to: 1 << 20) }
        try expectWaiting(outcome, code: "full", ["“large.jpg”", "EntityTooLarge", "raise the quota"])
        // Still none: one part finds out.
        let count = scene.proxy.puts.count
        try expectWaiting(try await scene.submit.run("resume", "--json", "--wait", "0"), code: "full", ["“large.jpg”"])
        #expect(scene.proxy.puts.count - count <= Self.slots)
        try await scene.bucket.parts.limit(to: nil)
        try await scene.arrives()
    }

    @Test(.enabled("it takes the right to mount, and a new kernel") { await SmallDisk.keepsAttributes() })
    func `a full disk, waits for room and goes on`() async throws {
        let disk = try await SmallDisk.mount("80m")
        let scene = try await Scene(SwiftServer(disk: disk))
        let outcome = try await scene.broken { try disk.fill(sparing: Int(Self.part) / 2) }
        // Swift says no more than that it is not available.
        try expectWaiting(outcome, code: "unavailable", ["“large.jpg”", "503"])
        try FileManager.default.removeItem(atPath: disk.path + "/filler")
        try await scene.arrives()
        await scene.server.remove()
    }

    @Test func `the end of its server, waits for it and goes on`() async throws {
        let scene = try await Scene(SwiftServer())
        let outcome = try await scene.broken { try await scene.server.stop() }
        #expect(outcome.end == .exited(3), "\(outcome)")
        let still = try await scene.submit.run(
            ["resume", "--json", "--wait", "0"], env: ["AWS_ENDPOINT_URL": scene.server.endpoint])
        try expectWaiting(still, code: "cannot-connect", ["“large.jpg”", "cannot be reached"])
        try await scene.server.restart()
        try await scene.arrives()
        await scene.server.remove()
    }

    @Test func `its user, who cancels it, and leaves nothing`() async throws {
        let scene = try await Scene(.shared())
        let outcome = try await scene.broken {
            // What s3api stores at the moment of an abort outlives it, and nobody sees it any more.
            try await until {
                try await scene.bucket.parts.objects().count == 1 + scene.proxy.puts.count { $0.isWhole }
            }
            let cancel = try await scene.submit.run("cancel", "--all")
            #expect(cancel.end == .exited(0), "\(cancel)")
            try await until { try await scene.submit.list().first?.state == "cancelled" }
        }
        #expect(outcome.end == .exited(4), "\(outcome)")
        #expect(try await scene.bucket.objects().isEmpty)
        let left = try await scene.bucket.parts.objects()
        #expect(left.isEmpty, "\(left.map(\.name)) \(scene.proxy.puts)")
        let cleanup = try await scene.submit.run("cleanup", "objstore", "--older-than", "0s", "--dry-run", "--json")
        #expect(cleanup.end == .exited(0) && !cleanup.out.contains("large.jpg"), "\(cleanup)")
    }

    @Test func `a kill and a change of mind, and cleanup leaves alone what is to go on`() async throws {
        let scene = try await Scene(.shared())
        scene.proxy.stop(at: 2 * Self.part + Self.part / 2)
        let running = try scene.submit.start("--json", "--to", "objstore", scene.path)
        try await until { scene.proxy.bytes >= 2 * Self.part + Self.part / 2 }
        running.child.signal(SIGKILL)
        _ = try await running.outcome()
        scene.proxy.goOn()
        let spared = try await scene.submit.run("cleanup", "objstore", "--older-than", "0s", "--json")
        #expect(spared.end == .exited(0) && !spared.out.contains("large.jpg"), "\(spared)")
        #expect(try await !scene.bucket.parts.objects().isEmpty)
        // Another computer, to which this upload is nobody's.
        let other = Submit(scene.bucket)
        let found = try await other.run("cleanup", "objstore", "--older-than", "0s", "--json")
        #expect(found.end == .exited(0) && found.out.contains("large.jpg"), "\(found)")
        #expect(try await scene.bucket.parts.objects().isEmpty)
        try await scene.arrives(isAnew: true)
    }
}
