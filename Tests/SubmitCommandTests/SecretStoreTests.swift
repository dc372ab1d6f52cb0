import Foundation
import Submit
import SystemPackage
import TestServers
import Testing

@testable import SubmitCommand

/// A configuration folder of its own.
private struct Keys {
    let folder = TemporaryFolder()
    var environment: [String: String] = [:]

    static let canary = "c4n4ry-0f-th3-v4ult"

    /// Another one is as another process.
    func vault() -> Vault {
        let home = ["HOME": folder.path("home"), "XDG_CONFIG_HOME": folder.path("config")]
        return Vault(Places(environment: home.merging(environment) { $1 }))
    }

    func store(_ destination: String, set: [String: String] = [:]) -> VaultSecrets {
        VaultSecrets(destination, vault(), set: set, common: [:])
    }

    var path: String { folder.path("config/submit/secrets.yaml") }
    func text() throws -> String { try folder.text("config/submit/secrets.yaml") }

    func write(_ text: String) throws {
        try folder.folder("config/submit")
        try folder.write(text, to: "config/submit/secrets.yaml")
        chmod(path, 0o600)
    }
}

@Suite struct `Secrets in the file` {
    @Test func `are for their owner only, and those of others stay`() throws {
        let keys = Keys()
        try keys.vault().change("shop") { $0 = ["key": "other"] }
        try keys.vault().change("cloud") { $0["password"] = Keys.canary }
        #expect(try keys.vault().file.all() == ["shop": ["key": "other"], "cloud": ["password": Keys.canary]])
        for (path, mode) in [(keys.path, 0o600), (keys.folder.path("config/submit"), 0o700)] {
            var status = stat()
            #expect(stat(path, &status) == 0 && Int(status.st_mode & 0o777) == mode, "\(path)")
        }
        try keys.vault().change("cloud") { $0 = [:] }
        #expect(try keys.vault().file.all() == ["shop": ["key": "other"]])
    }

    @Test func `leave nothing of a process that was killed while it wrote them`() throws {
        let keys = Keys()
        try keys.vault().change("shop") { $0 = ["key": "one"] }
        // No process has such a number: it is above what the kernel gives.
        try keys.folder.write(Keys.canary, to: "config/submit/.secrets.yaml.4194305")
        try keys.folder.write("ours", to: "config/submit/.secrets.yaml.old")
        try keys.vault().change("shop") { $0 = ["key": "two"] }
        let names = try FileManager.default.contentsOfDirectory(atPath: keys.folder.path("config/submit"))
        #expect(names.filter { $0.hasPrefix(".secrets.yaml.") } == [".secrets.yaml.old"])
    }

    @Test func `changed by many at once are all there`() async throws {
        let keys = Keys()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await keys.store("d\(number % 4)").exclusively { secrets throws(SubmitFailure) in
                        secrets["k\(number)"] = "\(number)"
                        secrets["count"] = "\((Int(secrets["count"] ?? "") ?? 0) + 1)"
                    }
                }
            }
            try await group.waitForAll()
        }
        let all = try keys.vault().file.all()
        #expect(all.count == 4 && all.values.allSatisfy { $0.count == 11 && $0["count"] == "10" }, "\(all)")
    }

    @Test func `of one destination change in turn, those of others meanwhile, and all can be read`() async throws {
        let keys = Keys()
        try keys.vault().change("a") { $0 = ["token": "old"] }
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let slow = Task {
            try await keys.store("a").exclusively { secrets throws(SubmitFailure) in
                begin.yield()
                for await _ in ended { break }
                secrets["token"] = "new"
            }
        }
        for await _ in begun { break }
        try await keys.store("b").exclusively { secrets throws(SubmitFailure) in secrets["token"] = "b" }
        #expect(try await keys.store("a").read() == ["token": "old"])
        let waiting = Task {
            try await keys.store("a").exclusively { secrets throws(SubmitFailure) in secrets["token"] ?? "" }
        }
        let given = Task {
            try await keys.store("a").exclusively { _ throws(SubmitFailure) in }
        }
        given.cancel()
        let cancelled = await given.result
        #expect(throws: SubmitFailure.cancelled) { try cancelled.get() }
        end.yield()
        try await slow.value
        #expect(try await waiting.value == "new")
    }

    @Test func `stay as they are when changing them fails`() async throws {
        let keys = Keys()
        try keys.vault().change("a") { $0 = ["token": "old"] }
        let failure = await #expect(throws: SubmitFailure.self) {
            try await keys.store("a").exclusively { secrets throws(SubmitFailure) in
                secrets["token"] = "new"
                throw SubmitFailure(.renewCredentials, code: "x", "No.")
            }
        }
        #expect(failure?.code == "x")
        #expect(try await keys.store("a").read() == ["token": "old"])
    }

    @Test func `of a process that was killed can be changed at once`() async throws {
        let keys = Keys()
        try keys.vault().change("a") { $0 = ["token": "old"] }
        let lock = keys.folder.path("config/submit/.locks/destination-a")
        let holder = try ChildProcess(
            ["flock", lock, "sh", "-c", "echo held; sleep 600"], output: keys.folder.path("out"))
        while try keys.folder.text("out").isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        let change = Task {
            try await keys.store("a").exclusively { secrets throws(SubmitFailure) in secrets["token"] = "new" }
        }
        #expect(holder.isRunning)
        // With its child, which holds the lock too.
        kill(-holder.pid, SIGKILL)
        try await change.value
        #expect(try await keys.store("a").read() == ["token": "new"])
    }

    @Test func `that are set elsewhere go before them, and change for this process only`() async throws {
        let keys = Keys()
        try keys.vault().change("a") { $0 = ["token": "kept", "other": "o"] }
        let store = keys.store("a", set: ["token": "set"])
        #expect(try await store.read() == ["token": "set", "other": "o"])
        try await store.exclusively { secrets throws(SubmitFailure) in secrets["token"] = "changed" }
        #expect(try await store.read()["token"] == "changed")
        #expect(try await keys.store("a", set: ["token": "set"]).read()["token"] == "set")
        #expect(try await keys.store("a").read() == ["token": "changed", "other": "o"])
    }
}

@Suite struct `Secrets sealed with a passphrase` {
    /// Sealed once for all: that takes seconds in a debug build.
    private static let text = Result {
        let keys = Keys()
        try keys.vault().change("cloud") { $0 = ["password": Keys.canary] }
        try keys.vault().file.seal(with: Array("correct horse".utf8))
        return try keys.text()
    }

    private func sealed() throws -> Keys {
        var keys = Keys()
        try keys.write(Self.text.get())
        keys.environment[Passphrase.variable] = "correct horse"
        return keys
    }

    @Test func `are to be read and changed with it alone, and can be opened again`() throws {
        var keys = try sealed()
        #expect(try !keys.text().contains(Keys.canary) && !keys.text().contains("cloud"))
        try keys.vault().change("shop") { $0 = ["key": "k"] }
        #expect(try keys.vault().file.all() == ["shop": ["key": "k"], "cloud": ["password": Keys.canary]])
        #expect(try !keys.text().contains("shop") && keys.vault().file.isSealed)
        keys.environment[Passphrase.variable] = "wrong"
        let failure = #expect(throws: SubmitFailure.self) { try keys.vault().secrets(of: "cloud") }
        #expect(failure?.sentence.contains("The passphrase does not open \(keys.path)") == true)
        #expect(throws: SubmitFailure.self) { try keys.vault().change("cloud") { $0 = [:] } }
        keys.environment[Passphrase.variable] = "correct horse"
        try keys.vault().file.open()
        #expect(try keys.text().contains(Keys.canary) && !keys.vault().file.isSealed)
    }

    @Test func `are noticed when somebody changed them`() throws {
        let keys = try sealed()
        var lines = try keys.text().split(separator: "\n").map(String.init)
        let box = try #require(lines.firstIndex { $0.hasPrefix("box: ") })
        var characters = Array(lines[box])
        characters[20] = characters[20] == "A" ? "B" : "A"
        lines[box] = String(characters)
        try keys.write(lines.joined(separator: "\n"))
        #expect(throws: SubmitFailure.self) { try keys.vault().secrets(of: "cloud") }
    }

    @Test(arguments: [
        ("cost: 131072", "cost: 1073741824"), ("cost: 131072", "cost: 1000"), ("cost: 131072", "cost: 131071"),
        ("block_size: 8", "block_size: 4096"), ("parallelism: 1", "parallelism: 4000"), ("sealed: 1", "sealed: 2"),
        ("key: scrypt", "key: none"), ("salt: ", "salt: AA=="),
    ])
    func `ask for no more than can be borne`(before: String, after: String) throws {
        let keys = try sealed()
        let text = try keys.text()
        #expect(text.contains(before))
        try keys.write(text.replacing(before, with: after))
        let failure = #expect(throws: SubmitFailure.self) { try keys.vault().file.check() }
        #expect(failure?.sentence.contains("is not a list of destinations") == true)
    }

    @Test func `need no passphrase where none of them is needed, and say how to give it where one is`() async throws {
        let submit = Submit()
        try submit.configure(
            "destinations:\n  shop:\n    type: webdav\n    url: http://127.0.0.1:9/\n    user: alice\n")
        try submit.folder.write("shop:\n  password: \(Keys.canary)\n", to: "config/submit/secrets.yaml")
        chmod(submit.secrets, 0o600)
        let seal = try await submit.run(["secrets", "seal", "--stdin"], input: "correct horse\n")
        #expect(seal.end == .exited(0), "\(seal)")
        #expect(try !submit.folder.text("config/submit/secrets.yaml").contains(Keys.canary))
        let show = try await submit.run("secrets", "--json")
        #expect(show.out.contains(#""sealed":true"#), "\(show)")

        let photo = try Photos.make(1, in: submit.folder)[0]
        let file = try await submit.run("--to", "file", photo)
        #expect(file.end == .exited(0), "\(file)")
        let without = try await submit.run(["--to", "shop", photo], wrapper: ["setsid", "-w"])
        #expect(without.end == .exited(2), "\(without)")
        for words in ["There is no passphrase for \(submit.secrets)", "SUBMIT_PASSPHRASE", "passphrase_command"] {
            #expect(without.err.contains(words), "\(without)")
        }
        let with = try await submit.run(["destinations"], env: ["SUBMIT_PASSPHRASE": "correct horse"])
        #expect(with.out.contains("password=…") && !with.out.contains(Keys.canary), "\(with)")
        let text = try submit.folder.text("config/submit/config.yaml")
        try submit.configure(text + "passphrase_command: echo 'correct horse'\n")
        let opened = try await submit.run("secrets", "open")
        #expect(opened.end == .exited(0), "\(opened)")
        #expect(try submit.folder.text("config/submit/secrets.yaml").contains(Keys.canary))
    }
}

@Suite struct `A secret that a program prints` {
    private func line(
        _ command: String, _ environment: [String: String] = [:], life: Duration = .seconds(60)
    ) throws(SubmitFailure) -> String {
        let environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        guard let program = SecretProgram(command, environment: environment, life: life) else {
            throw .usage("no command")
        }
        return try program.firstLine(for: "“password_command” of “shop”")
    }

    @Test func `is its first line`() throws {
        #expect(try line("printf 's3 cret\\nuser: x\\n'") == "s3 cret")
        #expect(try line("printf s3cret") == "s3cret")
        #expect(try line("printf 's3cret\\r\\n'") == "s3cret")
        #expect(try line(#"sh -c "echo \"a  b\"""#) == "a  b")
    }

    @Test(arguments: [
        ("sh -c 'echo \(Keys.canary); exit 3'", "ended with 3"), ("printf ''", "no secret on its first line"),
        ("printf '\\n\(Keys.canary)'", "no secret on its first line"),
        ("no-such-program-of-the-tests x", "cannot be run"),
        ("sh -c 'kill -9 $$'", "the signal 9"), ("head -c 100000 /dev/zero", "too much"),
        ("sh -c 'printf \"\\\\377\"'", "no secret"),
    ])
    func `is none where the program fails, and nothing of it is shown`(command: String, words: String) throws {
        let failure = try #require(#expect(throws: SubmitFailure.self) { try line(command) })
        #expect(failure.sentence.contains(words), "\(failure)")
        #expect(failure.sentence.contains("“password_command” of “shop”") && !failure.sentence.contains(Keys.canary))
    }

    @Test func `is not waited for longer than its time`() throws {
        let failure = #expect(throws: SubmitFailure.self) { try line("sleep 600", life: .milliseconds(20)) }
        #expect(failure?.sentence.contains("longer than") == true)
    }

    @Test func `comes without our own secrets in its environment, and with no quote left open`() throws {
        #expect(
            try line("sh -c 'echo \"[$SUBMIT_SHOP_PASSWORD]$KEPT\"'", ["SUBMIT_SHOP_PASSWORD": "x", "KEPT": "k"])
                == "[]k")
        #expect(SecretProgram("pass show 'x", environment: [:]) == nil && SecretProgram(" ", environment: [:]) == nil)
    }

    @Test func `goes before what is kept, and behind the environment`() async throws {
        let submit = Submit()
        try submit.folder.folder("config/submit")
        try submit.folder.write("shop:\n  password: kept\n", to: "config/submit/secrets.yaml")
        chmod(submit.secrets, 0o600)
        let mark = submit.folder.path("mark")
        try submit.configure(
            """
            destinations:
              shop:
                type: webdav
                url: http://127.0.0.1:9/
                user: alice
                password_command: sh -c 'echo run >> \(mark); echo \(Keys.canary)'
            """)
        let places = Places(environment: submit.environment)
        func password(_ environment: [String: String] = [:]) throws -> String? {
            let catalog = try Session.catalog(Places(environment: places.environment.merging(environment) { $1 }))
            return try catalog.settings("shop", catalog.type(of: "shop")).secret("password")
        }
        #expect(try password() == Keys.canary)
        #expect(try password(["SUBMIT_SHOP_PASSWORD": "environment"]) == "environment")
        #expect(try password(["SUBMIT_SHOP_PASSWORD_COMMAND": "echo other"]) == "other")
        #expect(try submit.folder.text("mark") == "run\n")
        // Nobody asks for it where it is not needed.
        let photo = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run("--to", "file", photo)
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(try submit.folder.text("mark") == "run\n")
    }
}

@Suite(.fewAtOnce) struct `Secrets in the Secret Service` {
    private static let configuration =
        "destinations:\n  shop:\n    type: webdav\n    url: http://127.0.0.1:9/\n    user: alice\n"

    @Test func `are used from the file until they change, and told apart from those of others`() async throws {
        let server = try await KeyringServer()
        let submit = Submit(server.environment)
        try submit.configure(Self.configuration + "secrets: secret-service\n")
        try submit.folder.write("shop:\n  password: \(Keys.canary)\n", to: "config/submit/secrets.yaml")
        chmod(submit.secrets, 0o600)
        let file = try await submit.run("destinations", "list")
        #expect(file.out.contains("password=…"), "\(file)")
        // Another configuration has its own.
        let other = Submit(server.environment)
        try other.configure("secrets: secret-service\n")
        let add = [
            "destinations", "add", "shop", "--type", "webdav", "url=http://127.0.0.1:9/", "user=a",
            "--secrets-from-stdin",
        ]
        let added = try await other.run(add, input: "password=\(Keys.canary)\n")
        #expect(added.end == .exited(0), "\(added)")
        let removed = try await submit.run("destinations", "remove", "shop")
        #expect(removed.end == .exited(0), "\(removed)")
        #expect(try submit.folder.text("config/submit/secrets.yaml") == "{}\n")
        let list = try await other.run("destinations", "list")
        #expect(list.out.contains("password=…"), "\(list)")
    }

    @Test func `that cannot be had are told of, and no reason to go on without`() async throws {
        let server = try await KeyringServer()
        let submit = Submit(server.environment)
        try submit.configure("secrets: secret-service\n")
        let add = [
            "destinations", "add", "shop", "--type", "webdav", "url=http://127.0.0.1:9/", "user=a",
            "--secrets-from-stdin",
        ]
        let added = try await submit.run(add, input: "password=\(Keys.canary)\n")
        #expect(added.end == .exited(0), "\(added)")
        let photo = try Photos.make(1, in: submit.folder)[0]
        try await server.lock()
        let locked = try await submit.run("--to", "shop", photo)
        #expect(locked.end == .exited(2) && locked.err.contains("the keyring is locked"), "\(locked)")
        let file = try await submit.run("--to", "file", photo)
        #expect(file.end == .exited(0), "\(file)")
        try await server.stop()
        let gone = try await submit.run("--to", "shop", photo)
        #expect(gone.end == .exited(2) && gone.err.contains("The Secret Service cannot be used"), "\(gone)")
        let alone = try await submit.run("--to", "shop", photo, env: ["DBUS_SESSION_BUS_ADDRESS": ""])
        #expect(alone.end == .exited(2) && alone.err.contains("DBUS_SESSION_BUS_ADDRESS"), "\(alone)")
        let text = try submit.folder.text("config/submit/config.yaml")
        try submit.configure(text.replacing("secret-service", with: "auto"))
        let automatic = try await submit.run("secrets", "--json")
        #expect(automatic.out.contains(#""place":"file""#), "\(automatic)")
    }

    @Test func `of an earlier account do not come back when a later one goes`() async throws {
        let server = try await KeyringServer()
        let submit = Submit(server.environment)
        let add = [
            "destinations", "add", "shop", "--type", "webdav", "url=http://127.0.0.1:9/", "user=a",
            "--secrets-from-stdin",
        ]
        let added = try await submit.run(add, input: "password=\(Keys.canary)\n")
        #expect(added.end == .exited(0), "\(added)")
        // As by a login over ssh, where there is no desktop.
        try submit.folder.write("shop:\n  password: later\n", to: "config/submit/secrets.yaml")
        chmod(submit.secrets, 0o600)
        let removed = try await submit.run("destinations", "remove", "shop")
        #expect(removed.end == .exited(0), "\(removed)")
        try submit.configure(Self.configuration)
        let list = try await submit.run("destinations", "list")
        #expect(list.end == .exited(0) && !list.out.contains("password=…"), "\(list)")
    }

    @Test func `stay in the file where they stand in it`() async throws {
        let server = try await KeyringServer()
        let submit = Submit(server.environment)
        try submit.configure(Self.configuration)
        try submit.folder.write("shop:\n  password: before\n", to: "config/submit/secrets.yaml")
        chmod(submit.secrets, 0o600)
        let list = try await submit.run("destinations", "list")
        #expect(list.out.contains("password=…"), "\(list)")
        let removed = try await submit.run("destinations", "remove", "shop")
        #expect(removed.end == .exited(0), "\(removed)")
        #expect(try submit.folder.text("config/submit/secrets.yaml") == "{}\n")
    }

    @Test func `are used where there is one, unless the configuration says otherwise`() async throws {
        let server = try await KeyringServer()
        let submit = Submit(server.environment)
        let added = try await submit.run(
            [
                "destinations", "add", "shop", "--type", "webdav", "url=http://127.0.0.1:9/", "user=a",
                "--secrets-from-stdin",
            ],
            input: "password=\(Keys.canary)\n")
        #expect(added.end == .exited(0), "\(added)")
        #expect(!FileManager.default.fileExists(atPath: submit.secrets))
        let list = try await submit.run("destinations", "list")
        #expect(list.out.contains("password=…") && !list.out.contains(Keys.canary), "\(list)")
        let show = try await submit.run("secrets")
        #expect(show.out.contains("the Secret Service of this desktop"), "\(show)")
        let removed = try await submit.run("destinations", "remove", "shop")
        #expect(removed.end == .exited(0), "\(removed)")
        try submit.configure("secrets: secretservice\n")
        let wrong = try await submit.run("secrets")
        #expect(wrong.end == .exited(2) && wrong.err.contains("must be one of file, secret-service, auto"), "\(wrong)")
    }
}
