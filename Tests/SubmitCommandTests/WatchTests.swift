import Foundation
import SubmitJournal
import TestServers
import Testing

/// `submit watch`, with files that come as programs leave them.
@Suite struct WatchTests {
    private static func names(_ submit: Submit) -> Set<String> { Set((try? submit.names()) ?? []) }

    @Test func `sends what comes once, and whole, and what came while it was killed`() async throws {
        let submit = Submit()
        let watched = try submit.folder.folder("watched")
        let made = try Photos.make(6, in: submit.folder)
        try FileManager.default.copyItem(atPath: made[0], toPath: "\(watched)/before.jpg")
        var watch = try submit.start("watch", "--settle", "1s", "--to", "file", watched)
        try await until { Self.names(submit) == ["before.jpg"] }

        // One that is written slowly, one that is called so until it is whole, one that is moved in with its folder.
        let whole = try Data(contentsOf: URL(fileURLWithPath: made[1]))
        let slow = open("\(watched)/slow.jpg", O_CREAT | O_WRONLY, 0o644)
        _ = whole.prefix(whole.count / 2).withUnsafeBytes { write(slow, $0.baseAddress, $0.count) }
        try FileManager.default.copyItem(atPath: made[2], toPath: "\(watched)/browser.jpg.part")
        try submit.folder.folder("elsewhere/deep/er")
        try FileManager.default.copyItem(
            atPath: made[3], toPath: submit.folder.path("elsewhere/deep/er/moved.jpg"))
        try FileManager.default.moveItem(atPath: submit.folder.path("elsewhere/deep"), toPath: "\(watched)/deep")
        try "no photo".write(toFile: "\(watched)/notes.txt", atomically: false, encoding: .utf8)
        // Last, so that all others had their time when it is there.
        try await until { Self.names(submit).contains("moved.jpg") }
        try FileManager.default.copyItem(atPath: made[4], toPath: "\(watched)/deep/er/mark.jpg")
        try await until { Self.names(submit).contains("mark.jpg") }
        #expect(Self.names(submit) == ["before.jpg", "moved.jpg", "mark.jpg"])

        _ = whole.dropFirst(whole.count / 2).withUnsafeBytes { write(slow, $0.baseAddress, $0.count) }
        close(slow)
        try FileManager.default.moveItem(atPath: "\(watched)/browser.jpg.part", toPath: "\(watched)/browser.jpg")
        try await until { Self.names(submit).isSuperset(of: ["slow.jpg", "browser.jpg"]) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(submit.place)/slow.jpg")) == whole)

        // Killed, and something comes meanwhile.
        watch.child.signal(SIGKILL)
        _ = try await watch.outcome()
        try FileManager.default.copyItem(atPath: made[5], toPath: "\(watched)/meanwhile.jpg")
        watch = try submit.start("watch", "--settle", "1s", "--to", "file", watched)
        try await until { Self.names(submit).contains("meanwhile.jpg") }
        watch.child.signal(SIGTERM)
        let outcome = try await watch.outcome(within: 10)
        #expect(outcome.end == .exited(0), "\(outcome)")
        let listed = try await submit.list()
        #expect(listed.count == 6 && listed.allSatisfy { $0.state == "done" }, "\(listed)")
    }

    @Test func `waits for a folder that is gone, and pays what others accepted`() async throws {
        let submit = Submit()
        try submit.configure(
            """
            watch:
              - folder: \(submit.folder.path("stick"))
                to: file
                settle: 1s
                exclude: [old/]
            """)
        let watch = try submit.start("watch", "--json")
        try await until { try watch.output().contains("is not there") }
        let made = try Photos.make(3, in: submit.folder)
        // A terminal's own, beside it.
        let later = try await submit.run(["--later", "--to", "file", made[0]])
        #expect(later.end == .exited(0), "\(later)")
        try await until { Self.names(submit).count == 1 }
        try submit.folder.folder("stick/old")
        try FileManager.default.copyItem(atPath: made[1], toPath: submit.folder.path("stick/old/no.jpg"))
        try FileManager.default.copyItem(atPath: made[2], toPath: submit.folder.path("stick/yes.jpg"))
        try await until { Self.names(submit).contains("yes.jpg") }
        #expect(Self.names(submit).count == 2)
        try FileManager.default.removeItem(atPath: submit.folder.path("stick"))
        watch.child.signal(SIGINT)
        let outcome = try await watch.outcome(within: 10)
        #expect(outcome.end == .exited(0), "\(outcome)")
    }

    /// With the number of the one that it was, as file systems give it again at once.
    @Test func `goes on where a folder is made anew, and where another one is moved into its place`() async throws {
        let submit = Submit()
        let watched = try submit.folder.folder("watched/below")
        let made = try Photos.make(3, in: submit.folder)
        let watch = try submit.start("watch", "--settle", "0s", "--to", "file", submit.folder.path("watched"))
        try FileManager.default.copyItem(atPath: made[0], toPath: "\(watched)/a.jpg")
        try await until { Self.names(submit).contains("a.jpg") }
        try FileManager.default.removeItem(atPath: submit.folder.path("watched"))
        try submit.folder.folder("watched/below")
        try FileManager.default.copyItem(atPath: made[1], toPath: "\(watched)/b.jpg")
        try await until { Self.names(submit).contains("b.jpg") }
        rename(submit.folder.path("watched"), submit.folder.path("old"))
        try submit.folder.folder("new")
        rename(submit.folder.path("new"), submit.folder.path("watched"))
        try await until { try watch.output().contains("is there again") }
        try FileManager.default.copyItem(atPath: made[2], toPath: submit.folder.path("watched/c.jpg"))
        try await until { Self.names(submit).contains("c.jpg") }
        watch.child.signal(SIGTERM)
        #expect(try await watch.outcome(within: 10).end == .exited(0))
    }

    /// Whoever removes sources asks for all their copies anew, and not for those that wait as it is.
    @Test func `asks nothing twice though it begins again and sources are to be removed`() async throws {
        let submit = Submit()
        try submit.configure("destinations: {off: {type: file, path: \(submit.folder.path("off")), create: no}}")
        let watched = try submit.folder.folder("watched")
        for photo in try Photos.make(2, in: submit.folder) {
            try FileManager.default.copyItem(atPath: photo, toPath: "\(watched)/\(photo.split(separator: "/").last!)")
        }
        for _ in 0..<3 {
            let watch = try submit.start(
                "watch", "--settle", "0s", "--remove-source-when", "2", "--to", "file,off", watched)
            try await until { try Self.names(submit).count == 2 && watch.output().contains("watching") }
            // It has looked at what is there once a later one is done.
            let mark = "\(UUID().uuidString).jpg"
            try Data(Photos.jpeg(3000, seed: .random(in: 0...99_999))).write(
                to: URL(fileURLWithPath: "\(watched)/\(mark)"))
            try await until { Self.names(submit).contains(mark) }
            try FileManager.default.removeItem(atPath: "\(submit.place)/\(mark)")
            watch.child.signal(SIGTERM)
            #expect(try await watch.outcome(within: 10).end == .exited(0))
        }
        #expect(try await submit.list().count == 10)
    }

    @Test func `once sends what has come, and its end says how that went`() async throws {
        let submit = Submit()
        let watched = try submit.folder.folder("watched")
        try submit.configure("watch: [{folder: \(watched), to: file, kind: photo, settle: 0s}]")
        let made = try Photos.make(2, in: submit.folder)
        try FileManager.default.copyItem(atPath: made[0], toPath: "\(watched)/a.jpg")
        try FileManager.default.copyItem(atPath: made[1], toPath: "\(watched)/b.jpg.crdownload")
        try "no photo".write(toFile: "\(watched)/notes.txt", atomically: false, encoding: .utf8)
        for _ in 0..<2 {
            let outcome = try await submit.run(["watch", "--once"])
            #expect(outcome.end == .exited(0), "\(outcome)")
            #expect(Self.names(submit) == ["a.jpg"])
        }
    }

    @Test(arguments: [
        ("watch: [{folder: photos, to: file}]", "whole path"), ("watch: [{to: file}]", "either"),
        ("watch: [{folder: /a, card: any, to: file}]", "either"), ("watch: [{folder: /a, to: nowhere}]", "nowhere"),
        ("watch: [{folder: /a, to: file, settel: 1s}]", "settle"),
        ("watch: [{folder: /a, to: file, settle: soon}]", "soon"),
        ("watch: [{folder: /a, to: file, kind: cat}]", "cat"), ("watch: yes", "list"),
        ("watch: [{folder: /a, to: file}, {folder: /a/b, to: file}]", "twice"), ("{}", "watch"),
        ("watch: [{card: any, to: file, exclude: [b.jpg]}]", "all of a card"),
        ("watch: [{folder: /a, to: file, priority: soon}]", "soon"),
    ])
    func `of a rule that is none is one sentence`(_ text: String, _ word: String) async throws {
        let submit = Submit()
        try submit.configure(text)
        let outcome = try await submit.run(["watch"])
        #expect(outcome.end == .exited(2) && outcome.troubles.count == 1, "\(outcome)")
        #expect(outcome.err.contains(word), "\(outcome)")
    }

    @Test func `is told to systemd as it begins and ends`() async throws {
        let submit = Submit()
        let watched = try submit.folder.folder("watched")
        let heard = submit.folder.path("heard")
        // A real listener that none of us wrote.
        let listener = try ChildProcess(
            ["socat", "-u", "UNIX-RECV:\(submit.folder.path("notify")),mode=0666", "OPEN:\(heard),creat,append"],
            environment: submit.environment)
        defer { listener.signal(SIGKILL) }
        try await until { FileManager.default.fileExists(atPath: submit.folder.path("notify")) }
        let watch = try submit.start(
            ["watch", "--to", "file", watched],
            env: ["NOTIFY_SOCKET": submit.folder.path("notify"), "WATCHDOG_USEC": "300000"])
        func text() -> String { (try? String(contentsOfFile: heard, encoding: .utf8)) ?? "" }
        try await until { text().contains("READY=1") && text().components(separatedBy: "WATCHDOG=1").count > 3 }
        watch.child.signal(SIGTERM)
        let outcome = try await watch.outcome(within: 10)
        #expect(outcome.end == .exited(0), "\(outcome)")
        try await until { text().contains("STOPPING=1") }
    }

    @Test func `as a service is what systemd itself takes for right`() async throws {
        let submit = Submit()
        try submit.configure("watch: [{folder: \(submit.folder.path), to: file}]")
        for arguments in [["--bwlimit", "08:00-23:00 1M, 5M"], ["--nightly", "02:30"]] {
            let outcome = try await submit.run(["service", "install", "--dry-run"] + arguments)
            #expect(outcome.end == .exited(0), "\(outcome)")
            var name = ""
            var files: [String: String] = [:]
            for line in outcome.out.components(separatedBy: "\n") {
                if line.hasPrefix("# submit") {
                    name = String(line.dropFirst(2))
                } else {
                    files[name, default: ""] += line + "\n"
                }
            }
            for (name, text) in files { try submit.folder.write(text, to: name) }
            let text = files.values.joined()
            // A manager of users may not take capabilities away, and copies are as readable as their owner has it.
            #expect(!text.contains("CapabilityBoundingSet") && !text.contains("UMask"), "\(text)")
            #expect(text.contains("Environment=XDG_STATE_HOME="), "\(text)")
            #expect(files.count == arguments.count / 2 + (arguments[0] == "--nightly" ? 1 : 0))
            let verified = try await submit.run(
                files.keys.map { submit.folder.path($0) },
                wrapper: ["sh", "-c", "shift; systemd-analyze verify --user \"$@\"", "sh"])
            #expect(
                verified.err.split(separator: "\n").filter { $0.contains("submit") && !$0.contains("man ") }.isEmpty,
                "\(verified)")
        }
    }
}
