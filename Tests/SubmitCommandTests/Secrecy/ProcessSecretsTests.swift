import Foundation
import TestServers
import Testing

/// What others see of the processes of `submit`.
@Suite(.fewAtOnce) struct `A process with secrets` {
    private static let secrets = [
        "WEBDAV_PASSWORD": "env-p4ssw0rd-of-webdav", "SUBMIT_PLACE_TOKEN": "env-t0ken-of-another",
        "AWS_SECRET_ACCESS_KEY": "env-s3cret-access-key", "AWS_ACCESS_KEY_ID": "env-4ccess-key-id",
        "AWS_SESSION_TOKEN": "env-sessi0n-token", "OS_PASSWORD": "env-p4ssword-of-openstack",
        "RCLONE_CONFIG_PASS": "env-p4ss-of-rclone", "GITHUB_PAT": "env-p4t-of-github",
        "DATABASE_URL": "postgres://me:env-p4ssw0rd@db/", "STRIPE_SK": "env-sk-of-a-sh0p",
    ]

    /// A program that writes down what it sees, for each kind of program that we start, and what starts it.
    private static let kinds: [(kind: String, prints: String)] = [
        ("password", "a-pr1nted-secret-word"), ("passphrase", "a-pr1nted-passphrase"), ("submit-to-spy", ""),
        ("run", ""), ("rclone", ""), ("git-annex-remote-spy", ""), ("git", ""), ("faults", ""),
        ("key", #"{"Version":1,"AccessKeyId":"AKIDPRINTED","SecretAccessKey":"a-pr1nted-secret-key"}"#),
    ]

    @Test func `gives none of them to any program that it starts, but its own to each`() async throws {
        let submit = Submit(Self.secrets)
        func seen(_ kind: String) -> String { submit.folder.path("seen-by-\(kind)") }
        for (kind, prints) in Self.kinds {
            let script = "#!/bin/sh\n{ env; tr '\\0' ' ' < /proc/$$/cmdline; } >> '\(seen(kind))'\n"
            try submit.folder.folder("bin")
            try submit.folder.write(script + (prints.isEmpty ? "exit 1\n" : "echo '\(prints)'\n"), to: "bin/\(kind)")
            chmod(submit.folder.path("bin/\(kind)"), 0o755)
        }
        let bin = submit.folder.path("bin")
        let photo = try Photos.make(1, in: submit.folder)[0]
        try submit.configure(
            """
            secrets: file
            passphrase_command: \(bin)/passphrase
            environment:
              password: [STRIPE_SK]
              submit-to-rclone: TZ_OF_RCLONE
            destinations:
              nas: {type: webdav, url: "http://127.0.0.1:1/", user: anna, password_command: \(bin)/password}
              any: {type: command, run: \(bin)/run}
              cloud: {type: rclone, remote: "x:y", program: \(bin)/rclone}
              vault: {type: git-annex, externaltype: \(bin)/git-annex-remote-spy, config: "a=b"}
              shop: {type: objstore, endpoint: "http://127.0.0.1:1", bucket: b, profile: p}
            """)
        try submit.folder.folder("home/.aws")
        try submit.folder.write("[profile p]\ncredential_process = \(bin)/key\n", to: "home/.aws/config")
        let path = ["PATH": "\(bin):\(submit.environment["PATH"] ?? "")", "TZ_OF_RCLONE": "Mars"]
        _ = try await submit.run("secrets", "encrypt", env: path)
        _ = try await submit.run("types", env: path)
        _ = try await submit.run("doctor", env: path)
        _ = try await submit.run("contract", "any", "--faults", "\(bin)/faults", env: path)
        let sent = try await submit.run("--wait", "0", "--to", "nas,any,cloud,vault,shop", photo, env: path)
        for (kind, _) in Self.kinds {
            let text = try submit.folder.text("seen-by-\(kind)")
            // What the user passes to one it gets, and nobody else; rclone gets the setting that opens its own file.
            let own = ["password": "STRIPE_SK", "rclone": "RCLONE_CONFIG_PASS"][kind]
            let withheld = Self.secrets.filter { $0.key != own }
            #expect(text.contains("bin/\(kind)") && text.contains("HOME="), "\(kind) did not run: \(sent) \(text)")
            #expect(SecretSearch(Array(withheld.values)).find(in: text) == nil, "\(kind): \(text)")
            #expect(text.contains(Self.secrets["STRIPE_SK"] ?? "") == (kind == "password"), "\(kind): \(text)")
            #expect(text.contains("TZ_OF_RCLONE=Mars") == (kind == "rclone"), "\(kind): \(text)")
        }
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
