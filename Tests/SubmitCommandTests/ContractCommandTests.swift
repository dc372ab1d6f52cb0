import Foundation
import TestServers
import Testing

/// `submit contract`.
@Suite(.fewAtOnce) struct `The contract command` {
    /// A line of `submit contract --json`.
    private struct Line: Decodable {
        var event: String
        var id: String?
        var promise: String?
        var outcome: String?
        var message: String?
        var destination: String?
        var type: String?
        var origin: String?
        var kept: Int?
        var broken: Int?
        var not_tried: Int?
        var evidence: [String]?
        var resumes: String?
        var reads_back: Bool?
        var albums: Bool?
        var remains: [String]?
    }

    @Test func `tries a folder, and leaves what is there as it was`() async throws {
        let submit = Submit()
        try submit.folder.folder("place/Summer")
        try submit.folder.write("mine", to: "place/Summer/photo.jpg")
        let outcome = try await submit.run("contract", "file", "--json")
        #expect(outcome.end == .exited(0) && outcome.err.isEmpty, "\(outcome)")
        let lines = try outcome.decoded(Line.self)
        #expect(lines.dropLast().allSatisfy { $0.event == "promise" && $0.id != nil && $0.promise != nil })
        #expect(lines.first?.id == "facts-agree" && lines.first?.promise == "facts and facets agree")
        #expect(lines.dropLast().allSatisfy { $0.outcome == "kept" || $0.outcome == "not-tried" && $0.message != nil })
        let card = try #require(lines.last)
        #expect(card.event == "card" && card.destination == "file" && card.type == "file" && card.origin == "built-in")
        #expect(card.broken == 0 && card.kept ?? 0 > 40 && (card.kept ?? 0) + (card.not_tried ?? 0) == lines.count - 1)
        #expect(card.evidence == ["verified"] && card.resumes == "no" && card.reads_back == true && card.albums == true)
        #expect(card.remains == [])
        #expect(try await FolderDigests.of(submit.place).keys.sorted() == ["Summer/photo.jpg"])
        #expect(try submit.names() == ["Summer"])
    }

    @Test func `tries what is not configured, and only what is asked for`() async throws {
        let submit = Submit()
        let place = submit.folder.path("elsewhere")
        let outcome = try await submit.run(
            "contract", "card", "--type", "file", "--set", "path=\(place)", "--set", "jobs=2", "--only", "Presence",
            "--only", "facts-agree")
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(
            outcome.lines.prefix(2) == ["✓ facts and facets agree", "✓ presence is told apart from absence"],
            "\(outcome)")
        #expect(
            outcome.lines.contains { $0.hasSuffix("card") } && outcome.lines.contains("  broken       0"), "\(outcome)")
        #expect(try submit.names(in: place).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: submit.journal))
    }

    @Test func `says which promise is broken, and why`() async throws {
        let submit = Submit()
        let outcome = try await submit.run(
            "contract", "odd", "--type", "file", "--set", "path=\(submit.place)",
            "--set", "template={stem}-{sha256:8}.{ext}", "--only", "next name")
        #expect(outcome.end == .exited(1), "\(outcome)")
        #expect(
            outcome.lines.first?.hasPrefix("✗ other bytes with the name stay, and the item takes the next name: ")
                ?? false)
        #expect(try submit.names().isEmpty, "\(outcome)")
    }

    @Test func `tries nothing where names are not its own`() async throws {
        let submit = Submit()
        try submit.folder.folder("place")
        try submit.folder.write("mine", to: "place/2024-05-17.jpg")
        let outcome = try await submit.run(
            "contract", "dated", "--type", "file", "--set", "path=\(submit.place)", "--set",
            "template={year}-{month}-{day}.{ext}")
        #expect(outcome.end == .exited(2) && outcome.err.contains("has neither {name} nor {stem}"), "\(outcome)")
        #expect(try String(contentsOfFile: submit.place + "/2024-05-17.jpg", encoding: .utf8) == "mine")
    }

    @Test(arguments: ["1 bytes", "an empty album"])
    func `leaves no folder that a path made`(_ promise: String) async throws {
        let submit = Submit()
        try submit.folder.folder("place/2024")
        let outcome = try await submit.run(
            "contract", "dated", "--type", "file", "--set", "path=\(submit.place)", "--set",
            "template={year}/{month}/{name}", "--only", promise)
        #expect(outcome.end == .exited(0) && outcome.lines.contains("  remains      nothing"), "\(outcome)")
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: submit.place).sorted() == [".submit-folder", "2024"])
    }

    @Test func `names a cause once for all the promises that were not tried`() async throws {
        let submit = Submit()
        let outcome = try await submit.run(
            "contract", "shelf", "--type", "command", "--set", #"run=sh -c 'cat "$0" >/dev/null; echo there'"#,
            "--only",
            "album", "--only", "opener")
        let untried = outcome.lines.filter { $0.hasPrefix("– ") }
        let line = "– 2 promises not tried, because it has no albums (album, album-many-openers)"
        #expect(untried == [line], "\(outcome)")
    }

    @Test func `gives up a promise that comes to no end`() async throws {
        let submit = Submit()
        let outcome = try await submit.run(
            "contract", "slow", "--type", "command", "--set", #"run=sh -c 'test -s "$0" || sleep 3600'"#,
            "--only", "item of 0 bytes", "--limit", "3s")
        #expect(outcome.end == .exited(1), "\(outcome)")
        #expect(outcome.lines.first?.hasSuffix("it came to no end within 3s (--limit)") ?? false, "\(outcome)")
        let first = try await submit.run(
            "contract", "stuck", "--type", "command", "--set", "run=sh -c 'sleep 3600'", "--limit", "1s")
        #expect(first.end == .exited(2) && first.err.contains("A first sample came to no end within 1s"), "\(first)")
        #expect(first.err.contains("it begins with “submit-contract-"), "\(first)")
    }

    @Test func `has a destination fail by a command, and has it mended`() async throws {
        let submit = Submit()
        let away = submit.folder.path("away")
        func contract(_ faults: String, only: String) async throws -> Outcome {
            try await submit.run(
                "contract", "shelf", "--type", "command", "--set",
                #"run=sh -c 'test ! -e "\#(away)" || exit 69; cat "$0" >/dev/null; echo there'"#, "--faults", faults,
                "--only", only)
        }
        let making =
            #"sh -c 'case $0 in unreachable) touch "\#(away)" ;; none) rm -f "\#(away)" ;; *) exit 64 ;; esac'"#
        let kept = try await contract(making, only: "that cannot be reached")
        #expect(
            kept.end == .exited(0) && kept.lines.first == "✓ a place that cannot be reached is waited for", "\(kept)")
        #expect(!FileManager.default.fileExists(atPath: away))
        let unknown = try await contract(making, only: "that is full")
        let missing =
            "not tried, because nothing makes the fault “full” there; give --faults a command for that"
        #expect(unknown.lines.first?.contains(missing) ?? false, "\(unknown)")
        let whichever = try await contract(making, only: "whichever reply")
        #expect(
            whichever.lines.first?.hasSuffix("its requests cannot be made to fail one by one") ?? false, "\(whichever)")
        let failing = try await contract("sh -c 'test $0 = none || { echo no way >&2; exit 1; }'", only: "that is full")
        #expect(failing.end == .exited(1) && failing.out.contains("the fault “full”: no way: mend it"), "\(failing)")
        for (useless, words) in [
            ("sh -c 'echo no way >&2; exit 1'", "the fault “none”: no way: mend it"),
            ("/nowhere/faults", "/nowhere/faults"),
            ("sh -c 'exit 64'", "has to be able to end all faults"),
        ] {
            let outcome = try await contract(useless, only: "that is full")
            #expect(outcome.end == .exited(2) && outcome.err.contains(words) && outcome.out.isEmpty, "\(outcome)")
        }
        let senseless = try await contract("sh -c 'exit", only: "that is full")
        #expect(senseless.end == .exited(2) && senseless.err.contains("is no command"), "\(senseless)")
    }

    @Test func `says in one sentence that a destination cannot be reached`() async throws {
        let submit = Submit(endpoint: "http://127.0.0.1:1")
        let outcome = try await submit.run("contract", "objstore")
        #expect(outcome.end == .exited(3) && outcome.out.isEmpty && outcome.troubles.count == 1, "\(outcome)")
        #expect(outcome.err.contains("127.0.0.1:1") && outcome.err.contains("cannot be reached"), "\(outcome)")
    }

    @Test func `refuses what makes no sense`() async throws {
        let submit = Submit()
        try submit.configure("destinations:\n  disk:\n    type: file\n    path: /tmp/nowhere-at-all\n    create: no\n")
        for (arguments, words) in [
            (["disk", "--set", "path=/tmp"], "There is a destination “disk” already"),
            (["disk"], "The folder “/tmp/nowhere-at-all” is not there"),
            (["fiel"], "file"),
            (["card", "--type", "file", "--set", "pth=/tmp"], "“pth” is not a setting of file"),
            (["card", "--type", "file", "--set", "jobs=many"], "“card” was not tried"),
            (["cloud", "--type", "s3", "--set", "secret_access_key=x"], "is a secret"),
            (["file", "--only", "no such words"], "No promise has"),
        ] {
            let outcome = try await submit.run(["contract"] + arguments)
            #expect(outcome.end == .exited(2) && outcome.err.contains(words) && outcome.out.isEmpty, "\(outcome)")
        }
    }

    @Test func `tidies up when it is interrupted`() async throws {
        // Over a network, so that it has long not come to its end by then.
        let server = try await NginxDAVServer()
        let place = WebDAVPlace(server)
        let running = try place.submit.start("contract", "webdav")
        try await until { try running.output().contains("bytes arrives whole") || !running.child.isRunning }
        running.child.signal(SIGINT)
        let outcome = try await running.outcome()
        #expect(outcome.end == .exited(130) && outcome.out.contains("  remains      nothing"), "\(outcome)")
        #expect(outcome.err == "submit: interrupted.\n")
        #expect(try await place.digests().isEmpty)
        await server.remove()
    }

    @Test func `tries a WebDAV server that anybody may have`() async throws {
        let place = WebDAVPlace(try await WebDAVPlace.apache())
        let outcome = try await place.submit.run(["contract", "webdav", "--json"], within: 300)
        #expect(outcome.end == .exited(0) && outcome.err.isEmpty, "\(outcome)")
        let lines = try outcome.decoded(Line.self)
        #expect(lines.filter { $0.outcome == "broken" }.isEmpty, "\(outcome)")
        let card = try #require(lines.last)
        #expect(card.resumes == "yes" && card.remains == [] && card.kept ?? 0 > 40, "\(outcome)")
        #expect(try await place.digests().keys.sorted() == [])
    }

    @Test func `tries an object storage`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        let outcome = try await submit.run(["contract", "objstore", "--json"], within: 300)
        let lines = try outcome.decoded(Line.self)
        #expect(lines.filter { $0.outcome == "broken" }.isEmpty)
        #expect(outcome.end == .exited(0) && outcome.err.isEmpty, "\(outcome)")
        let card = try #require(lines.last)
        #expect(
            card.resumes == "yes" && card.evidence?.contains("verified") ?? false && card.remains == []
                && card.kept ?? 0 > 40, "\(outcome)")
        #expect(try await bucket.objects().isEmpty)
        // Of an object that came in parts, Swift removes the parts when it likes (`allow_async_delete` of its SLO).
    }
}
