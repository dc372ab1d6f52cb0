import Foundation
import TestServers
import Testing

/// Files that cannot be sent, or not as they were accepted.
@Suite(.fewAtOnce) struct `A file that` {
    private func refusal(_ paths: [String], _ submit: Submit = Submit()) async throws -> Outcome {
        let outcome = try await submit.run(["--to", "file"] + paths)
        #expect(outcome.end == .exited(1), "\(outcome)")
        #expect(outcome.troubles.count == 1, "\(outcome)")
        #expect(outcome.out.contains("1 path refused"), "\(outcome)")
        return outcome
    }

    /// What runs a program as somebody who may not read everything, as root may; `nil` where nobody else may run it.
    private static func mayNotReadAll() async -> [String]? {
        if geteuid() != 0 { return [] }
        let wrapper = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        let mayRun = try? await ChildProcess.output(of: wrapper + ["test", "-x", Submit.program])
        return mayRun.map { _ in wrapper }
    }

    @Test func `is missing is refused, and the others are sent`() async throws {
        let submit = Submit()
        let good = try Photos.make(1, in: submit.folder)
        let outcome = try await refusal([submit.folder.path("nowhere.jpg")] + good, submit)
        #expect(outcome.err == "refused: “\(submit.folder.path("nowhere.jpg"))” does not exist: check its name.\n")
        #expect(outcome.out.contains("file: 1 done"))
    }

    @Test func `is called as options are is told from them`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        try FileManager.default.moveItem(atPath: photo, toPath: submit.folder.path("-weird {name} é.heic"))
        let outcome = try await submit.run(["--to", "file", "-weird {name} é.heic"], in: submit.folder.path)
        #expect(outcome.end == .exited(2) && outcome.err.contains("write “./-weird {name} é.heic”"), "\(outcome)")
        let meant = try await submit.run(["--to", "file", "--", "-weird {name} é.heic"], in: submit.folder.path)
        #expect(meant.end == .exited(0), "\(meant)")
    }

    @Test(.enabled("root needs another user who may run the program") { await mayNotReadAll() != nil })
    func `may not be read is refused`() async throws {
        let submit = Submit()
        let path = try Photos.make(1, in: submit.folder)[0]
        chmod(path, 0)
        let wrapper = try #require(await Self.mayNotReadAll())
        if !wrapper.isEmpty {
            for folder in ["home", "place", "state"] { chown(try submit.folder.folder(folder), 65534, 65534) }
        }
        let outcome = try await submit.run(["--to", "file", path], wrapper: wrapper)
        #expect(outcome.end == .exited(1), "\(outcome)")
        #expect(outcome.err == "refused: “\(path)” may not be read: check its permissions.\n")
    }

    @Test func `is no photo is refused by name, and left behind in a folder`() async throws {
        let submit = Submit()
        let text = try submit.folder.write("Not a photo.", to: "notes.jpg")
        let outcome = try await refusal([text], submit)
        #expect(outcome.err.contains("“\(text)” is neither a photo nor a video"), "\(outcome)")
        try submit.folder.folder("texts")
        try submit.folder.write("Not a photo.", to: "texts/a.txt")
        let folder = try await submit.run("--to", "file", submit.folder.path("texts"))
        #expect(folder.end == .exited(5) && folder.err == "", "\(folder)")
        #expect(
            folder.out == """
                left behind: 1 file
                  \(submit.folder.path("texts")): 1 file of unknown type (a.txt)
                  taken by `--any-file`
                Not everything was sent: 1 file was left behind.

                """, "\(folder)")
        let any = try await submit.run("--any-file", "--to", "file", text)
        #expect(any.end == .exited(0) && any.out.contains("file: 1 done"), "\(any)")
    }

    @Test func `is cut off is sent, with one warning that names it`() async throws {
        let submit = Submit()
        let photo = try Data(contentsOf: URL(fileURLWithPath: Photos.media + "/harbour.jpg"))
        for name in ["a.jpg", "b.jpg"] {
            try submit.folder.folder("cut")
            try photo.prefix(photo.count / 2).write(to: URL(fileURLWithPath: submit.folder.path("cut/\(name)")))
        }
        let folder = submit.folder.path("cut")
        let outcome = try await submit.run("--to", "file", folder)
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(outcome.err.hasPrefix("warning: JPEG without an end: \(folder)/a.jpg and 1 other. "), "\(outcome)")
        #expect(outcome.err.split(separator: "\n").count == 1, "\(outcome)")
        let json = try await submit.run("--json", "--reread", "--to", "file", folder)
        #expect(
            json.out.contains("\"incomplete\":[{\"code\":\"jpeg\",\"count\":2,\"path\":\"\(folder)/a.jpg\"}]"),
            "\(json)")
    }

    @Test func `is empty is refused`() async throws {
        let submit = Submit()
        let path = try submit.folder.write("", to: "empty.jpg")
        let outcome = try await refusal([path], submit)
        #expect(outcome.err.contains("“\(path)” is empty"), "\(outcome)")
    }

    @Test func `is a pipe is refused without waiting for a writer`() async throws {
        let submit = Submit()
        mkfifo(submit.folder.path("pipe.jpg"), 0o600)
        let outcome = try await refusal([submit.folder.path("pipe.jpg")], submit)
        #expect(outcome.err.contains("is neither a file nor a folder"), "\(outcome)")
    }

    /// Accepts one photo for both destinations, has something done to it, and sends.
    private func afterAcceptance(
        _ change: (String) throws -> Void
    ) async throws -> (Submit, String, Outcome, [ListedSubmission]) {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        let path = try Photos.make(1, in: submit.folder, sizes: 300_000...300_000)[0]
        let later = try await submit.run("--later", "--to", "file,objstore", path)
        #expect(later.end == .exited(0), "\(later)")
        try change(path)
        let outcome = try await submit.run("resume", "--wait", "1")
        let list = try await submit.list()
        if outcome.end == .exited(1) {
            #expect(try await FolderDigests.of(submit.place).isEmpty)
            #expect(try await bucket.objects().isEmpty)
        }
        return (submit, path, outcome, list)
    }

    @Test func `changes after its acceptance is sent nowhere`() async throws {
        let (submit, path, outcome, list) = try await afterAcceptance { path in
            try Data(Photos.jpeg(300_000, seed: 77)).write(to: URL(fileURLWithPath: path))
        }
        #expect(outcome.end == .exited(1), "\(outcome)")
        #expect(list.count == 2 && list.allSatisfy { $0.state == "failed" && $0.code == "source-changed" })
        #expect(outcome.err.contains("“\(path)” has other content than was accepted: submit it again"), "\(outcome)")
        #expect(outcome.out.contains("Retrying alone doesn't help"), "\(outcome)")
        #expect(!outcome.out.contains("`submit retry`"), "\(outcome)")
        // As it now is it can be sent.
        let again = try await submit.run("--to", "file,objstore", path)
        #expect(again.end == .exited(0), "\(again)")
    }

    @Test func `shrinks after its acceptance is sent nowhere`() async throws {
        let (_, path, outcome, list) = try await afterAcceptance { truncate($0, 1000) }
        #expect(outcome.end == .exited(1), "\(outcome)")
        #expect(list.allSatisfy { $0.state == "failed" && $0.code == "source-changed" }, "\(list)")
        #expect(
            outcome.err.contains(path) && outcome.err.contains("submit it again to send it as it now is"), "\(outcome)")
    }

    /// The disk is one of memory, behind a link that leads elsewhere while it is away.
    @Test func `lies on a disk that is taken out waits for it, and is sent when it is back`() async throws {
        let (submit, disk) = (Submit(), TemporaryFolder(in: "/dev/shm"))
        let photo = try Photos.make(1, in: submit.folder)[0]
        try disk.folder("DCIM")
        try FileManager.default.copyItem(atPath: photo, toPath: disk.path("DCIM/a.jpg"))
        let (link, path) = (submit.folder.path("card"), submit.folder.path("card/DCIM/a.jpg"))
        symlink(disk.path, link)
        #expect(try await submit.run("--later", "--to", "file", path).end == .exited(0))
        unlink(link)
        for place in [nil, try submit.folder.folder("mountpoint")] {
            if let place { symlink(place, link) }
            let away = try await submit.run("resume", "--wait", "1")
            #expect(away.end == .exited(3) && away.err.contains("The disk of “\(path)” is not there"), "\(away)")
        }
        unlink(link)
        symlink(disk.path, link)
        let back = try await submit.run("resume")
        #expect(back.end == .exited(0), "\(back)")
        #expect(try submit.names() == ["a.jpg"])
    }

    @Test func `vanishes after its acceptance fails, and can be tried again when it is back`() async throws {
        let (submit, path, outcome, list) = try await afterAcceptance { rename($0, $0 + ".away") }
        #expect(outcome.end == .exited(1), "\(outcome)")
        #expect(list.allSatisfy { $0.state == "failed" && $0.code == "source-vanished" }, "\(list)")
        #expect(
            outcome.err.contains(
                "“\(path)” is no longer there: bring it back and try again, or submit it from its new place. `submit retry` tries again."
            ), "\(outcome)")
        rename(path + ".away", path)
        let retry = try await submit.run("retry")
        #expect(retry.end == .exited(0) && retry.out.contains("2 submissions to try again."), "\(retry)")
        #expect(try await submit.list().allSatisfy { $0.state == "done" })
    }

    @Test func `was only touched after its acceptance is sent`() async throws {
        let (_, _, outcome, list) = try await afterAcceptance { utimes($0, nil) }
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(list.allSatisfy { $0.state == "done" })
    }

    @Test(arguments: [
        "two\nlines.jpg", "🏔️👩‍👩‍👧 Gipfel.jpg", "Zoë \u{202e}gpj.exe.jpg", "a b%20c#d?e&f=+.jpg",
        "back\\slash\"quote'.jpg",
        "\u{1b}[31mred\u{7}.jpg", "-rf.jpg", String(repeating: "x", count: 251) + ".jpg",
        String(repeating: "ö", count: 125) + "a.jpg", "写真.jpg",
    ])
    func `has an odd name arrives under it at both places`(_ name: String) async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        try submit.folder.folder("odd")
        let bytes = Photos.jpeg(5000, seed: 5)
        try submit.folder.write(bytes, to: "odd/\(name)")
        let outcome = try await submit.run(["--to", "file,objstore", "--", "\(name)"], in: submit.folder.path("odd"))
        let list = try await submit.list()
        let wanted = try await FolderDigests.of(submit.folder.path("odd"))[name]
        #expect(wanted != nil)
        // Nothing of the name moves the cursor or makes a second line.
        #expect(
            !(outcome.out + outcome.err).unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0 == "\u{202e}" })
        let copies = try await FolderDigests.of(submit.place)
        #expect(copies.values.map { $0 } == [wanted], "\(outcome)")
        #expect(outcome.end == .exited(0) && list.allSatisfy { $0.state == "done" }, "\(outcome)")
        #expect(outcome.lines.count == 5, "\(outcome)")
        #expect(try await bucket.digests().values.map { $0 } == [wanted], "\(outcome)")
    }

    @Test func `has a name that is no UTF-8 arrives under a name of its own, with its own content`() async throws {
        let store = GatedStore()
        store.open()
        let submit = Submit(endpoint: store.endpoint)
        try submit.folder.folder("odd")
        let names: [[UInt8]] = [[0xe9], [0xe8], Array("\u{fffd}".utf8), Array("‛E9".utf8)]
        for (seed, name) in names.enumerated() {
            let path = Array((submit.folder.path("odd") + "/caf").utf8) + name + Array(".jpg".utf8) + [0]
            let file = try #require(path.withUnsafeBytes { fopen($0.bindMemory(to: CChar.self).baseAddress!, "w") })
            let bytes = [UInt8](Photos.jpeg(5000, seed: UInt64(seed + 1)))
            #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
            fclose(file)
        }
        let outcome = try await submit.run("--to", "file,objstore", submit.folder.path("odd"))
        #expect(outcome.end == .exited(0), "\(outcome)")
        let spelled = ["caf‛E9.jpg", "caf‛E8.jpg", "caf\u{fffd}.jpg", "caf‛‛E9.jpg"]
        let folder = try submit.names().sorted()
        #expect(folder == spelled.sorted(), "\(folder)")
        for (seed, name) in spelled.enumerated() {
            let there = FileManager.default.contents(atPath: "\(submit.place)/\(name)")
            #expect(there == Data(Photos.jpeg(5000, seed: UInt64(seed + 1))), "\(name)")
        }
        #expect(store.objects.count == 4, "\(store.objects.keys)")
        let again = try await submit.run("--reread", "--to", "file", submit.folder.path("odd"))
        #expect(again.end == .exited(0) && again.out.contains("4 done"), "\(again)")
        #expect(try submit.names().count == 4)
        #expect(try await submit.run("audit").end == .exited(0))
    }

    @Test func `is named by a path with dots in it stays within its destination`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        try Photos.make(1, in: submit.folder)
        try submit.folder.folder("a/b")
        let outcome = try await submit.run(
            ["--to", "file,objstore", "../../photos/../a/b/../../photos/IMG_1000.jpg"], in: submit.folder.path("a/b"))
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(try await FolderDigests.of(submit.place).keys.sorted() == ["IMG_1000.jpg"])
        #expect(try await bucket.objects().map(\.name) == ["IMG_1000.jpg"])
    }

    @Test(arguments: ["../outside", "a/../../b", "/absolute", ".", "a//b"])
    func `should go to an album outside is refused`(_ album: String) async throws {
        let submit = Submit()
        let path = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run("--to", "file", "--album", album, path)
        #expect(outcome.end == .exited(2), "\(outcome)")
        #expect(outcome.troubles.count == 1 && outcome.err.contains("The album “\(album)”"), "\(outcome)")
    }
}
