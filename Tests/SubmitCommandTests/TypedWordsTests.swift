import Foundation
import TestServers
import Testing

/// Commands in which a word is no path, or a path is meant as a destination.
@Suite struct TypedWordsTests {
    /// Nothing says where `file` is.
    private static let unset = ["env", "-u", "SUBMIT_FILE_PATH"]

    private func run(_ submit: Submit, _ arguments: [String]) async throws -> Outcome {
        try await submit.run(arguments, in: submit.folder.path, wrapper: Self.unset)
    }

    /// Nothing was sent to the default folder.
    private func isUntouched(_ submit: Submit) -> Bool {
        !FileManager.default.fileExists(atPath: submit.folder.path("home/Submitted"))
    }

    @Test func `a folder before an empty folder is not copied to the default folder`() async throws {
        let submit = Submit()
        try Photos.make(2, in: submit.folder, "trip")
        try submit.folder.folder("usb")
        let refused = try await run(submit, ["trip", "usb"])
        #expect(refused.end == .exited(2) && refused.err.contains("`submit --to ./usb trip`"), "\(refused)")
        #expect(refused.err.contains("`submit --to file trip ./usb`"), "\(refused)")
        try submit.folder.write("no photo", to: "usb/read me.txt")
        #expect(try await run(submit, ["trip", "usb"]).end == .exited(2))
        #expect(isUntouched(submit))
        #expect(try await run(submit, ["--to", "./usb", "trip"]).end == .exited(0))
        #expect(try submit.names(in: submit.folder.path("usb")).count == 3)
    }

    @Test func `a folder before the folder of a destination is not copied to the default folder`() async throws {
        let submit = Submit()
        try Photos.make(1, in: submit.folder, "trip")
        try Photos.make(1, in: submit.folder, "nas", prefix: "OLD_")
        try submit.configure("destinations: {tower: {type: file, path: \(submit.folder.path("nas"))}}\n")
        let known = try await run(submit, ["trip", submit.folder.path("nas")])
        #expect(known.end == .exited(2) && known.err.contains("`submit --to tower trip`"), "\(known)")
        // The destination of another journal has left its mark.
        try submit.configure("")
        try submit.folder.write("x", to: "nas/.submit-folder")
        let marked = try await run(submit, ["trip", "nas"])
        #expect(marked.end == .exited(2) && marked.err.contains("`submit --to ./nas trip`"), "\(marked)")
        #expect(isUntouched(submit))
    }

    @Test func `a script may send two folders of photos`() async throws {
        let submit = Submit()
        try Photos.make(1, in: submit.folder, "one")
        try Photos.make(1, in: submit.folder, "two", prefix: "TWO_", seed: 2)
        let sent = try await run(submit, ["one", "two"])
        #expect(sent.end == .exited(0) && sent.out.contains("file: 2 done"), "\(sent)")
        // Somebody has decided where photos go.
        try submit.configure("default: file\n")
        try submit.folder.folder("empty")
        #expect(try await run(submit, ["one", "empty"]).end == .exited(0))
        #expect(try await run(submit, ["missing", "one"]).end == .exited(2))
        #expect(try await run(submit, ["one", "./missing"]).end == .exited(1))
    }

    @Test func `somebody at a terminal is asked before two folders are sent`() async throws {
        let submit = Submit()
        let one = try submit.folder.folder("one")
        let two = try submit.folder.folder("two")
        try Photos.make(1, in: submit.folder, "one")
        try Photos.make(1, in: submit.folder, "two", prefix: "TWO_", seed: 2)
        let talk = try Conversation(submit, one, two, unsetting: ["SUBMIT_FILE_PATH"])
        try await talk.type("2", to: "Number")
        #expect(await talk.end() == .exited(0), "\(talk.text)")
        #expect(try submit.names(in: submit.folder.path("home/Submitted")).count == 2)
    }

    @Test func `nothing is sent if the last path does not exist and no destination is named`() async throws {
        let submit = Submit()
        let photos = try Photos.make(2, in: submit.folder)
        let refused = try await run(submit, photos + ["/mnt/nass"])
        #expect(refused.end == .exited(2) && refused.err.contains("“/mnt/nass” does not exist"), "\(refused)")
        #expect(refused.err.contains("`submit --to /mnt/nass \(photos[0]) \(photos[1])`"), "\(refused)")
        #expect(refused.err.contains("`submit --to file \(photos[0]) \(photos[1])`"), "\(refused)")
        let other = try await run(submit, ["./gone.jpg"] + photos)
        #expect(other.end == .exited(2) && other.err.contains("Nothing was sent"), "\(other)")
        #expect(!other.err.contains("mount"), "\(other)")
        #expect(isUntouched(submit))
        // A destination is named, so the others are meant for it.
        let named = try await run(submit, ["--to", "file", "./gone.jpg"] + photos)
        #expect(named.end == .exited(1) && named.out.contains("file: 2 done"), "\(named)")
    }

    @Test(
        arguments: [
            ("check", "`submit destinations check`"), ("add", "`submit destinations add`"),
            ("where", "`submit list`"), ("man", "`submit --help`"), ("manual", "`submit --help`"),
            ("docs", "`submit --help`"), ("nightly", "--nightly"), ("remove", "`submit destinations remove NAME`"),
            ("frobnicate", "`submit --help` lists the commands"),
        ])
    func `a wrong command sends nothing of what follows it`(word: String, advice: String) async throws {
        let submit = Submit()
        try Photos.make(1, in: submit.folder, "nas")
        let refused = try await run(submit, [word, "nas"])
        #expect(refused.end == .exited(2) && refused.err.contains(advice), "\(refused)")
        #expect(isUntouched(submit))
    }

    @Test func `the name of a destination is not sent as the folder beside it`() async throws {
        let submit = Submit()
        try Photos.make(1, in: submit.folder, "nas")
        try Photos.make(1, in: submit.folder, "trip", seed: 3)
        try submit.configure("destinations: {nas: {type: file, path: \(submit.folder.path("tower"))}}\n")
        let alone = try await run(submit, ["nas"])
        #expect(alone.end == .exited(2) && alone.err.contains("`submit --to file ./nas`"), "\(alone)")
        let last = try await run(submit, ["trip", "nas"])
        #expect(last.end == .exited(2) && last.err.contains("`submit --to nas trip`"), "\(last)")
        #expect(isUntouched(submit))
        #expect(try await run(submit, ["--to", "nas", "nas"]).end == .exited(0))
    }

    @Test func `a name with a slash that is a destination and a folder is refused with both spellings`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        try submit.folder.folder("dav")
        try submit.configure("destinations:\n  dav: {type: file, path: \(submit.folder.path("server"))}\n")
        let refused = try await run(submit, ["--to", "dav/", photo])
        #expect(refused.end == .exited(2), "\(refused)")
        #expect(refused.err.contains("`--to dav`") && refused.err.contains("`--to ./dav`"), "\(refused)")
        #expect(!(try submit.folder.text("config/submit/config.yaml")).contains("dav2"))
        #expect(try await run(submit, ["--to", "./dav", photo]).end == .exited(0))
        #expect(try submit.names(in: submit.folder.path("dav")).count == 1)
        #expect(try await run(submit, ["destinations", "remove", "dav/"]).end == .exited(0))
    }

    @Test func `a refusal of many paths names a few of them`() async throws {
        let submit = Submit()
        let photos = try Photos.make(40, in: submit.folder, "shoot")
        try submit.folder.folder("nas")
        let refused = try await run(submit, photos + ["nas"])
        #expect(refused.end == .exited(2) && refused.err.contains("(38 more)"), "\(refused)")
        #expect(refused.err.contains("… (38 more) ./nas`"), "\(refused)")
        #expect(!refused.err.contains("IMG_1030"), "\(refused)")
    }

    @Test func `a new destination that gets nothing is not kept`() async throws {
        let submit = Submit()
        try submit.folder.folder("nas")
        let missing = try await run(submit, ["--to", "./nas", "./gone.jpg"])
        #expect(missing.end == .exited(1) && !missing.err.contains("Added"), "\(missing)")
        let photo = try Photos.make(1, in: submit.folder)[0]
        try submit.folder.write("a file", to: "file")
        let impossible = try await run(submit, ["--yes", "--to", submit.folder.path("file/below"), photo])
        #expect(impossible.end == .exited(2) && impossible.err.contains("no destination was added"), "\(impossible)")
        #expect(!FileManager.default.fileExists(atPath: submit.folder.path("config/submit/config.yaml")))
    }

    @Test(
        arguments: [
            (["nas4", "path=/x"], "`submit destinations add nas4 --type file path=/x`"),
            (["nas4", "url=https://u:p@h/", "user=x"], "`submit destinations add nas4 --type webdav url=… …`"),
        ])
    func `a destination without a type is answered with the type that its settings suggest`(
        arguments: [String], advice: String
    ) async throws {
        let refused = try await Submit().run(["destinations", "add"] + arguments)
        #expect(refused.end == .exited(2) && refused.err.contains(advice), "\(refused)")
    }

    @Test func `other words for editing and removing a destination work, and a wrong one is named`() async throws {
        let submit = Submit()
        let folder = submit.folder.path("nas")
        try submit.configure("destinations:\n  nas:\n    type: file\n    path: \(folder)\n")
        #expect(try await submit.run("destinations", "change", "nas", "jobs=2").end == .exited(0))
        let wrong = try await submit.run("destinations", "chekc", "nas")
        #expect(wrong.end == .exited(2) && wrong.err.contains("“destinations” has no command “chekc”"), "\(wrong)")
        #expect(wrong.err.contains("did you mean “check”") && !wrong.err.contains("Usage"), "\(wrong)")
        let removed = try await submit.run("destinations", "rm", "nas")
        #expect(removed.end == .exited(0) && removed.out.contains("Its copies stay in \(folder)"), "\(removed)")
    }

    @Test func `bash adds no slash to the name of a destination`() async throws {
        let submit = Submit()
        try submit.folder.folder("nas")
        try submit.configure("destinations:\n  nas: {type: file, path: \(submit.folder.path("nas"))}\n")
        let script = try await submit.run("completions", "bash")
        for (words, isName) in [
            (["--to", "n"], true), (["audit", "n"], true), (["--to", "./n"], false), (["photo", "n"], false),
        ] {
            let file = try submit.folder.write(
                """
                compopt() { echo "compopt $*"; }
                \(script.out)
                COMP_WORDS=(submit \(words.joined(separator: " ")))
                COMP_CWORD=\(words.count)
                COMP_LINE="${COMP_WORDS[*]}"
                COMP_POINT=${#COMP_LINE}
                _submit_or_send submit "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """, to: "complete.bash")
            let path = URL(fileURLWithPath: Submit.program).deletingLastPathComponent().path
            let outcome = try await submit.run(
                [], env: ["PATH": "\(path):/usr/bin:/bin"], in: submit.folder.path, wrapper: ["bash", file])
            #expect(outcome.out.contains("compopt +o filenames") == isName, "\(words): \(outcome)")
            if words[1] == "./n" { #expect(outcome.out.contains("./nas"), "\(outcome)") }
        }
    }
}
