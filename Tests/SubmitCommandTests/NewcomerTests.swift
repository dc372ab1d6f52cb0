import ArgumentParser
import Foundation
import SubmitConfiguration
import TestServers
import Testing

@testable import SubmitCommand

/// The first commands of somebody who has configured nothing.
@Suite struct NewcomerTests {
    /// Nothing says where `file` is.
    private static let unset = ["env", "-u", "SUBMIT_FILE_PATH"]

    @Test func `the first folder that a newcomer sends goes to a folder outside of the pictures`() async throws {
        let submit = Submit()
        try Photos.make(3, in: submit.folder, "home/Pictures")
        for _ in 0..<2 {
            let sent = try await submit.run(
                ["~/Pictures".replacing("~", with: submit.folder.path("home"))], wrapper: Self.unset)
            #expect(sent.end == .exited(0), "\(sent)")
        }
        #expect(try submit.names(in: submit.folder.path("home/Submitted")).count == 3)
        #expect(!FileManager.default.fileExists(atPath: submit.folder.path("home/Pictures/Submitted")))
        let watched = try await submit.run(
            ["watch", "--once", submit.folder.path("home/Pictures")], wrapper: Self.unset)
        #expect(watched.end == .exited(0), "\(watched)")
    }

    @Test func `a destination's folder below a named folder is left out and reported in one line`() async throws {
        let submit = Submit(place: nil, [:])
        let photos = submit.folder.path("photos")
        try Photos.make(3, in: submit.folder)
        try submit.configure("destinations: {nas: {type: file, path: \(photos)/mine/copies}}\n")
        for _ in 0..<2 {
            let sent = try await submit.run("--to", "nas", photos)
            #expect(sent.end == .exited(0), "\(sent)")
        }
        #expect(try submit.names(in: "\(photos)/mine/copies").count == 3)
        let again = try await submit.run("--to", "nas", photos)
        #expect((again.out + again.err).contains("left out: \(photos)/mine/copies, where submit stores its copies"))
        #expect(!(again.out + again.err).contains("left behind"), "\(again)")
        let own = try await submit.run("--to", "nas", "\(photos)/mine/copies")
        #expect(own.end == .exited(2) && own.err.contains("the folder in which “nas” stores its copies"), "\(own)")
        // Originals may lie among the copies: a card is formatted as a whole.
        let card = try await submit.run("card", photos, "--to", "nas")
        #expect(card.end == .exited(2) && card.err.contains("contains the folder"), "\(card)")
        let watched = try await submit.run("watch", "--once", "--to", "nas", photos)
        #expect(watched.end == .exited(0), "\(watched)")
    }

    @Test func `a journal from before keeps its default folder among the pictures`() async throws {
        let submit = Submit()
        let old = submit.folder.path("home/Pictures/Submitted")
        let photos = try Photos.make(2, in: submit.folder)
        // As an early version did it.
        #expect(try await submit.run([photos[0]], env: ["SUBMIT_FILE_PATH": old]).end == .exited(0))
        #expect(try await submit.run([photos[1]], wrapper: Self.unset).end == .exited(0))
        #expect(try submit.names(in: old).count == 2)
        // The disk of the pictures is unmounted: nothing goes elsewhere.
        try FileManager.default.moveItem(
            atPath: submit.folder.path("home/Pictures"), toPath: submit.folder.path("home/away"))
        let listed = try await submit.run(["destinations"], wrapper: Self.unset)
        #expect(listed.out.contains(old), "\(listed)")
    }

    @Test func `a photo before a folder is sent nowhere until somebody says what the folder is`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        let nas = try submit.folder.folder("nas")
        try Photos.make(1, in: submit.folder, "nas/old")
        let refused = try await submit.run([photo, nas], wrapper: Self.unset)
        #expect(refused.end == .exited(2), "\(refused)")
        #expect(refused.err.contains("`submit --to \(nas) \(photo)`"), "\(refused)")
        #expect(refused.err.contains("`submit --to file \(photo) \(nas)`"), "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: submit.folder.path("home/Submitted")))
        let copied = try await submit.run(["--to", nas, photo], wrapper: Self.unset)
        #expect(copied.end == .exited(0) && copied.err.contains("Added destination nas: \(nas)"), "\(copied)")
        #expect(try submit.names(in: nas).count == 2)
    }

    @Test func `somebody at a terminal who copies as with cp is asked, and gets a destination`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        let nas = try submit.folder.folder("nas")
        let talk = try Conversation(submit, photo, nas, unsetting: ["SUBMIT_FILE_PATH"])
        try await talk.type("1", to: "Number")
        #expect(await talk.end() == .exited(0), "\(talk.text)")
        #expect(try submit.names(in: nas) == ["IMG_1000.jpg"])
        #expect(talk.text.contains("Added destination nas: \(nas)"), "\(talk.text)")
    }

    @Test func `a folder named by its path is one destination, however often and in whatever way it is named`()
        async throws
    {
        let submit = Submit()
        let photos = try Photos.make(3, in: submit.folder)
        let home = submit.folder.path("home")
        try submit.folder.folder("home/My NAS")
        let names = ["\(home)/My NAS", "./My NAS", "~/My NAS"]
        for (name, photo) in zip(names, photos) {
            let sent = try await submit.run(["--to", name, photo], in: home)
            #expect(sent.end == .exited(0), "\(sent)")
        }
        #expect(try submit.names(in: "\(home)/My NAS").count == 3)
        let text = try submit.folder.text("config/submit/config.yaml")
        #expect(text.components(separatedBy: "type: file").count == 2, "\(text)")
        let audit = try await submit.run(["audit", "~/My NAS"], in: home)
        #expect(audit.end == .exited(0), "\(audit)")
        // Looking adds nothing, and what is missing is not made.
        try submit.folder.folder("other")
        let other = submit.folder.path("other")
        #expect(try await submit.run("--dry-run", "--to", other, photos[0]).end == .exited(0))
        #expect(try await submit.run("preview", other, photos[0]).end == .exited(0))
        let missing = try await submit.run("--to", submit.folder.path("mising"), photos[0])
        #expect(missing.end == .exited(2) && missing.err.contains("mkdir -p"), "\(missing)")
        #expect(try submit.folder.text("config/submit/config.yaml") == text)
    }

    @Test func `an unknown destination is answered with commands that add it`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        for arguments in [["--to", "nas", photo], ["preview", "nas", photo]] {
            let refused = try await submit.run(arguments)
            #expect(refused.end == .exited(2), "\(refused)")
            #expect(refused.err.contains("submit destinations add nas --type file path=FOLDER"), "\(refused)")
            #expect(refused.err.contains("submit destinations add nas --type webdav url=ADDRESS"), "\(refused)")
        }
        let audit = try await submit.run("audit", "/var/my nas")
        #expect(audit.err.contains("`submit destinations add NAME --type file path='/var/my nas'` adds it"), "\(audit)")
        try submit.configure("destinations:\n  nas:\n    path: /var/nas\n")
        let typeless = try await submit.run("--to", "nas", photo)
        #expect(typeless.err.contains("2: “nas” has no type: add “type: file” for a folder"), "\(typeless)")
    }

    @Test func `a blank behind the comma of --to is recognised`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        try submit.configure(
            """
            destinations:
              nas: {type: file, path: \(submit.folder.path("nas"))}
              cloud: {type: file, path: \(submit.folder.path("cloud"))}
            """)
        let refused = try await submit.run("--to", "nas,", "cloud", photo)
        #expect(refused.end == .exited(2) && refused.err.contains("Did you mean `--to nas,cloud`"), "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: submit.folder.path("nas")))
    }

    @Test func `nothing is stored on the system disk below a mount point without its disk`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        let point = "/mnt/\(UUID().uuidString.lowercased())"
        let added = try await submit.run("destinations", "add", "nas", "--type", "file", "path=\(point)/photos")
        #expect(added.end == .exited(2), "\(added)")
        #expect(added.err.contains("Nothing is mounted at “\(point)”") && added.err.contains("`--yes`"), "\(added)")
        try submit.configure("destinations: {nas: {type: file, path: \(point)/photos}}\n")
        let checked = try await submit.run("destinations", "check", "nas")
        #expect(checked.end == .exited(1) && checked.out.contains("Nothing is mounted"), "\(checked)")
        let sent = try await submit.run("--to", "nas", "--wait", "0s", photo)
        #expect(sent.end == .exited(3) && sent.description.contains("Nothing is mounted"), "\(sent)")
        #expect(sent.description.contains("`submit destinations moved nas`"), "\(sent)")
        #expect(!FileManager.default.fileExists(atPath: point))
        let talk = try Conversation(submit, "--to", "nas", photo)
        try await talk.type("n", to: "Use the system disk?")
        #expect(await talk.end() == .exited(2), "\(talk.text)")
        #expect(!FileManager.default.fileExists(atPath: point))
    }

    @Test func `files that are there are not sent again for another template`() async throws {
        let submit = Submit()
        let photos = try Photos.make(2, in: submit.folder)
        let folder = submit.folder.path("nas")
        try submit.configure("destinations:\n  nas:\n    type: file\n    path: \(folder)\n")
        #expect(try await submit.run("--to", "nas", photos[0]).end == .exited(0))
        for template in ["new/{name}", "newer/{name}"] {
            let edited = try await submit.run("destinations", "edit", "nas", "template=\(template)")
            #expect(edited.end == .exited(0) && edited.out.contains("--reread"), "\(edited)")
            #expect(try await submit.run(["--to", "nas"] + photos).end == .exited(0))
        }
        #expect(try submit.names(in: folder).sorted() == ["IMG_1000.jpg", "new"])
        #expect(try submit.names(in: "\(folder)/new") == ["IMG_1001.jpg"])
        #expect(try await submit.run(["--to", "nas", "--reread"] + photos).end == .exited(0))
        #expect(try submit.names(in: "\(folder)/newer").count == 2)
    }

    @Test func `many photos are not published unless somebody confirms it`() async throws {
        let submit = Submit()
        try Photos.make(12, in: submit.folder)
        let photos = submit.folder.path("photos")
        let blog = submit.folder.path("blog")
        func configure(_ limit: String) throws {
            try submit.configure(
                "\(limit)\ndestinations: {blog: {type: file, path: \(blog), visibility: public, rendition: original}}\n"
            )
        }
        try configure("publish_limit: 5")
        let refused = try await submit.run("--to", "blog", photos)
        #expect(refused.end == .exited(2), "\(refused)")
        #expect(refused.err.contains("More than 5 photos would be published at blog"), "\(refused)")
        try configure("")
        let talk = try Conversation(submit, "--to", "blog", photos)
        try await talk.type("", to: "Publish them?")
        #expect(await talk.end() == .exited(2), "\(talk.text)")
        #expect(!FileManager.default.fileExists(atPath: blog))
        // Nobody can be asked, and nobody set a limit.
        #expect(try await submit.run("--to", "blog", photos).end == .exited(0))
        // What is there is not published again.
        try configure("publish_limit: 5")
        #expect(try await submit.run("--to", "blog", photos).end == .exited(0))
        try Photos.make(7, in: submit.folder, "photos/more", seed: 9)
        #expect(try await submit.run("--to", "blog", "--yes", photos).end == .exited(0))
        #expect(try submit.names(in: blog).count == 19)
    }

    @Test(
        arguments: [
            (["init"], "`submit setup`"), (["ls"], "`submit list`"), (["undo"], "delete it there"),
            (["limit", "5M"], "`submit limit --total 5M`"), (["limit", "off"], "`submit limit NAME off`"),
            (["limit", "nas"], "`submit limit nas 500k`"),
            (["destinations", "add", "nas", "--path", "/mnt/nas"], "A setting has no dashes: `path=VALUE`."),
        ])
    func `a wrong first word is answered with a command that exists`(arguments: [String], advice: String) async throws {
        let outcome = try await Submit().run(arguments)
        #expect(outcome.end == .exited(2) && outcome.err.contains(advice), "\(outcome)")
        #expect(!outcome.err.contains("did you mean"), "\(outcome)")
    }

    @Test func `a folder on another disk is used only after somebody at the terminal confirms it`() async throws {
        let submit = Submit()
        let nas = try submit.folder.folder("nas")
        try Photos.make(3, in: submit.folder, "nas")
        try submit.configure("destinations: {nas: {type: file, path: \(nas)}}\n")
        let talk = try Conversation(submit, "destinations", "moved", "nas")
        try await talk.type("n", to: "Use this folder for “nas” from now on?")
        #expect(await talk.end() == .exited(2), "\(talk.text)")
        #expect(talk.text.contains("“\(nas)” has 3 entries") && talk.text.contains("was not changed"), "\(talk.text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: nas).count == 3)
        let sure = try Conversation(submit, "destinations", "moved", "nas", "--yes")
        #expect(await sure.end() == .exited(0), "\(sure.text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: nas).count == 4)
    }

    @Test func `files that are refused for one reason have one line and a count`() async throws {
        let submit = Submit()
        try Photos.make(2, in: submit.folder)
        for number in 1...11 { try submit.folder.write("", to: "photos/bad_\(number).jpg") }
        let sent = try await submit.run("--quiet", "--to", "file", submit.folder.path("photos"))
        #expect(sent.end == .exited(1), "\(sent)")
        #expect(
            sent.troubles == [
                "refused: “\(submit.folder.path("photos/bad_1.jpg"))” is empty: it was not accepted, copy it again.",
                "refused for the same reason as bad_1.jpg: bad_2.jpg, bad_3.jpg, bad_4.jpg and 7 more",
            ], "\(sent)")
        let all = try await submit.run("--verbose", "--to", "file", submit.folder.path("photos"))
        #expect(all.troubles.count { $0.hasPrefix("refused: ") } == 11, "\(all)")
        let talk = try Conversation(submit, "--to", "file", submit.folder.path("photos"))
        #expect(await talk.end() == .exited(1), "\(talk.text)")
        #expect(talk.text.components(separatedBy: "is empty").count == 2, "\(talk.text)")
        #expect(talk.text.contains("bad_4.jpg and 7 more"), "\(talk.text)")
    }

    @Test(.enabled(if: QRCode("x") != nil, "it takes libqrencode"))
    func `receive shows its address below the code, and alone on a screen that is too small for the code`()
        async throws
    {
        let submit = Submit()
        for (rows, hasCode) in [(24, true), (20, false)] {
            let talk = try Conversation(
                submit, "receive", "--to", "file", "--bind", "127.0.0.1", "--for", "1s", columns: 80, rows: rows)
            #expect(await talk.end() == .exited(0), "\(talk.text)")
            let shown = try #require(talk.text.components(separatedBy: "/r/").first)
            #expect(shown.contains("▀") == hasCode, "\(talk.text)")
            #expect(talk.text.contains("pen https://127.0.0.1:"), "\(talk.text)")
            #expect(!talk.text.dropFirst(shown.count).contains("▀"), "\(talk.text)")
        }
    }

    @Test(arguments: [
        [], ["send"], ["card"], ["setup"], ["destinations", "add"], ["login"], ["receive", "begin"], ["watch"],
        ["audit"], ["repair"],
    ])
    func `the help of a main command has examples that can be typed`(command: [String]) async throws {
        let help = try await Submit().run(command + ["--help"])
        let examples = help.lines.drop { $0.trimmingCharacters(in: .whitespaces) != "Examples:" }.dropFirst()
            .prefix { $0.hasPrefix("  ") }
        #expect(examples.count >= 2, "\(help)")
        for example in examples {
            let words = example.split(separator: "\"", omittingEmptySubsequences: false).enumerated().flatMap {
                $0.offset % 2 == 0 ? $0.element.split(separator: " ").map(String.init) : [String($0.element)]
            }
            #expect(words.first == "submit")
            #expect(throws: Never.self, "\(example)") { try SubmitCommand.parseAsRoot(Array(words.dropFirst())) }
        }
    }

    @Test func `the end of a run has its duration and the bytes sent, for programs, too`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        let size = try #require(FileManager.default.attributesOfItem(atPath: photo)[.size] as? Int)
        let sent = try await submit.run("--json", "--to", "file", photo)
        let last = try #require(
            JSONSerialization.jsonObject(with: Data((sent.lines.last ?? "").utf8)) as? [String: Any], "\(sent)")
        #expect(last["bytes_sent"] as? Int == size, "\(sent)")
        #expect((last["seconds"] as? Double).map { (0.001..<60).contains($0) } == true, "\(sent)")
        let again = try await submit.run("--json", "--to", "file", photo)
        #expect(again.lines.last?.contains("\"bytes_sent\":0,") == true, "\(again)")
        let later = try await submit.run("--json", "--later", "--reread", "--to", "file", photo)
        #expect(later.lines.last?.contains("bytes_sent") == false, "\(later)")
    }

    @Test func `an interrupted run says once how to resume it`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder, sizes: 2_000_000...2_000_001)[0]
        #expect(try await submit.run("--later", "--to", "file", photo).end == .exited(0))
        let running = try submit.start("resume", "--bwlimit", "10k")
        try await until { try await submit.list().first?.state == "running" }
        running.child.signal(SIGINT)
        let outcome = try await running.outcome()
        #expect(outcome.end == .exited(130), "\(outcome)")
        #expect((outcome.out + outcome.err).components(separatedBy: "goes on").count == 2, "\(outcome)")
    }

    @Test func `what is waiting is not told as nothing to send`() async throws {
        let submit = Submit()
        let photos = try Photos.make(3, in: submit.folder)
        let later = try await submit.run(["--later", "--to", "file"] + photos)
        #expect(later.lines.contains("file: 3 waiting") && !later.out.contains("0 B"), "\(later)")
    }

    @Test func `cancel reports what another process stops, and no sum that contradicts it`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder, sizes: 2_000_000...2_000_001)[0]
        #expect(try await submit.run("--later", "--to", "file", photo).end == .exited(0))
        let running = try submit.start("resume", "--bwlimit", "10k")
        try await until { try await submit.list().first?.state == "running" }
        let cancelled = try await submit.run("cancel", "--all")
        #expect(cancelled.out.hasPrefix("Another process is sending 1 submission and stops now"), "\(cancelled)")
        #expect(!cancelled.out.contains("0 submissions"), "\(cancelled)")
        _ = try await running.outcome()
    }

    @Test func `the advice on a wrong password names the command that sets it first`() async throws {
        #expect(
            Advice.sentence("Nobody can sign in at “dav”: its credentials are settings.", code: "no-login")
                .hasSuffix("`submit secrets set dav` sets its password, key or token."))
        #expect(
            Advice.sentence("It refuses.", code: "credentials", at: "dav").hasPrefix(
                "It refuses. `submit secrets set dav` sets"))
        let submit = Submit()
        try submit.configure("destinations: {nas: {type: file, path: \(submit.folder.path("nas"))}}\n")
        let login = try await submit.run("login", "nas")
        #expect(login.err.contains("needs no credentials") && !login.err.contains("secrets set"), "\(login)")
        let server = ScriptedServer.answering { _ in
            ScriptedServer.answer(401, ["WWW-Authenticate: Basic realm=\"x\""])
        }
        try submit.configure("destinations: {dav: {type: webdav, url: '\(server.endpoint)', user: me}}\n")
        let nobody = try await submit.run("login", "dav")
        #expect(nobody.end == .exited(2) || nobody.end == .exited(1), "\(nobody)")
        #expect(nobody.err.contains("`submit secrets set dav` sets its password"), "\(nobody)")
    }

    @Test func `version is a command, too`() async throws {
        let outcome = try await Submit().run("version")
        #expect(outcome.end == .exited(0) && outcome.out.hasPrefix("0."), "\(outcome)")
    }

    @Test func `a destination is named with --to or without it`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        for arguments in [["cancel", "file"], ["cancel", "--to", "file"], ["cancel", "1"]] {
            #expect(try await submit.run(["--later", "--reread", photo]).end == .exited(0))
            let cancelled = try await submit.run(arguments)
            let count = arguments == ["cancel", "1"] ? "0 submissions" : "1 submission"
            #expect(cancelled.end == .exited(0) && cancelled.out.hasPrefix("\(count) cancelled"), "\(cancelled)")
        }
        #expect(try await submit.run("cancel", "small").err.contains("There is no destination “small”"))
        for arguments in [
            ["retry", "file", "--wait", "0s"], ["pause", "--to", "file"], ["limit", "--to", "file", "1M"],
            ["limit", "file", "1M"],
        ] {
            let outcome = try await submit.run(arguments)
            #expect([.exited(0), .exited(4)].contains(outcome.end), "\(outcome)")
        }
        let empty = try await submit.run("list", "--state", "failed")
        #expect(empty.end == .exited(0) && empty.out == "No submission is failed.\n", "\(empty)")
        let secret = try await submit.run("destinations", "secret")
        #expect(secret.err.contains("submit destinations secret") && !secret.err.contains("set secret"), "\(secret)")
    }
}

/// Sentences on a terminal.
@Suite struct WrappingTests {
    @Test func `a sentence breaks between words, and loses none`() {
        let text = "submit: There is no destination “nas”. For a folder: `submit destinations add nas --type file`."
        for columns in 1...100 {
            let lines = Printable.wrapped(text, columns).split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.joined(separator: " ") == text)
            #expect(lines.allSatisfy { $0.count <= columns || !$0.contains(" ") || $0.hasPrefix("`") }, "\(lines)")
        }
    }

    @Test func `a command in a sentence stays on one line, so that people can copy it`() {
        let command = "`submit destinations add nas --type file path=FOLDER`"
        for columns in 10...80 {
            let text = Printable.wrapped("For a folder or a mounted share: \(command), and nothing else.", columns)
            #expect(text.contains(command), "\(text)")
        }
        // Without its end a command is text.
        #expect(Printable.wrapped("one ` two three", 8) == "one `\ntwo\nthree")
    }

    @Test func `a wrapped line keeps its indent, its blanks and its colours, and a line that fits stays as it is`() {
        #expect(Printable.wrapped("  one  two three", 11) == "  one  two\n    three")
        #expect(Printable.wrapped("  one  two", 11) == "  one  two")
        #expect(Printable.wrapped("one two: ", 7) == "one\ntwo: ")
        let colored = Terminal.colored("three", .bad)
        #expect(Printable.wrapped("one two \(colored)", 13) == "one two \(colored)")
        #expect(Printable.wrapped("one two \(colored)", 12) == "one two\n\(colored)")
        #expect(Printable.wrapped("first line\nsecond line", 11) == "first line\nsecond line")
    }

    @Test func `a narrow terminal gets the end of a run in whole words`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        #expect(try await submit.run("--to", "file", photo).end == .exited(0))
        let talk = try Conversation(submit, "--to", "file", photo, columns: 30)
        #expect(await talk.end() == .exited(0), "\(talk.text)")
        let lines = talk.text.split(whereSeparator: \.isNewline)
        #expect(lines.contains("unchanged since they were"), "\(talk.text)")
        #expect(lines.allSatisfy { $0.count <= 30 }, "\(talk.text)")
    }

    @Test func `a line for programs is never broken`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        let talk = try Conversation(submit, "--json", "--to", "file", photo, columns: 30)
        #expect(await talk.end() == .exited(0), "\(talk.text)")
        #expect(talk.text.split(whereSeparator: \.isNewline).allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
    }
}
