import ArgumentParser
import Foundation
import TestServers
import Testing

@testable import SubmitCommand

/// What `--log`, `--trace` and `-v` write, and where.
@Suite(.fewAtOnce) struct `The log of a command` {
    /// A WebDAV server that is in trouble, sends back what it gets, and would like to write on the terminal.
    private static func echoing() -> ScriptedServer {
        ScriptedServer.answering { request in
            ScriptedServer.answer(
                request["Authorization"] == nil ? 401 : 500,
                ["WWW-Authenticate: Basic realm=\"x\"", "Set-Cookie: session=sidOfASession", "Content-Type: text/xml"],
                "<x>\u{1b}[31mno\nforged level</x>")
        }
    }

    private static func davConfiguration(_ server: ScriptedServer) -> String {
        "destinations:\n  nas:\n    type: webdav\n    url: \(server.endpoint)/dav/\n    user: alice\n    insecure: true\n"
    }

    @Test func `is taken by every verb`() throws {
        func verbs(_ type: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
            let below = type.configuration.subcommands
            return below.isEmpty ? [type] : below.flatMap(verbs)
        }
        let all = verbs(SubmitCommand.self)
        #expect(all.count > 30)
        #expect(all.filter { !($0 is any LoggedCommand.Type) }.map(String.init(describing:)) == [])
    }

    @Test func `of a failing server shows requests and answers, each on a line, with their attempt, and no secret`()
        async throws
    {
        let server = Self.echoing()
        let submit = Submit(["SUBMIT_NAS_PASSWORD": Submit.secret])
        try submit.configure(Self.davConfiguration(server))
        let photo = try Photos.make(1, in: submit.folder)[0]
        let log = submit.folder.path("log")
        let outcome = try await submit.run("--trace", "--log-file", log, "--wait", "0", "--to", "nas", photo)
        #expect(outcome.end == .exited(3), "\(outcome)")
        let text = try submit.folder.text("log")
        let lines = text.split(separator: "\n")
        #expect(
            lines.allSatisfy { $0.wholeMatch(of: /20\d\d-\d\d-\d\dT[\d:.]{12}Z (trace|debug|info) .*/) != nil },
            "\(text)")
        #expect(!text.contains("\u{1b}") && text.contains("\\u{1b}[31mno"), "\(text)")
        let answers = lines.filter { $0.contains("← 500 on") }
        #expect(
            !answers.isEmpty && answers.allSatisfy { $0.contains(" submission=1 destination=nas attempt=1") }, "\(text)"
        )
        #expect(text.contains("Authorization: …") && text.contains("Set-Cookie: …"), "\(text)")
        let encoded = Data("alice:\(Submit.secret)".utf8).base64EncodedString()
        for secret in [Submit.secret, encoded, "sidOfASession"] { #expect(!(text + outcome.err).contains(secret)) }
        #expect(text.contains("info destination on hold destination=nas"), "\(text)")
        let mode = try FileManager.default.attributesOfItem(atPath: log)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `of object storage shows no signature`() async throws {
        let server = ScriptedServer.answering { request in
            request.method == "PUT"
                ? ScriptedServer.answer(500, [], "<Error><Code>InternalError</Code></Error>")
                : ScriptedServer.answer(404)
        }
        let submit = Submit(endpoint: server.endpoint)
        let photo = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run("--trace", "--wait", "0", "--to", "objstore", photo)
        #expect(
            outcome.err.contains("→ ") && outcome.err.contains("Authorization: …")
                && outcome.err.contains("InternalError"), "\(outcome)")
        #expect(!outcome.err.contains("Signature=") && !outcome.err.contains(Submit.secret), "\(outcome)")
    }

    @Test func `leaves standard output alone, and is objects with --json`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run("--json", "--log", "debug", "--to", "file", photo)
        #expect(outcome.end == .exited(0))
        #expect(try outcome.decoded(Event.self).last?.event == "summary")
        #expect(outcome.troubles.count > 5)
        for line in outcome.troubles {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["time"] != nil && object?["level"] != nil && object?["message"] != nil, "\(line)")
        }
    }

    @Test func `that cannot be written is told before anything is done`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        for path in [submit.folder.path("none/log"), submit.folder.path("home")] {
            let outcome = try await submit.run("--log-file", path, "--to", "file", photo)
            #expect(outcome.end == .exited(2) && outcome.err.contains("“\(path)”"), "\(outcome)")
        }
        #expect(!FileManager.default.fileExists(atPath: submit.journal))
        let wrong = try await submit.run("--to", "file", photo, env: ["SUBMIT_LOG": "debgu"])
        #expect(wrong.end == .exited(2) && wrong.err.contains("debug"), "\(wrong)")
    }

    @Test func `that breaks later is told once, and nothing else fails`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run("--log", "debug", "--log-file", "/dev/full", "--to", "file", photo)
        #expect(
            outcome.end == .exited(0) && outcome.troubles.count == 1 && outcome.err.contains("/dev/full"), "\(outcome)")
    }

    @Test func `is asked for by the environment, too`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run(
            "--to", "file", photo, env: ["SUBMIT_LOG": "info:\(submit.folder.path("log"))"])
        #expect(outcome.end == .exited(0) && outcome.err == "")
        #expect(try submit.folder.text("log").contains(" info done batch=1 submission=1 destination=file attempt=1"))
        let quiet = try await submit.run("--to", "file", photo)
        #expect(quiet.err == "", "\(quiet)")
    }

    @Test func `is another thing than -v, which says of each failed attempt when it is tried again`() async throws {
        let submit = Submit(endpoint: "http://127.0.0.1:1")
        let photo = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run("-v", "--wait", "0", "--to", "objstore", photo)
        #expect(
            outcome.err.contains("attempt 1 failed (cannot-connect)")
                && outcome.err.contains("It is tried again at 20"), "\(outcome)")
        #expect(try await submit.run("-v", "-q", photo).end == .exited(2))
    }

    @Test func `shows what is said to a program that is a submitter, and what that one runs`() async throws {
        let submit = Submit()
        try submit.configure("destinations:\n  cmd:\n    type: command\n    run: 'sh -c \"cat >/dev/null\" {path}'\n")
        let photo = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run("--trace", "--to", "cmd", photo)
        #expect(
            outcome.err.contains("→ plug-in") && outcome.err.contains("\\\"message\\\":\\\"hello\\\""), "\(outcome)")
        let program = outcome.troubles.first { $0.contains("plug-in says") && $0.contains("program starts") }
        #expect(program?.contains("submission=1 destination=cmd attempt=1") == true, "\(outcome)")
    }
}

/// What `submit doctor` tells.
@Suite(.fewAtOnce) struct `The doctor` {
    private func object(_ outcome: Outcome) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(outcome.out.utf8)) as? [String: Any], "\(outcome)")
    }

    @Test func `finds an empty home well, and leaves it empty`() async throws {
        let submit = Submit()
        let outcome = try await submit.run("doctor")
        #expect(outcome.end == .exited(0), "\(outcome)")
        for part in ["machine", "libraries", "configuration", "programs", "journal", "checks"] {
            #expect(outcome.lines.contains(part))
        }
        #expect(outcome.lines.last == "No problem was found.", "\(outcome)")
        #expect(outcome.out.contains("libcurl: libcurl/") && outcome.out.contains("there is none yet"), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: submit.journal))
        #expect(try FileManager.default.contentsOfDirectory(atPath: submit.folder.path("home")) == [])
        let json = try object(try await submit.run("doctor", "--json", "--no-check"))
        #expect(json["well"] as? Bool == true && json["checks"] == nil && json["machine"] is [String: Any])
    }

    @Test func `tells settings and where secrets come from, and shows none`() async throws {
        let submit = Submit(["SUBMIT_NAS_PASSWORD": Submit.secret])
        try submit.configure(
            "destinations:\n  nas:\n    type: webdav\n    url: http://127.0.0.1:1/dav/\n    user: alice\n    insecure: true\n"
                + "network:\n  proxy: http://me:hunter2@127.0.0.1:1\n")
        let outcome = try await submit.run("doctor")
        #expect(outcome.end == .exited(1), "\(outcome)")
        #expect(
            outcome.out.contains("url: http://127.0.0.1:1/dav/")
                && outcome.out.contains("secret password: from SUBMIT_NAS_PASSWORD"), "\(outcome)")
        #expect(outcome.out.contains("nas: not ready"), "\(outcome)")
        #expect(outcome.lines.last?.hasSuffix(": see the lines with “!” above.") == true, "\(outcome)")
        #expect(!outcome.out.contains(Submit.secret) && !outcome.out.contains("hunter2"), "\(outcome)")
        #expect(!outcome.out.contains(submit.folder.path("home")), "\(outcome)")
    }

    @Test func `tells what is used, and not what would be if something else were not there`() async throws {
        let own = Submit([
            "SUBMIT_CLOUD_ACCESS_KEY_ID": "AK1AOFMYOWN", "AWS_SECRET_ACCESS_KEY": Submit.secret,
            "SUBMIT_CLOUD_BUCKET": "another",
        ])
        try own.configure("destinations:\n  cloud:\n    type: objstore\n    bucket: photos\n")
        let told = try await own.run("doctor", "--no-check")
        #expect(told.out.contains("secret access_key_id: from SUBMIT_CLOUD_ACCESS_KEY_ID"), "\(told)")
        #expect(told.out.contains("secret secret_access_key: from nowhere"), "a key's halves belong together: \(told)")
        #expect(told.out.contains("bucket: another (from SUBMIT_CLOUD_BUCKET)"), "\(told)")
        let common = Submit(["AWS_ACCESS_KEY_ID": "AK1AOFALL", "AWS_SECRET_ACCESS_KEY": Submit.secret])
        try common.configure("destinations:\n  cloud:\n    type: objstore\n    bucket: photos\n")
        let other = try await common.run("doctor", "--no-check")
        #expect(other.out.contains("secret secret_access_key: from AWS_SECRET_ACCESS_KEY"), "\(other)")
    }

    @Test func `goes on where the configuration is broken`() async throws {
        let submit = Submit()
        try submit.configure("destinations:\n  nas: [\n")
        let outcome = try await submit.run("doctor")
        #expect(
            outcome.end == .exited(1) && outcome.out.contains("  ! ") && outcome.out.contains("config.yaml:"),
            "\(outcome)")
        #expect(outcome.lines.contains("journal") && outcome.out.contains("libcurl: libcurl/"), "\(outcome)")
    }

    @Test func `looks at the journal, and finds a damaged one`() async throws {
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        #expect(try await submit.run("--to", "file", photo).end == .exited(0))
        let well = try object(try await submit.run("doctor", "--json", "--no-check"))
        let journal = try #require(well["journal"] as? [String: Any])
        #expect(
            journal["integrity"] as? String == "ok" && (journal["submissions"] as? [String: Int])?["done"] == 1,
            "\(journal)")
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: submit.journal + suffix) }
        try Data(repeating: 0x5a, count: 8192).write(to: URL(filePath: submit.journal))
        let outcome = try await submit.run("doctor", "--json")
        let damaged = try object(outcome)
        #expect(outcome.end == .exited(1) && damaged["well"] as? Bool == false)
        let troubles = (damaged["journal"] as? [String: Any])?["troubles"] as? [String]
        #expect(troubles?.count == 1, "\(outcome)")
        #expect(((damaged["checks"] as? [String: Any])?["file"] as? String)?.hasPrefix("ready") == true, "\(outcome)")
    }
}
