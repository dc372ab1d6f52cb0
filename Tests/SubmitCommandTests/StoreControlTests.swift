import Foundation
import LocalFileSubmitter
import SubmitEngine
import SubmitJournal
import SystemPackage
import TestServers
import Testing

/// What one process does to the work of another.
@Suite(.fewAtOnce) struct `Control from a second process` {
    /// Three photos on their way to a store that holds them at its gate: two at once, one behind them.
    private struct Scene {
        let store = GatedStore()
        let submit: Submit
        let running: RunningSubmit

        init(_ arguments: String...) async throws {
            submit = Submit(endpoint: store.endpoint)
            try Photos.make(3, in: submit.folder)
            running = try submit.start(
                ["--json", "--wait", "0", "--jobs", "2", "--to", "file,objstore"] + arguments
                    + [submit.folder.path("photos")])
            try #require(await store.waiting(2))
        }

        /// How the submissions to the store stand.
        func states() async throws -> [String] {
            try await submit.list("--to", "objstore").map(\.state)
        }
    }

    @Test func `a pause lets what is under way end and holds the rest until resume`() async throws {
        let scene = try await Scene()
        let pause = try await scene.submit.run("pause", "objstore")
        #expect(pause.end == .exited(0) && pause.out == "Paused: objstore. `submit resume` goes on.\n", "\(pause)")
        scene.store.open()
        let paused = try await scene.running.outcome()
        #expect(paused.end == .exited(3), "\(paused)")
        #expect(try await scene.states().sorted() == ["done", "done", "waiting"])
        #expect(scene.store.puts == 2)

        // A new submission for a paused destination waits too, and the other destination goes on.
        try Photos.make(1, in: scene.submit.folder, "new", prefix: "NEW_", seed: 9)
        let puts = scene.store.puts
        let other = try await scene.submit.run("--wait", "0", "--to", "file,objstore", scene.submit.folder.path("new"))
        #expect(other.end == .exited(3) && other.out.contains("(paused)"), "\(other)")
        #expect(other.out.contains("file: 1 done"), "\(other)")
        #expect(scene.store.puts == puts)
        #expect(try await scene.submit.run("status").out.contains("objstore is paused; `submit resume` ends that."))

        let resumed = try await scene.submit.run("resume")
        #expect(resumed.end == .exited(0), "\(resumed)")
        #expect(scene.store.objects.count == 4 && scene.store.puts == 4)
    }

    @Test func `cancelling a submission that is being sent breaks off that one alone`() async throws {
        let scene = try await Scene()
        let first = try #require(await scene.submit.list("--to", "objstore").first { scene.store.holds($0.item.name) })
        let cancel = try await scene.submit.run("cancel", "--submission", String(first.submission), "--json")
        #expect(cancel.end == .exited(0) && cancel.out.contains("\"told\":[\(first.submission)]"), "\(cancel)")
        // While the gate is closed: it does not wait for the answer.
        try await until {
            try await scene.submit.list().first { $0.submission == first.submission }?.state == "cancelled"
        }
        scene.store.open()
        let outcome = try await scene.running.outcome()
        #expect(outcome.end == .exited(4), "\(outcome)")
        #expect(try await scene.states().sorted() == ["cancelled", "done", "done"])
        #expect(try await scene.submit.list("--to", "file").allSatisfy { $0.state == "done" })
    }

    @Test func `cancelling a submission that has not begun keeps it from being sent`() async throws {
        let scene = try await Scene()
        let last = try #require(await scene.submit.list("--to", "objstore").first { !scene.store.holds($0.item.name) })
        let cancel = try await scene.submit.run("cancel", "--submission", String(last.submission))
        #expect(cancel.end == .exited(0), "\(cancel)")
        scene.store.open()
        let outcome = try await scene.running.outcome()
        #expect(outcome.end == .exited(4), "\(outcome)")
        #expect(try await scene.states().sorted() == ["cancelled", "done", "done"])
        #expect(scene.store.puts == 2)
    }

    @Test func `cancelling a destination breaks off what is being sent there and nothing else`() async throws {
        let scene = try await Scene()
        let cancel = try await scene.submit.run("cancel", "--to", "objstore")
        #expect(cancel.end == .exited(0), "\(cancel)")
        // The gate is still closed: it ends because it was told to.
        let outcome = try await scene.running.outcome(within: 10)
        #expect(outcome.end == .exited(4), "\(outcome)")
        #expect(try await scene.states() == ["cancelled", "cancelled", "cancelled"])
        #expect(try await scene.submit.list("--to", "file").allSatisfy { $0.state == "done" })
        #expect(scene.store.objects.isEmpty)
        let resumed = try await scene.submit.run("resume")
        #expect(resumed.end == .exited(0) && resumed.out == "Nothing is waiting.\n", "\(resumed)")
    }

    @Test func `cancelling a batch leaves other batches`() async throws {
        let scene = try await Scene()
        try Photos.make(1, in: scene.submit.folder, "new", prefix: "NEW_", seed: 9)
        let later = try await scene.submit.run("--later", "--to", "objstore", scene.submit.folder.path("new"))
        #expect(later.end == .exited(0), "\(later)")
        let cancel = try await scene.submit.run("cancel", "1")
        #expect(cancel.end == .exited(0), "\(cancel)")
        #expect(try await scene.running.outcome(within: 10).end == .exited(4))
        let list = try await scene.submit.list("--to", "objstore")
        #expect(list.filter { $0.batch == 1 }.allSatisfy { $0.state == "cancelled" })
        #expect(list.filter { $0.batch == 2 }.map(\.state) == ["waiting"])
        scene.store.open()
        #expect(try await scene.submit.run("resume").end == .exited(0))
        #expect(scene.store.objects["/bucket/NEW_1000.jpg"] != nil)
    }

    @Test func `cancelling all leaves nothing owed`() async throws {
        let scene = try await Scene()
        let cancel = try await scene.submit.run("cancel", "--all")
        #expect(cancel.end == .exited(0), "\(cancel)")
        #expect(try await scene.running.outcome(within: 10).end == .exited(4))
        #expect(try await scene.submit.list().allSatisfy { $0.state == "cancelled" || $0.state == "done" })
        #expect(try await scene.submit.run("resume").out == "Nothing is waiting.\n")
        #expect(try scene.submit.leftovers().isEmpty)
    }

    @Test func `cancelling a batch whose acceptance was cut off ends it for good`() async throws {
        let submit = Submit()
        let path = try Photos.make(3, in: submit.folder)[0]
        let journal = try Journal(path: FilePath(submit.journal))
        let request = SubmitRequest(paths: [FilePath(submit.folder.path("photos"))], destinations: ["file"])
        let manager = SubmitManager(
            store: journal.store, registry: try SubmitterRegistry([LocalFileSubmitter.submitterType()]))
        try manager.addDestination("file", type: "file", values: ["path": submit.place])
        _ = try await manager.begin(request)
        let cancel = try await submit.run("cancel", "--all")
        #expect(cancel.end == .exited(0) && cancel.out.contains("1 acceptance ended"), "\(cancel)")
        #expect(try await submit.run("resume").out == "Nothing is waiting.\n")
        #expect(!FileManager.default.fileExists(atPath: submit.place))
        #expect(try await submit.run("--to", "file", path).end == .exited(0))
    }

    @Test func `resume waits for what another process is at, and tells of it as its own`() async throws {
        let scene = try await Scene()
        let resume = try scene.submit.start("resume", "--wait", "0", "--json")
        try await until { try resume.output().contains(#""event":"progress""#) }
        scene.store.open()
        let outcome = try await scene.running.outcome()
        #expect(outcome.end == .exited(0), "\(outcome)")
        let told = try await resume.outcome()
        #expect(told.end == .exited(0), "\(told)")
        #expect(
            told.lines.filter { $0.contains(#""event":"done""#) && $0.contains(#""destination":"objstore""#) }.count
                == 3, "\(told)")
        #expect(scene.store.puts == 3)
    }

    /// As in a container that has the same state folder, where numbers of processes mean others.
    private static let elsewhere = ["unshare", "-r", "--pid", "--fork", "--mount-proc"]

    @Test(
        .enabled("it takes the right to make namespaces") {
            (try? await ChildProcess.output(of: elsewhere + ["true"])) != nil
        })
    func `resume takes nothing from a process of another namespace`() async throws {
        let scene = try await Scene()
        let resume = try scene.submit.start(["resume", "--wait", "0", "--json"], wrapper: Self.elsewhere)
        try await until { try resume.output().contains(#""event":"progress""#) }
        scene.store.open()
        #expect(try await scene.running.outcome().end == .exited(0))
        #expect(try await resume.outcome().end == .exited(0))
        #expect(scene.store.puts == 3)
    }

    // The store never answers: a run that waited for it would not end. How fast it ends is not told here, where the
    // machine is busy with other tests, but by `Tests/Benchmarks/run.sh interrupt`.
    @Test func `Ctrl-C ends a run and says how to go on`() async throws {
        let scene = try await Scene()
        scene.running.child.signal(SIGINT)
        let outcome = try await scene.running.outcome(within: 30)
        #expect(outcome.end == .exited(130), "\(outcome)")
        #expect(outcome.err.contains("`submit resume 1`"), "\(outcome)")
        #expect(try await scene.states().allSatisfy { $0 == "waiting" || $0 == "running" })
        scene.store.open()
        let resumed = try await scene.submit.run("resume", "1")
        #expect(resumed.end == .exited(0), "\(resumed)")
        #expect(try await scene.states() == ["done", "done", "done"])
        #expect(try scene.submit.leftovers().isEmpty)
    }

    @Test(arguments: [SIGTERM, SIGHUP]) func `other signals to end are heard likewise`(_ signal: CInt) async throws {
        let scene = try await Scene()
        scene.running.child.signal(signal)
        let outcome = try await scene.running.outcome(within: 10)
        #expect(outcome.end == .exited(130) && outcome.err.contains("`submit resume 1`"), "\(outcome)")
    }

    @Test func `a second Ctrl-C leaves at once, and nothing is lost`() async throws {
        let scene = try await Scene()
        scene.running.child.signal(SIGINT)
        scene.running.child.signal(SIGINT)
        // The first may end it before the second is there.
        let outcome = try await scene.running.outcome(within: 30)
        #expect(outcome.end == .exited(130) && outcome.troubles.count == 1, "\(outcome)")
        #expect(outcome.err.contains("`submit resume 1` goes on."), "\(outcome)")
        scene.store.open()
        #expect(try await scene.submit.run("resume").end == .exited(0))
        #expect(try await scene.states() == ["done", "done", "done"])
    }

    @Test func `Ctrl-C in the midst of acceptance keeps what was accepted`() async throws {
        let submit = Submit()
        try Photos.make(3000, in: submit.folder, sizes: 100...200)
        let running = try submit.start("--later", "--json", "--to", "file", submit.folder.path("photos"))
        try await until { try running.output().contains("\"accepted\"") || !running.child.isRunning }
        running.child.signal(SIGINT)
        var outcome = try await running.outcome()
        // Where its time to end is up before it has, that may be in the midst of a line.
        if let end = outcome.out.lastIndex(of: "\n") { outcome.out = String(outcome.out[...end]) }
        let accepted = try outcome.events("accepted").count
        let list = try await submit.list()
        #expect(list.count >= accepted && accepted > 0, "\(accepted) of \(list.count)")
        if outcome.end == .exited(130) {
            #expect(outcome.err.contains("`submit resume 1`"), "\(outcome.err)")
        } else {
            #expect(outcome.end == .exited(0) && list.count == 3000)
        }
    }
}
