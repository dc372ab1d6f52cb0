import Foundation
import TestServers
import Testing

/// What is printed, and where.
@Suite(.fewAtOnce) struct `The output` {
    @Test func `with --json is one object a line, from the acceptance to the summary`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        try Photos.make(3, in: submit.folder)
        try submit.folder.write("", to: "photos/empty.jpg")
        try submit.folder.write("text", to: "photos/notes.txt")
        let outcome = try await submit.run("--json", "--to", "file,objstore", submit.folder.path("photos"))
        #expect(outcome.end == .exited(1) && outcome.err == "", "\(outcome)")
        let events = try outcome.decoded(Event.self)
        let counts = Dictionary(events.map { ($0.event, 1) }, uniquingKeysWith: +)
        #expect(
            counts.filter { $0.key != "progress" } == [
                "accepted": 3, "refused": 1, "left-behind": 1, "batch-complete": 1, "started": 6, "done": 6,
                "summary": 1,
            ])
        #expect(events.last?.event == "summary" && events.last?.exit_code == 1 && events.last?.batches == [1])
        // What comes of a submission comes after its beginning, which comes after its acceptance.
        for id in 1...6 {
            #expect(events.filter { $0.submission == id }.map(\.event) == ["started", "done"])
        }
        for arguments in [["status"], ["list"], ["types"], ["destinations", "list"], ["list", "--attempts"]] {
            let listing = try await submit.run(arguments + ["--json"])
            #expect(listing.end == .exited(0) && listing.err == "" && !listing.lines.isEmpty, "\(listing)")
            for line in listing.lines {
                #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any], "\(listing)")
            }
        }
    }

    @Test func `with --json tells of failures and of what waits too`() async throws {
        let submit = Submit(endpoint: "http://127.0.0.1:1")
        let path = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run("--json", "--wait", "0", "--to", "file,objstore", path)
        #expect(outcome.end == .exited(3) && outcome.err == "", "\(outcome)")
        let held = try outcome.events("on-hold")
        #expect(held.map(\.destination) == ["objstore"] && held.map(\.code) == ["cannot-connect"])
        #expect(try outcome.events("waiting").allSatisfy { $0.message?.contains("IMG_1000.jpg") == true })
        #expect(try outcome.decoded(Event.self).last?.exit_code == 3)
    }

    @Test func `into a pipe is plain lines without colours, whatever the terminal`() async throws {
        let submit = Submit()
        try Photos.make(2, in: submit.folder)
        let outcome = try await submit.run(
            ["--to", "file", submit.folder.path("photos")], env: ["TERM": "xterm-256color"],
            wrapper: ["sh", "-c", "\"$@\" 2>&1 | cat", "sh"])
        #expect(outcome.end == .exited(0))
        #expect(
            outcome.lines.count == 4 && !outcome.out.contains("\u{1b}") && !outcome.out.contains("\r"), "\(outcome)")
        #expect(outcome.lines.filter { $0.hasPrefix("done: IMG_100") }.count == 2)
        #expect(outcome.lines[2].hasPrefix("file: 2 done"))
        #expect(outcome.lines[3].contains(/^2 photos, .*, proven at file on \d{4}-\d\d-\d\d \d\d:\d\d$/), "\(outcome)")
    }

    @Test func `into a pipe whose reader went away does not end the upload`() async throws {
        let submit = Submit()
        try Photos.make(300, in: submit.folder)
        let outcome = try await submit.run(
            ["--to", "file", submit.folder.path("photos")],
            wrapper: ["bash", "-c", "\"$@\" | head -n 1 >/dev/null; exit ${PIPESTATUS[0]}", "bash"])
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(try await FolderDigests.of(submit.place).count == 300)
        #expect(try await submit.list().allSatisfy { $0.state == "done" })
    }

    @Test(arguments: [["list", "--json"], ["list"], ["--help"], ["types"], ["completions", "bash"]])
    func `that cannot be written is told of, and ends with 74`(_ arguments: [String]) async throws {
        let submit = Submit()
        try Photos.make(1, in: submit.folder)
        _ = try await submit.run("--to", "file", submit.folder.path("photos"))
        for full in [">/dev/full", ">&-"] {
            let outcome = try await submit.run(arguments, wrapper: ["sh", "-c", "\"$@\" \(full)", "sh"])
            #expect(outcome.end == .exited(74) && outcome.troubles.count == 1, "\(outcome)")
            #expect(outcome.err.hasPrefix("submit: Not all of the output could be written ("), "\(outcome)")
        }
        let away = try await submit.run(
            arguments, wrapper: ["bash", "-c", "\"$@\" | true; exit ${PIPESTATUS[0]}", "bash"])
        #expect(away.end == .exited(0) && away.err == "", "\(away)")
    }

    @Test func `that cannot be written stops no upload, and hides no worse end`() async throws {
        let submit = Submit()
        try Photos.make(3, in: submit.folder)
        let full = ["sh", "-c", "\"$@\" >/dev/full", "sh"]
        let sent = try await submit.run(["--json", "--to", "file", submit.folder.path("photos")], wrapper: full)
        #expect(sent.end == .exited(74), "\(sent)")
        #expect(try await submit.list().map(\.state) == ["done", "done", "done"])
        try submit.folder.write("", to: "photos/empty.jpg")
        let worse = try await submit.run(
            ["--json", "--to", "file", submit.folder.path("photos/empty.jpg")], wrapper: full)
        #expect(worse.end == .exited(1) && worse.err.contains("Not all of the output"), "\(worse)")
    }

    @Test(arguments: ["</tmp", "<&-"])
    func `of a list of names that cannot be read is one sentence`(_ input: String) async throws {
        let submit = Submit()
        let outcome = try await submit.run(
            ["--to", "file", "-"], wrapper: ["sh", "-c", "\"$@\" \(input)", "sh"])
        #expect(outcome.end == .exited(2) && outcome.troubles.count == 1, "\(outcome)")
        #expect(outcome.err.hasPrefix("submit: The list of names on standard input cannot be read ("), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: submit.journal))
    }

    /// Runs `submit` on a pseudo-terminal, and returns what came out of it.
    private func onTerminal(
        _ submit: Submit, _ arguments: [String], env: [String: String] = [:]
    ) async throws -> Outcome {
        // Exit status and bytes as on a real terminal; the line names no file with quotes in it.
        let command = ([Submit.program] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let child = try RunningSubmit(
            ["script", "-qec", "stty cols 100; \(command)", "/dev/null"],
            environment: submit.environment.merging(["TERM": "xterm"]) { $1 }.merging(env) { $1 }, input: nil, in: nil)
        return try await child.outcome()
    }

    @Test func `on a terminal is written over while it goes on, and sums with all that failed are left at the end`()
        async throws
    {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        try Photos.make(12, in: submit.folder, sizes: 100_000...300_000)
        try submit.folder.write("", to: "photos/empty.jpg")
        let outcome = try await onTerminal(submit, ["--to", "file,objstore", submit.folder.path("photos")])
        #expect(outcome.end == .exited(1), "\(outcome)")
        let text = outcome.out
        // The lines are written over: up to the first of them, and cleared from there.
        #expect(text.contains("A\r") && text.contains("\r\u{1b}[J"), "\(outcome)")
        #expect(text.contains("\u{1b}[1mfile    \u{1b}[0m") && text.contains(" of 12"), "\(outcome)")
        #expect(text.contains("refused: “\(submit.folder.path("photos/empty.jpg"))” is empty"), "\(outcome)")
        #expect(!text.contains("\u{1b}]9;4"), "nobody knows whether this terminal shows that: \(outcome)")
        // What is left to read at the end: no row for each of 24 copies.
        let end = try #require(text.components(separatedBy: "\u{1b}[J").last)
        let rows = end.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("took ") }
        #expect(rows.count == 4, "\(outcome)")
        #expect(rows[0].hasPrefix("file: \u{1b}[32m12 done"), "\(outcome)")
        #expect(rows[1].hasPrefix("objstore: \u{1b}[32m12 done"), "\(outcome)")
        #expect(rows[2].contains("1 path refused"), "\(outcome)")
        #expect(rows[3].hasPrefix("12 photos, ") && rows[3].contains("; 1 refused; as of 2"), "\(outcome)")
    }

    @Test func `on a terminal that shows progress on its tab is told there, and away at the end`() async throws {
        let submit = Submit(endpoint: "http://127.0.0.1:1")
        let path = try Photos.make(1, in: submit.folder)[0]
        let shown = try await onTerminal(
            submit, ["--wait", "1", "--to", "objstore", path], env: ["TERM_PROGRAM": "ghostty"])
        let marks = shown.out.matches(of: /\u{1b}]9;4;(\d);(\d+)\u{1b}\\/).map { "\($0.1) \($0.2)" }
        #expect(marks.count > 1 && marks.dropLast().last == "4 0" && marks.last == "0 0", "it is on hold: \(shown)")
    }

    @Test func `on a terminal has no colours with NO_COLOR, and no cursor movements where the terminal is dumb`()
        async throws
    {
        let submit = Submit()
        try Photos.make(2, in: submit.folder)
        let plain = try await onTerminal(
            submit, ["--to", "file", submit.folder.path("photos")], env: ["NO_COLOR": "1"])
        #expect(plain.end == .exited(0) && plain.out.contains("proven at file"), "\(plain)")
        // Lines are still written over: `ESC [ 3 A` is no colour, `ESC [ 3 1 m` is one.
        #expect(!plain.out.contains(/\u{1b}\[[0-9;]*3[0-9]m/), "\(plain)")
        let dumb = try await onTerminal(submit, ["--to", "file", submit.folder.path("photos")], env: ["TERM": "dumb"])
        #expect(dumb.end == .exited(0) && !dumb.out.contains("\u{1b}"), "\(dumb)")
    }

    @Test func `never passes on what a file's name would do to a terminal`() async throws {
        let submit = Submit()
        try submit.folder.folder("odd")
        for (number, name) in [
            "\u{1b}]0;title\u{7}.jpg", "a\rb.jpg", "line\nforged: yes.jpg", "\u{9b}31m.jpg", "x\u{202e}y.jpg",
        ].enumerated() {
            try submit.folder.write(Photos.jpeg(500 + number, seed: UInt64(number)), to: "odd/\(name)")
            try submit.folder.write("", to: "odd/empty-\(name)")
        }
        func isClean(_ text: String) -> Bool {
            !text.unicodeScalars.contains {
                $0 != "\n" && $0.value < 32 || (0x7f..<0xa0).contains($0.value) || $0 == "\u{202e}"
            }
        }
        for arguments in [
            ["--dry-run", "--to", "file"], ["--to", "file"], ["--quiet", "--to", "file"], ["--json", "--to", "file"],
        ] {
            let outcome = try await submit.run(arguments + [submit.folder.path("odd")])
            #expect(outcome.end == .exited(1), "\(outcome)")
            #expect(isClean(outcome.err), "\(outcome)")
            if arguments[0] != "--json" { #expect(isClean(outcome.out), "\(outcome)") }
            #expect(!(outcome.out + outcome.err).contains("\nforged"), "\(outcome)")
        }
        for arguments in [["list"], ["list", "--attempts"], ["status"]] {
            #expect(isClean(try await submit.run(arguments).out))
        }
        let terminal = try await onTerminal(submit, ["--to", "file", submit.folder.path("odd")])
        #expect(!terminal.out.contains("\u{1b}]0;") && !terminal.out.contains("\u{7}"), "\(terminal)")
        #expect(!terminal.out.contains("\nforged") && !terminal.out.contains("\u{202e}"), "\(terminal)")
    }

    @Test func `with --quiet is only what went wrong`() async throws {
        let submit = Submit()
        let path = try Photos.make(1, in: submit.folder)[0]
        let fine = try await submit.run("--quiet", "--to", "file", path)
        #expect(fine.end == .exited(0) && fine.out == "" && fine.err == "", "\(fine)")
        let bad = try await submit.run("-q", "--to", "file", path, submit.folder.path("nowhere.jpg"))
        #expect(bad.end == .exited(1) && bad.out == "" && bad.troubles.count == 1, "\(bad)")
    }

    @Test func `of a dry run says what would go where, and nothing is written or sent`() async throws {
        let store = GatedStore(isOpen: true)
        let submit = Submit(endpoint: store.endpoint)
        try Photos.make(2, in: submit.folder)
        let text = try await submit.run("--dry-run", "--to", "file,objstore", submit.folder.path("photos"))
        #expect(text.end == .exited(0) && text.err == "" && text.lines.count == 6, "\(text)")
        #expect(text.lines[4].hasPrefix("file: would send 2 files, "), "\(text)")
        #expect(text.lines.contains { $0.hasPrefix("would send: IMG_1000.jpg → objstore (image/jpeg, ") }, "\(text)")
        let json = try await submit.run("--dry-run", "--json", "--to", "file", submit.folder.path("photos"))
        #expect(try json.events("would-send").count == 2)
        let refused = try await submit.run("--dry-run", "--to", "file", submit.folder.path("nowhere.jpg"))
        #expect(refused.end == .exited(1) && refused.troubles.count == 1, "\(refused)")
        #expect(store.puts == 0 && !FileManager.default.fileExists(atPath: submit.place))
        #expect(try await submit.run("status").out == "")
        #expect(try await submit.list().isEmpty)
    }

    @Test func `of a dry run names the places that the copies get then, and what is there`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        let paths = try Photos.make(3, in: submit.folder)
        #expect(try await submit.run("--to", "file,objstore", paths[0]).end == .exited(0))
        try submit.folder.write("other bytes", to: "place/IMG_1001.jpg")
        struct Line: Decodable {
            var event: String
            var destination: String?
            var remote_id: String?
            var presence: String?
            var item: ListedSubmission.Item?
        }
        let dry = try await submit.run(["--dry-run", "--reread", "--json", "--to", "file,objstore"] + paths)
        let lines = try dry.decoded(Line.self).filter { $0.event == "would-send" }
        func presences(_ name: String) -> [String?] {
            lines.filter { $0.destination == name }.sorted { $0.item!.name < $1.item!.name }.map(\.presence)
        }
        #expect(presences("file") == ["there", "other", "absent"], "\(dry)")
        #expect(presences("objstore") == ["there", "absent", "absent"], "\(dry)")
        #expect(dry.lines.last?.contains("\"event\":\"dry-run-summary\"") == true, "\(dry)")
        let text = try await submit.run(["--dry-run", "--reread", "--to", "file"] + paths)
        #expect(text.out.contains("place/IMG_1000.jpg (there already: verified)"), "\(text)")
        #expect(text.out.contains("(other bytes have the name, so that it gets another one)"), "\(text)")
        #expect(text.lines.last?.contains("1 there already, 1 whose names others have") == true, "\(text)")
        #expect(try await submit.run(["--to", "file,objstore"] + paths).end == .exited(0))
        for copy in try await submit.list("2") where copy.item.name != "IMG_1001.jpg" || copy.destination != "file" {
            let told = lines.first { $0.destination == copy.destination && $0.item?.name == copy.item.name }
            #expect(told?.remote_id == copy.remote_id, "\(copy)")
        }
    }

    @Test func `of the types is of those asked for`() async throws {
        let submit = Submit()
        let one = try await submit.run("types", "s3")
        #expect(
            one.lines.filter { !$0.hasPrefix(" ") }.count == 1 && one.lines.first?.hasPrefix("objstore") ?? false,
            "\(one)")
        let none = try await submit.run("types", "file", "objstor")
        #expect(none.out.isEmpty && none.err.contains("did you mean “objstore”?"), "\(none)")
    }

    @Test func `of the types shows what can be chosen`() async throws {
        let submit = Submit()
        let text = try await submit.run("types", "objstore")
        #expect(text.lines.contains { $0.hasPrefix("  album_as: ") && $0.contains("[prefix | bucket]") }, "\(text)")
        let json = try await submit.run("types", "--json")
        #expect(json.out.contains("\"values\":[\"prefix\",\"bucket\"]"), "\(json)")
    }

    @Test(arguments: [
        ("smb", "`submit destinations add NAME --type file path=/MOUNT/FOLDER`"), ("FTP", "--type rclone"),
        ("google-drive", "--type rclone"), ("gphotos", "“google-photos”"), ("nas", "“webdav”"),
    ])
    func `of a type by the name of what it leads to points at the way there`(_ name: String, _ way: String)
        async throws
    {
        let submit = Submit()
        for arguments in [["types", name], ["destinations", "add", name], ["--to", name, "x.jpg"]] {
            let run = try await submit.run(arguments)
            let isAnswered = run.err.contains(way) || run.err.contains("`submit destinations add \(name) --type ")
            #expect(run.end == .exited(2) && run.out == "" && isAnswered, "\(arguments): \(run)")
        }
    }

    @Test func `of submit alone is what there is, what waits and the next step`() async throws {
        let submit = Submit(endpoint: "http://127.0.0.1:1")
        let first = try await submit.run()
        #expect(first.end == .exited(0) && first.err == "", "\(first)")
        #expect(first.lines.contains { $0.hasPrefix("  file* [file] not tried yet") }, "\(first)")
        #expect(first.lines.last?.hasPrefix("Next: `submit destinations add NAME") == true, "\(first)")
        #expect(!FileManager.default.fileExists(atPath: submit.journal), "looking leaves nothing behind")
        let path = try Photos.make(1, in: submit.folder)[0]
        #expect(try await submit.run("--wait", "0", "--to", "file,objstore", path).end == .exited(3))
        let then = try await submit.run()
        #expect(then.lines.contains { $0.hasPrefix("  file* [file] ready: ") }, "\(then)")
        #expect(then.lines.contains { $0.hasPrefix("  objstore [objstore] on hold: ") }, "\(then)")
        #expect(then.out.contains("  file: 1 done ("), "\(then)")
        #expect(then.lines.last == "Next: `submit resume` sends what is waiting.", "\(then)")
        let json = try await submit.run("--json")
        #expect(json.lines.last?.contains("\"event\":\"overview\"") == true, "\(json)")
        #expect(json.out.contains("\"on_hold\":{") && json.out.contains("\"state\":\"ready\""), "\(json)")
        #expect(try await submit.run("--to", "file").end == .exited(2), "photos are missing")
    }

    @Test func `of a proof by reading back says so in the list`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        let paths = try Photos.make(2, in: submit.folder)
        #expect(try await submit.run("--verify", "readback", "--to", "objstore", paths[0]).end == .exited(0))
        #expect(try await submit.run("--to", "objstore", paths[1]).end == .exited(0))
        let list = try await submit.run("list")
        #expect(list.lines.map { $0.contains(" (read back)") } == [true, false], "\(list)")
        let json = try await submit.run("list", "--json")
        #expect(json.lines.map { $0.contains("\"verify\":\"readback\"") } == [true, false], "\(json)")
    }

    @Test func `of a run that sends other batches beside its own tells what came of them`() async throws {
        let store = GatedStore()
        let submit = Submit(endpoint: store.endpoint)
        try Photos.make(3, in: submit.folder)
        #expect(try await submit.run("--later", "--to", "file", submit.folder.path("photos")).end == .exited(0))
        let path = try Photos.make(1, in: submit.folder, "more")[0]
        let running = try submit.start("--json", "--to", "objstore", path)
        try #require(await store.waiting(1))
        try await until { try await submit.list("--to", "file").allSatisfy { $0.state == "done" } }
        store.open()
        let outcome = try await running.outcome()
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(
            outcome.lines.last?.contains(
                "\"others\":{\"batches\":[1],\"done\":3,\"failed\":0,\"skipped\":0,\"waiting\":0}") == true,
            "\(outcome)")
    }

    @Test func `of a verb behind its options says where it stands`() async throws {
        let run = try await Submit().run("--json", "resume")
        #expect(run.end == .exited(2) && run.err.contains("`submit resume …`"), "\(run)")
    }

    @Test func `of a run ends with its own batch, whatever else is owed`() async throws {
        let submit = Submit(endpoint: GatedStore(isOpen: true).endpoint)
        let paths = try Photos.make(2, in: submit.folder)
        let down = ["AWS_ENDPOINT_URL": "http://127.0.0.1:1"]
        #expect(try await submit.run(["--wait", "0", "--to", "objstore", paths[0]], env: down).end == .exited(3))
        let run = try await submit.run(["--wait", "60", "--to", "file", paths[1]], env: down)
        #expect(run.end == .exited(0), "what waits is another's: \(run)")
        #expect(run.out.contains("file: 1 done"), "\(run)")
    }

    @Test func `of --later names the batch to resume`() async throws {
        let submit = Submit()
        let path = try Photos.make(1, in: submit.folder)[0]
        let later = try await submit.run("--later", "--to", "file", path)
        #expect(later.end == .exited(0) && later.out.contains("`submit resume 1` goes on."), "\(later)")
        #expect(!FileManager.default.fileExists(atPath: submit.place))
        #expect(try await submit.run("resume", "1").end == .exited(0))
        #expect(try await FolderDigests.of(submit.place).count == 1)
    }

    /// As bash asks for them when Tab is pressed.
    @Test(arguments: [
        (["--to", "di"], ["disk", "file"]), (["--to", "disk,"], ["disk,file"]),
        (["destinations", "check", ""], ["disk"]),
        (["status", ""], ["1"]), (["audit", ""], ["1", "disk"]),
        (["destinations", "add", "x", "--type", ""], ["webdav"]),
        (["destinations", "edit", "disk", ""], ["template="]), (["recipes", "show", ""], ["immich"]),
        (["completions", ""], ["fish"]),
    ])
    func `for Tab is what there is just now`(_ typed: [String], _ wanted: [String]) async throws {
        let submit = Submit()
        try submit.configure("destinations:\n  disk: {type: file, path: \(submit.folder.path("disk"))}\n")
        let photo = try Photos.make(1, in: submit.folder)[0]
        #expect(try await submit.run("--later", "--to", "disk", photo).end == .exited(0))
        let script = try await submit.run("completions", "bash")
        let words = ["submit"] + typed
        let file = try submit.folder.write(
            """
            \(script.out)
            COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " ")))
            COMP_CWORD=\(words.count - 1)
            COMP_LINE="${COMP_WORDS[*]}"
            COMP_POINT=${#COMP_LINE}
            _submit_or_send submit "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """, to: "complete.bash")
        let path = URL(fileURLWithPath: Submit.program).deletingLastPathComponent().path
        let outcome = try await submit.run(
            [], env: ["PATH": "\(path):/usr/bin:/bin"], wrapper: ["bash", file])
        let offered = Set(outcome.lines.map { $0.trimmingCharacters(in: .whitespaces) })
        #expect(offered.isSuperset(of: wanted.filter { $0.hasPrefix(typed.last ?? "") }), "\(outcome)")
    }

    @Test func `of the version, the help and the types is on standard output`() async throws {
        let submit = Submit()
        let version = try await submit.run("--version")
        #expect(version.end == .exited(0) && version.err == "" && version.lines.count == 1, "\(version)")
        #expect(version.out.contains(/^\d+\.\d+\.\d+/), "\(version)")
        for arguments in [["--help"], ["help", "send"], ["cancel", "--help"], ["destinations", "add", "--help"]] {
            let help = try await submit.run(arguments)
            #expect(help.end == .exited(0) && help.err == "" && help.out.contains("USAGE"), "\(help)")
        }
        struct Kind: Decodable {
            struct Setting: Decodable {
                var name: String
                var secret: Bool
            }
            var type: String
            var settings: [Setting]
        }
        let types: [Kind] = try await submit.run("types", "--json").decoded()
        #expect(Set(types.map(\.type)).isSuperset(of: ["file", "objstore"]))
        let secrets = types.first { $0.type == "objstore" }?.settings.filter(\.secret).map(\.name)
        #expect(Set(secrets ?? []).isSuperset(of: ["access_key_id", "secret_access_key", "session_token", "password"]))
        let text = try await submit.run("types", "file", "objstore")
        #expect(text.out.contains("path: ") && text.out.contains("$AWS_SECRET_ACCESS_KEY"), "\(text)")
        let lines = try await submit.run("types").lines
        #expect(lines.count { $0.hasPrefix("objstore ") } == 1 && !lines.contains { $0.hasPrefix(" ") }, "\(lines)")
        // None of this makes a journal.
        #expect(!FileManager.default.fileExists(atPath: submit.journal))
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func `of completions is a script that the shell takes`(_ shell: String)
        async throws
    {
        let submit = Submit()
        let outcome = try await submit.run("completions", shell)
        #expect(outcome.end == .exited(0) && outcome.err == "", "\(outcome.err)")
        #expect(outcome.out.contains("destinations") && outcome.out.contains("on-conflict"))
        if shell == "bash" {
            try submit.folder.write(outcome.out, to: "completions")
            try await ChildProcess.output(of: ["bash", "-n", submit.folder.path("completions")])
        }
    }
}
