import Foundation
import TestServers
import Testing

/// One destination that fails does not keep the others from finishing, and what it missed is made up for.
@Suite(.fewAtOnce) struct `An outage` {
    @Test func `of the object store half-way leaves the rest waiting, and resume sends only what is missing`()
        async throws
    {
        let server = try await SwiftServer()
        let bucket = try await server.makeBucket()
        let submit = Submit(bucket)
        let files = 120
        try Photos.make(files, in: submit.folder, sizes: 20_000...40_000)

        let running = try submit.start(
            "--json", "--wait", "1", "--jobs", "1", "--to", "file,objstore", submit.folder.path("photos"))
        // Frozen, so that nothing more arrives while the server takes its time to stop.
        await running.freeze { output in output.contains("\"destination\":\"objstore\",\"event\":\"done\"") }
        try await server.stop()
        running.child.signal(SIGCONT)
        let broken = try await running.outcome()
        #expect(broken.end == .exited(3), "\(broken)")
        let sent = try await submit.list("--to", "objstore").filter { $0.state == "done" }
        #expect((1..<files).contains(sent.count))
        #expect(try await FolderDigests.of(submit.place) == FolderDigests.of(submit.folder.path("photos")))
        #expect(try broken.events("on-hold").contains { $0.destination == "objstore" && $0.code == "cannot-connect" })

        // Still away: the summary names what waits and for what.
        let again = try await submit.run("resume", "--wait", "0")
        #expect(again.end == .exited(3), "\(again)")
        let line = try #require(again.lines.first { $0.hasPrefix("objstore:") })
        #expect(line.contains("\(files - sent.count) waiting") && line.contains("cannot be reached"), "\(again)")
        #expect(again.out.contains("`submit resume 1` goes on."), "\(again)")

        try await server.restart()
        let before = try await bucket.objects()
        let back = try await submit.run("resume", "--json")
        #expect(back.end == .exited(0), "\(back)")
        #expect(try back.events("done").count == files - sent.count)
        #expect(try back.events("done").allSatisfy { $0.destination == "objstore" })
        // What was there was left alone, and all is there.
        let after = try await bucket.objects()
        #expect(after.count == files && Set(after).isSuperset(of: before))
        #expect(try await bucket.digests() == FolderDigests.of(submit.folder.path("photos")))
        for submission in try await submit.list() {
            #expect(
                submission.attempts.count { $0.outcome == "done" } == 1 && submission.attempts.last?.outcome == "done")
        }
    }

    @Test func `by a wrong key leaves all waiting for the right one`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        try Photos.make(5, in: submit.folder)
        let refused = try await submit.run(
            "--wait", "1", "--to", "file,objstore", submit.folder.path("photos"),
            env: ["AWS_SECRET_ACCESS_KEY": Submit.secret])
        #expect(refused.end == .exited(3), "\(refused)")
        #expect(refused.err.contains("it refuses the access key; check or renew it"), "\(refused)")
        #expect(refused.out.contains("file: 5 done"), "\(refused)")
        #expect(
            refused.lines.contains { $0.hasPrefix("objstore: 5 waiting") && $0.contains(bucket.name) }, "\(refused)")
        #expect(!(refused.out + refused.err).contains(Submit.secret))
        #expect(submit.journalBytes().range(of: Data(Submit.secret.utf8)) == nil)
        #expect(try await bucket.objects().isEmpty)

        let right = try await submit.run("resume", "--json")
        #expect(right.end == .exited(0), "\(right)")
        #expect(try right.events("done").count == 5)
        #expect(try await bucket.digests() == FolderDigests.of(submit.folder.path("photos")))
    }

    @Test func `by a wrong key is tried again by one photo, and only when someone asks`() async throws {
        let server = ScriptedServer.answering { _ in
            ScriptedServer.answer(403, [], "<?xml version=\"1.0\"?><Error><Code>InvalidAccessKeyId</Code></Error>")
        }
        let submit = Submit(endpoint: server.endpoint)
        try Photos.make(12, in: submit.folder)
        #expect(try await submit.run("--to", "objstore", submit.folder.path("photos")).end == .exited(3))
        var before = 0
        func more() async throws -> Int {
            let attempts = try await submit.list("--to", "objstore").flatMap(\.attempts)
            let refused = attempts.count { $0.code == "credentials" }
            defer { before = refused }
            return refused - before
        }
        #expect(try await more() > 0)
        let other = try await submit.run("--to", "file", submit.folder.path("photos"))
        #expect(other.end == .exited(0) && other.out.contains("file: 12 done"), "\(other)")
        #expect(try await more() == 0)
        #expect(try await submit.run("retry").end == .exited(3))
        #expect(try await more() == 0, "nothing failed there")
        for arguments in [
            ["resume"], ["retry", "--to", "objstore"], ["--to", "objstore", submit.folder.path("photos")],
        ] {
            let again = try await submit.run(arguments)
            #expect(again.end == .exited(3), "\(again)")
            #expect(try await more() == 1, "\(again)")
            #expect(again.troubles.count == 1 && again.err.contains("refuses the access key"), "\(again)")
        }
    }

    @Test(.enabled("it takes the right to mount") { await SmallDisk.isAllowed() })
    func `of room on the folder's disk leaves nothing half done there, and resume stores the rest`() async throws {
        let disk = try await SmallDisk.mount("1m")
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket, place: disk.path + "/place")
        try Photos.make(6, in: submit.folder, sizes: 200_000...250_000)
        try disk.fill(sparing: 600_000)
        let full = try await submit.run("--wait", "1", "--to", "file,objstore", submit.folder.path("photos"))
        #expect(full.end == .exited(3), "\(full)")
        #expect(full.err.contains("has no room for") && full.err.contains(disk.path), "\(full)")
        #expect(try await bucket.digests() == FolderDigests.of(submit.folder.path("photos")))
        let originals = try await FolderDigests.of(submit.folder.path("photos"))
        let stored = try await FolderDigests.of(submit.place)
        #expect(stored.allSatisfy { originals[$0.key] == $0.value } && (1..<6).contains(stored.count), "\(stored)")
        #expect(try submit.leftovers().isEmpty)

        try FileManager.default.removeItem(atPath: disk.path + "/filler")
        // Six times 250 kB are still more than a megabyte: the originals that arrived go elsewhere.
        let moved = submit.folder.path("moved")
        try await ChildProcess.output(of: ["mv", submit.place, moved])
        let room = try await submit.run("resume", "--wait", "1")
        #expect(room.end == .exited(0), "\(room)")
        #expect(try await FolderDigests.of(submit.place).merging(FolderDigests.of(moved)) { $1 } == originals)
        #expect(try submit.leftovers().isEmpty)
    }
}

/// Looks again and again until something is so; fails after two minutes.
func until(_ isSo: () async throws -> Bool, location: SourceLocation = #_sourceLocation) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while try await !isSo() {
        try #require(ContinuousClock.now < deadline, "it did not come to that in two minutes", sourceLocation: location)
        try await Task.sleep(for: .milliseconds(10))
    }
}
