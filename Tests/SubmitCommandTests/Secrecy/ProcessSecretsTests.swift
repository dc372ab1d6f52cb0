import Foundation
import SubmitConcurrency
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
        let seen = submit.folder.path("seen")
        let script = "#!/bin/sh\n{ env; echo \"$0 $@\"; tr '\\0' ' ' < /proc/$$/cmdline; } >> '\(seen)'\n"
        for name in ["printer", "home/.local/share/submit/plugins/submit-to-spy"] {
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
        let text = try submit.folder.text("seen")
        #expect(text.contains("printer") && text.contains("submit-to-spy"), "\(sent) \(text)")
        // The programs that print secrets are the user's own, and get what is not ours.
        let other = text.split(separator: "\n").filter { !$0.hasPrefix("WEBDAV_PASSWORD=") && !$0.hasPrefix("AWS_") }
        #expect(SecretSearch(Array(Self.secrets.values)).find(in: other.joined(separator: "\n")) == nil)
    }

    @Test func `leaves no core file`() async throws {
        let reached = Locked(false)
        let server = ScriptedServer { connection in
            _ = connection.request()
            reached.withLock { $0 = true }
            // It never answers.
            while connection.request() != nil {}
        }
        let submit = Submit(endpoint: server.endpoint)
        let path = try Photos.make(1, in: submit.folder)[0]
        let running = try submit.start(
            ["--wait", "0", "--to", "objstore", path], in: submit.folder.path,
            wrapper: ["/usr/bin/prlimit", "--core=unlimited"])
        while !reached.withLock({ $0 }), running.child.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        let limits = try String(contentsOfFile: "/proc/\(running.child.pid)/limits", encoding: .utf8)
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") } ?? ""
        // One byte is none, also where a program collects them (core(5)).
        #expect(line.split(separator: " ").dropFirst(4).first == "1", "\(line)")
        running.child.signal(SIGABRT)
        _ = try await running.outcome()
        let names = try FileManager.default.contentsOfDirectory(atPath: submit.folder.path)
        #expect(!names.contains { $0.hasPrefix("core") }, "\(names)")
    }
}
