import Foundation
import TestServers
import Testing

/// `submit status`, and the numbers and words it shares with other verbs.
@Suite(.fewAtOnce) struct `The status` {
    private static func refusing() -> ScriptedServer {
        ScriptedServer.answering { _ in
            ScriptedServer.answer(403, [], "<?xml version=\"1.0\"?><Error><Code>InvalidAccessKeyId</Code></Error>")
        }
    }

    @Test func `names a destination that waits only while it is owed something`() async throws {
        let server = Self.refusing()
        let submit = Submit(endpoint: server.endpoint)
        let path = try Photos.make(1, in: submit.folder)[0]
        #expect(try await submit.run("--to", "objstore", path).end == .exited(3))
        let waiting = try await submit.run("status")
        #expect(waiting.lines.contains { $0.hasPrefix("objstore is on hold: ") }, "\(waiting)")
        #expect(waiting.out.contains("objstore: 1 waiting (") && !waiting.out.contains("queued"), "\(waiting)")
        let json = try await submit.run("status", "--json")
        #expect(json.out.contains("\"on_hold\":{") && !json.out.contains("\"until\""), "someone has to act: \(json)")
        #expect(try await submit.run("cancel", "--all").end == .exited(0))
        let free = try await submit.run("status")
        #expect(!free.out.contains("on hold"), "\(free)")
        #expect(try await !submit.run("status", "--json").out.contains("on_hold"))
    }

    @Test func `of a run names no time for what waits for someone`() async throws {
        let server = Self.refusing()
        let submit = Submit(endpoint: server.endpoint)
        try Photos.make(2, in: submit.folder)
        let run = try await submit.run("--json", "--to", "objstore", submit.folder.path("photos"))
        #expect(try !run.events("waiting").isEmpty)
        #expect(!run.out.contains("\"until\""), "\(run)")
        let list = try await submit.run("list", "--json")
        #expect(list.out.contains("\"state\":\"waiting\"") && !list.out.contains("\"due\""), "\(list)")
    }

    @Test(arguments: [
        ["status", "99"], ["list", "99"], ["list", "--to", "nowhere"], ["cancel", "99"],
        ["cancel", "--submission", "99"],
        ["cancel", "--to", "nowhere"], ["cancel", "--submission", "1", "--to", "objstore"], ["pause", "nowhere"],
        ["retry", "99"], ["retry", "--submission", "99"], ["retry", "--to", "nowhere"], ["resume", "99"],
        ["resume", "--to", "nowhere"],
    ])
    func `of what there is not is refused by every verb`(_ arguments: [String]) async throws {
        let submit = Submit()
        let path = try Photos.make(1, in: submit.folder)[0]
        #expect(try await submit.run("--later", "--to", "file", path).end == .exited(0))
        #expect(try await submit.run("pause", "file").end == .exited(0))
        let outcome = try await submit.run(arguments)
        #expect(outcome.end == .exited(2) && outcome.out == "" && outcome.troubles.count == 1, "\(outcome)")
        #expect(outcome.err.hasPrefix("submit: ") && !outcome.err.contains("Usage"), "\(outcome)")
        #expect(try await submit.list().map(\.state) == ["waiting"], "nothing has been done")
        #expect(try await submit.run("status").out.contains("file is paused"), "nor has the pause been ended")
    }

    @Test func `of the past is read in pages, the newest first, and lists by state`() async throws {
        let submit = Submit()
        let paths = try Photos.make(3, in: submit.folder)
        for path in paths { #expect(try await submit.run("--to", "file", path).end == .exited(0)) }
        #expect(try await submit.run("--later", "--reread", "--to", "file", paths[0]).end == .exited(0))
        let history = try await submit.run("history", "--limit", "2")
        #expect(
            history.lines.filter { $0.hasPrefix("batch ") }.map { $0.prefix(7) } == ["batch 4", "batch 3"], "\(history)"
        )
        #expect(history.lines.last == "Older ones, from batch 2 on: `submit history --before 3`.", "\(history)")
        let older = try await submit.run("history", "--before", "3", "--json")
        #expect(older.lines.count == 2 && older.lines[0].contains("\"batch\":2"), "\(older)")
        let waiting = try await submit.run("list", "--state", "waiting", "--json")
        #expect(waiting.lines.count == 1 && waiting.out.contains("\"submission\":4"), "\(waiting)")
        let page = try await submit.run("list", "--after", "1", "--limit", "2", "--json")
        #expect(page.lines.count == 2 && page.lines[0].contains("\"submission\":2"), "\(page)")
        let wrong = try await submit.run("list", "--state", "queued")
        #expect(wrong.end == .exited(2) && wrong.err.contains("waiting"), "\(wrong)")
    }

    @Test func `shows an earlier batch in which something failed until that has arrived`() async throws {
        let submit = Submit()
        let photos = try Photos.make(2, in: submit.folder)
        #expect(try await submit.run("--later", "--to", "file", photos[0]).end == .exited(0))
        rename(photos[0], photos[0] + ".away")
        #expect(try await submit.run("resume").end == .exited(1))
        rename(photos[0] + ".away", photos[0])
        #expect(try await submit.run("--to", "file", photos[1]).end == .exited(0))
        let status = try await submit.run("status")
        #expect(status.lines.contains { $0.hasPrefix("batch 1, ") } && status.out.contains("1 failed"), "\(status)")
        #expect(status.out.contains("`submit list 1 --state failed`"), "\(status)")
        #expect(try await submit.run("status", "--json").out.contains("\"state\":\"failed\""))
        let overview = try await submit.run([])
        #expect(overview.lines.last?.hasPrefix("Next: `submit list 1 --state failed`") == true, "\(overview)")
        #expect(try await submit.run("--to", "file", photos[0]).end == .exited(0))
        let fine = try await submit.run("status")
        #expect(!fine.out.contains("failed") && fine.lines.first?.hasPrefix("batch 3, ") == true, "\(fine)")
    }

    @Test func `list prints a sentence about a destination that never got a submission`() async throws {
        let submit = Submit()
        let outcome = try await submit.run("list", "--to", "objstore")
        #expect(
            outcome.end == .exited(0) && outcome.out == "There are no submissions.\n" && outcome.err == "", "\(outcome)"
        )
    }

    @Test(arguments: [
        (["cancel", "--submission", "99", "--json"], "unknown-submission"),
        (["status", "--json", "99"], "unknown-batch"),
        (["--json", "--to", "nowhere", "x.jpg"], "unknown-destination"), (["--json", "--jobs", "0", "x.jpg"], "usage"),
        (["resume", "--json", "x"], "usage"), (["link", "--json", "99"], "unknown-submission"),
    ])
    func `of a verb that failed is an object on standard output too`(_ arguments: [String], _ code: String) async throws
    {
        let outcome = try await Submit().run(arguments)
        #expect(outcome.end == .exited(arguments[0] == "link" ? 1 : 2), "\(outcome)")
        let errors = try outcome.decoded(Event.self)
        #expect(errors.map(\.event) == ["error"] && errors.map(\.code) == [code], "\(outcome)")
        let message = try #require(errors.first?.message)
        #expect(outcome.troubles.first == "submit: \(message)", "\(outcome)")
    }

    @Test func `of usage is one sentence in our style, with how to use the verb`() async throws {
        let outcome = try await Submit().run("resume", "x")
        #expect(outcome.troubles.first == "submit: The value 'x' is invalid for '<batches>'.", "\(outcome)")
        #expect(outcome.troubles.dropFirst().first?.hasPrefix("Usage: submit resume ") == true, "\(outcome)")
    }

    @Test func `of a file named as one of json's options stays text`() async throws {
        let outcome = try await Submit().run("--to", "nowhere", "--", "--json")
        #expect(outcome.end == .exited(2) && outcome.out == "", "\(outcome)")
    }

    @Test func `that is watched shows what another process sends, until nothing waits any more`() async throws {
        let store = GatedStore()
        let submit = Submit(endpoint: store.endpoint)
        let path = try Photos.make(1, in: submit.folder)[0]
        let running = try submit.start("--quiet", "--to", "file,objstore", path)
        try #require(await store.waiting(1))
        let watching = try submit.start("status", "--watch")
        let json = try submit.start("status", "--watch", "--json")
        try await until {
            try watching.output().contains("objstore    0 %  0 of 1  ") && json.output().contains("progress")
        }
        store.open()
        #expect(try await running.outcome().end == .exited(0))
        let outcome = try await watching.outcome()
        #expect(outcome.end == .exited(0) && !outcome.out.contains("\u{1b}"), "\(outcome)")
        #expect(outcome.lines.contains { $0.hasPrefix("objstore  100 %  1 of 1  ") }, "\(outcome)")
        #expect(outcome.lines.last?.hasPrefix("  objstore: 1 done") == true, "\(outcome)")
        let events = try await json.outcome()
        #expect(events.end == .exited(0) && events.out.contains("\"percent\":100"), "\(events)")
    }

    @Test(arguments: [["resume", "--quiet"], ["receive", "--to", "file", "--bind", "127.0.0.1"]])
    func `status --watch shows how far a file is that another process sends`(sender: [String]) async throws {
        let submit = Submit()
        try submit.configure("bandwidth: 500k\n")
        let photo = try Photos.make(1, in: submit.folder, sizes: 6_000_000...6_000_001)[0]
        #expect(try await submit.run("--later", "--to", "file", photo).end == .exited(0))
        let running = try submit.start(sender)
        let watching = try submit.start("status", "--watch", "--json")
        try await until {
            try watching.output().contains(/"bytes_sent":[1-9][0-9]*,"bytes_total":600000.*"percent":[1-9]/)
        }
        running.child.signal(SIGINT)
        _ = try await running.outcome()
        // Nobody is told of a file that nobody sends.
        let state = try FileManager.default.contentsOfDirectory(atPath: submit.folder.path("state/submit"))
        #expect(!state.contains { $0.hasPrefix("under-way") }, "\(state)")
        watching.child.signal(SIGINT)
        #expect(try await watching.outcome().end == .exited(130))
    }

    @Test func `that is watched says that nobody sends what waits, and ends by a signal`() async throws {
        let submit = Submit()
        let path = try Photos.make(1, in: submit.folder)[0]
        #expect(try await submit.run("--later", "--to", "file", path).end == .exited(0))
        let watching = try submit.start("status", "--watch")
        try await until { try watching.output().contains("no `submit` is running: `submit resume` goes on") }
        watching.child.signal(SIGINT)
        #expect(try await watching.outcome().end == .exited(130))
    }
}
