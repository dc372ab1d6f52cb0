import Foundation
import Submit
import TestServers
import Testing

@testable import SubmitConfiguration

@Suite struct `Secrets in the file` {
    @Test func `are for their owner only, and those of others stay`() throws {
        let keys = Keys()
        try keys.credentials().change("shop") { $0 = ["key": "0ther"] }
        try keys.credentials().change("cloud") { $0["password"] = Keys.canary }
        #expect(try keys.credentials().file.all() == ["shop": ["key": "0ther"], "cloud": ["password": Keys.canary]])
        for (path, mode) in [(keys.path, 0o600), (keys.folder.path("config/submit"), 0o700)] {
            var status = stat()
            #expect(stat(path, &status) == 0 && Int(status.st_mode & 0o777) == mode, "\(path)")
        }
        try keys.credentials().change("cloud") { $0 = [:] }
        #expect(try keys.credentials().file.all() == ["shop": ["key": "0ther"]])
    }

    @Test func `leave nothing of a process that was killed while it wrote them`() throws {
        let keys = Keys()
        try keys.credentials().change("shop") { $0 = ["key": "one"] }
        // No process has such a number: it is above what the kernel gives.
        try keys.folder.write(Keys.canary, to: "config/submit/.secrets.yaml.4194305")
        try keys.folder.write("ours", to: "config/submit/.secrets.yaml.old")
        try keys.credentials().change("shop") { $0 = ["key": "two"] }
        let names = try FileManager.default.contentsOfDirectory(atPath: keys.folder.path("config/submit"))
        #expect(names.filter { $0.hasPrefix(".secrets.yaml.") } == [".secrets.yaml.old"])
    }

    @Test func `changed by many at once are all there`() async throws {
        let keys = Keys()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await keys.store("d\(number % 4)").exclusively { secrets throws(SubmitFailure) in
                        secrets["k\(number)"] = "\(number)"
                        secrets["count"] = "\((Int(secrets["count"] ?? "") ?? 0) + 1)"
                    }
                }
            }
            try await group.waitForAll()
        }
        let all = try keys.credentials().file.all()
        #expect(all.count == 4 && all.values.allSatisfy { $0.count == 11 && $0["count"] == "10" }, "\(all)")
    }

    @Test func `of one destination change in turn, those of others meanwhile, and all can be read`() async throws {
        let keys = Keys()
        try keys.credentials().change("a") { $0 = ["token": "old"] }
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let slow = Task {
            try await keys.store("a").exclusively { secrets throws(SubmitFailure) in
                begin.yield()
                for await _ in ended { break }
                secrets["token"] = "new"
            }
        }
        for await _ in begun { break }
        try await keys.store("b").exclusively { secrets throws(SubmitFailure) in secrets["token"] = "b" }
        #expect(try await keys.store("a").read() == ["token": "old"])
        let waiting = Task {
            try await keys.store("a").exclusively { secrets throws(SubmitFailure) in secrets["token"] ?? "" }
        }
        let given = Task {
            try await keys.store("a").exclusively { _ throws(SubmitFailure) in }
        }
        given.cancel()
        let cancelled = await given.result
        #expect(throws: SubmitFailure.cancelled) { try cancelled.get() }
        end.yield()
        try await slow.value
        #expect(try await waiting.value == "new")
    }

    @Test func `stay as they are when changing them fails`() async throws {
        let keys = Keys()
        try keys.credentials().change("a") { $0 = ["token": "old"] }
        let failure = await #expect(throws: SubmitFailure.self) {
            try await keys.store("a").exclusively { secrets throws(SubmitFailure) in
                secrets["token"] = "new"
                throw SubmitFailure(.renewCredentials, code: "x", message: "No.")
            }
        }
        #expect(failure?.code == "x")
        #expect(try await keys.store("a").read() == ["token": "old"])
    }

    @Test func `of a process that was killed can be changed at once`() async throws {
        let keys = Keys()
        try keys.credentials().change("a") { $0 = ["token": "old"] }
        let lock = keys.folder.path("config/submit/.locks/destination-a")
        let holder = try ChildProcess(
            ["flock", lock, "sh", "-c", "echo held; sleep 600"], output: keys.folder.path("out"))
        while try keys.folder.text("out").isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        let change = Task {
            try await keys.store("a").exclusively { secrets throws(SubmitFailure) in secrets["token"] = "new" }
        }
        #expect(holder.isRunning)
        // With its child, which holds the lock too.
        kill(-holder.pid, SIGKILL)
        try await change.value
        #expect(try await keys.store("a").read() == ["token": "new"])
    }

    @Test func `that are set elsewhere go before them, and change for this process only`() async throws {
        let keys = Keys()
        try keys.credentials().change("a") { $0 = ["token": "k3pt", "other": "o"] }
        let store = keys.store("a", set: ["token": "set"])
        #expect(try await store.read() == ["token": "set", "other": "o"])
        try await store.exclusively { secrets throws(SubmitFailure) in secrets["token"] = "ch4nged" }
        #expect(try await store.read()["token"] == "ch4nged")
        #expect(try await keys.store("a", set: ["token": "set"]).read()["token"] == "set")
        #expect(try await keys.store("a").read() == ["token": "ch4nged", "other": "o"])
    }
}
