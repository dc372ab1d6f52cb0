import Foundation
import TestServers
import Testing

/// What others see of the processes of `submit`.
@Suite(.fewAtOnce) struct `A process with secrets` {
    private static let secrets = [
        "WEBDAV_PASSWORD": "env-p4ssw0rd-of-webdav", "SUBMIT_PASSPHRASE": "env-passphr4se-of-file",
        "SUBMIT_PLACE_TOKEN": "env-t0ken-of-another",
        "AWS_SECRET_ACCESS_KEY": "env-s3cret-access-key",
    ]

    @Test func `gives none of them to the programs that it starts, but its own to each`() async throws {
        let submit = Submit(Self.secrets)
        for name in ["printer", "home/.local/share/submit/plugins/submit-to-spy"] {
            let seen = submit.folder.path("seen-by-" + (name as NSString).lastPathComponent)
            let script = "#!/bin/sh\n{ env; tr '\\0' ' ' < /proc/$$/cmdline; } >> '\(seen)'\n"
            try submit.folder.folder((name as NSString).deletingLastPathComponent)
            try submit.folder.write(script + (name == "printer" ? "echo a-pr1nted-secret-word\n" : ""), to: name)
            chmod(submit.folder.path(name), 0o755)
        }
        try submit.configure(
            "secrets: file\ndestinations:\n  nas:\n    type: webdav\n    url: http://127.0.0.1:1/\n    user: anna\n"
                + "    password_command: \(submit.folder.path("printer"))\n")
        let path = try Photos.make(1, in: submit.folder)[0]
        _ = try await submit.run("types")
        let sent = try await submit.run("--wait", "0", "--to", "nas", path)
        let search = SecretSearch(Array(Self.secrets.values))
        let spied = try submit.folder.text("seen-by-submit-to-spy")
        #expect(spied.contains("submit-to-spy") && search.find(in: spied) == nil, "\(spied)")
        // The one that prints a secret is the user's own, as a shell would run it, and gets nothing that is ours.
        let printed = try submit.folder.text("seen-by-printer")
        let ours = Self.secrets.filter { $0.key.hasPrefix("SUBMIT_") }.map(\.value)
        #expect(printed.contains("printer") && SecretSearch(ours).find(in: printed) == nil, "\(sent) \(printed)")
    }

    @Test func `leaves no core file`() async throws {
        let (reached, reach) = AsyncStream.makeStream(of: Void.self)
        let server = ScriptedServer { connection in
            _ = connection.request()
            reach.yield()
            // It never answers.
            while connection.request() != nil {}
        }
        let submit = Submit(endpoint: server.endpoint)
        let path = try Photos.make(1, in: submit.folder)[0]
        let running = try submit.start(
            // Swift's backtracer would stop it and look at it first.
            ["--wait", "0", "--to", "objstore", path], env: ["SWIFT_BACKTRACE": "enable=no"], in: submit.folder.path,
            wrapper: ["/usr/bin/prlimit", "--core=unlimited"])
        for await _ in reached { break }
        let limits = try String(contentsOfFile: "/proc/\(running.child.pid)/limits", encoding: .utf8)
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") } ?? ""
        // One byte is none, also where a program collects them (core(5)).
        #expect(line.split(separator: " ").dropFirst(4).first == "1", "\(line)")
        running.child.signal(SIGABRT)
        let outcome = try await running.outcome()
        #expect(outcome.end == .killed(signal: SIGABRT), "\(outcome)")
        let names = try FileManager.default.contentsOfDirectory(atPath: submit.folder.path)
        #expect(!names.contains { $0.hasPrefix("core") }, "\(names)")
    }
}
