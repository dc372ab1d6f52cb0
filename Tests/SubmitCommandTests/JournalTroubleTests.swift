import Foundation
import SubmitJournal
import SystemPackage
import TestServers
import Testing

/// A journal that cannot be written: nothing is sent that is not written down.
@Suite(.fewAtOnce) struct `A journal` {
    @Test(.enabled("it takes the right to mount") { await SmallDisk.isAllowed() })
    func `on a full disk stops the run with one sentence, and loses nothing`() async throws {
        let disk = try await SmallDisk.mount("32m")
        let submit = Submit(["XDG_STATE_HOME": disk.path])
        try Photos.make(400, in: submit.folder, sizes: 100...200)
        // One photo fits; hundreds do not. (SQLite's log may grow to 16 MB before it is taken into the file.)
        let first = try await submit.run("--to", "file", submit.folder.path("photos/IMG_1000.jpg"))
        #expect(first.end == .exited(0), "\(first)")
        try disk.fill(sparing: 40_000)
        let full = try await submit.run("--to", "file", submit.folder.path("photos"))
        #expect(full.end == .exited(2), "\(full)")
        #expect(
            full.troubles == [
                "submit: The disk of the journal \(disk.path)/submit/journal.sqlite is full: "
                    + "make room and run it again."
            ], "\(full)")
        try FileManager.default.removeItem(atPath: disk.path + "/filler")
        let again = try await submit.run("--to", "file", submit.folder.path("photos"))
        #expect(again.end == .exited(0), "\(again)")
        #expect(try await FolderDigests.of(submit.place) == FolderDigests.of(submit.folder.path("photos")))
        #expect(try submit.leftovers().isEmpty)
    }

    @Test(.enabled("it takes the right to mount") { await SmallDisk.isAllowed() })
    func `on a disk that is full from the start is not begun`() async throws {
        let disk = try await SmallDisk.mount("64k")
        try disk.fill()
        let submit = Submit(["XDG_STATE_HOME": disk.path])
        let path = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run("--to", "file", path)
        #expect(outcome.end == .exited(2) && outcome.troubles.count == 1, "\(outcome)")
        #expect(outcome.err.contains("journal \(disk.path)/submit/journal.sqlite"), "\(outcome)")
        #expect(outcome.err.contains("is full: make room"), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: submit.place))
    }

    @Test func `in a place that may not be written says so`() async throws {
        let submit = Submit()
        // Where nothing can be written, even by root.
        let outcome = try await submit.run(
            ["--to", "file"] + Photos.make(1, in: submit.folder), env: ["XDG_STATE_HOME": "/proc/submit"])
        #expect(outcome.end == .exited(2) && outcome.troubles.count == 1, "\(outcome)")
        #expect(
            outcome.err.contains(
                "The journal /proc/submit/submit/journal.sqlite cannot be written: check that you own it"),
            "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: submit.place))
    }

    /// For root a mode is no obstacle; a file system mounted for reading is.
    private static func readOnly(_ folder: String) -> [String] {
        guard geteuid() == 0 else { return [] }
        let mount = "mount --bind \(folder) \(folder) && mount -o remount,bind,ro \(folder) && exec \"$@\""
        return ["unshare", "-m", "sh", "-c", mount, "sh"]
    }

    private static func mayMakeReadOnly() async -> Bool {
        let folder = TemporaryFolder()
        return (try? await ChildProcess.output(of: readOnly(folder.path) + ["true"])) != nil
    }

    @Test(.enabled("root needs the right to mount") { await mayMakeReadOnly() })
    func `that is read-only says so`() async throws {
        let submit = Submit()
        let photos = try Photos.make(2, in: submit.folder)
        #expect(try await submit.run("--to", "file", photos[0]).end == .exited(0))
        let state = submit.folder.path("state")
        let wrapper = Self.readOnly(state)
        if wrapper.isEmpty {
            chmod(submit.journal, 0o400)
            chmod(state + "/submit", 0o500)
        }
        defer { chmod(state + "/submit", 0o700) }
        let outcome = try await submit.run(["--to", "file", photos[1]], wrapper: wrapper)
        #expect(outcome.end == .exited(2) && outcome.troubles.count == 1, "\(outcome)")
        #expect(outcome.err.contains("The journal \(submit.journal) cannot be written"), "\(outcome)")
        #expect(try await FolderDigests.of(submit.place).count == 1)
    }

    @Test(.enabled("root needs the right to mount") { await mayMakeReadOnly() })
    func `that is read-only is read all the same`() async throws {
        let submit = Submit()
        #expect(try await submit.run(["--to", "file"] + Photos.make(2, in: submit.folder)).end == .exited(0))
        // What is in the log alone counts, and nobody left an index of it.
        let journal = try Journal(path: FilePath(submit.journal))
        try await journal.setPaused(true, ["file"])
        let state = submit.folder.path("elsewhere")
        try submit.folder.folder("elsewhere/submit")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: submit.journal + suffix, toPath: state + "/submit/journal.sqlite" + suffix)
        }
        let wrapper = Self.readOnly(state)
        if wrapper.isEmpty {
            chmod(state + "/submit/journal.sqlite", 0o400)
            chmod(state + "/submit", 0o500)
        }
        defer { chmod(state + "/submit", 0o700) }
        for verb in [["status"], ["list"], ["history"], ["audit"]] {
            let outcome = try await submit.run(verb, env: ["XDG_STATE_HOME": state], wrapper: wrapper)
            #expect(outcome.end == .exited(0) && outcome.err == "", "\(verb): \(outcome)")
            #expect(outcome.out.contains(verb == ["list"] ? "IMG_1001.jpg" : "2 "), "\(verb): \(outcome)")
            if verb == ["status"] { #expect(outcome.out.contains("file is paused"), "\(outcome)") }
        }
        let send = try await submit.run(["resume"], env: ["XDG_STATE_HOME": state], wrapper: wrapper)
        #expect(send.end == .exited(2) && send.err.contains("cannot be written"), "\(send)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: state + "/submit").count == 2)
    }

    @Test func `of which the file alone is stored away is whole`() async throws {
        let submit = Submit()
        #expect(try await submit.run(["--to", "file"] + Photos.make(2, in: submit.folder)).end == .exited(0))
        try submit.folder.folder("stored/submit")
        let stored = submit.folder.path("stored")
        try FileManager.default.copyItem(atPath: submit.journal, toPath: stored + "/submit/journal.sqlite")
        let outcome = try await submit.run(["status"], env: ["XDG_STATE_HOME": stored])
        #expect(outcome.out.contains("file: 2 done"), "\(outcome)")
    }

    @Test func `that is empty, or another program's, is refused and left as it is`() async throws {
        let submit = Submit()
        let path = try Photos.make(1, in: submit.folder)[0]
        try submit.folder.folder("state/submit")
        try submit.folder.write("", to: "state/submit/journal.sqlite")
        for verb in [["--to", "file", path], ["status"], ["doctor", "--no-check"]] {
            let outcome = try await submit.run(verb)
            #expect(outcome.end == .exited(verb[0] == "doctor" ? 1 : 2), "\(outcome)")
            #expect((outcome.out + outcome.err).contains("is an empty file: put a copy"), "\(outcome)")
        }
        #expect(try submit.folder.text("state/submit/journal.sqlite") == "")
    }

    @Test func `that is damaged is left alone`() async throws {
        let submit = Submit()
        let path = try Photos.make(1, in: submit.folder)[0]
        try submit.folder.folder("state/submit")
        let text = String(repeating: "This is no journal. ", count: 500)
        try submit.folder.write(text, to: "state/submit/journal.sqlite")
        let outcome = try await submit.run("--to", "file", path)
        #expect(outcome.end == .exited(2) && outcome.troubles.count == 1, "\(outcome)")
        #expect(outcome.err.contains("The journal \(submit.journal) is damaged: keep a copy of it"), "\(outcome)")
        #expect(try submit.folder.text("state/submit/journal.sqlite") == text)
    }

    @Test func `is its owner's alone, as are copies in the making`() async throws {
        let submit = Submit()
        #expect(try await submit.run(["--to", "file"] + Photos.make(1, in: submit.folder)).end == .exited(0))
        let modes = try await ChildProcess.output(
            of: ["find", submit.folder.path("state"), "-mindepth", "1", "-perm", "/077", "-print"])
        #expect(modes == "")
    }
}
