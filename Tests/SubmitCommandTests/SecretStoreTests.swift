import Foundation
import Submit
import SubmitConfiguration
import SystemPackage
import TestServers
import Testing

@testable import SubmitCommand

/// Of secrets that must be shown nowhere.
private let canary = "c4n4ry-0f-th3-v4ult"

@Suite struct `Secrets encrypted with a passphrase, for the command` {
    @Test func `need no passphrase where none of them is needed, and say how to give it where one is`() async throws {
        let submit = Submit()
        try submit.configure(
            "destinations:\n  shop:\n    type: webdav\n    url: http://127.0.0.1:9/\n    user: alice\n")
        try submit.folder.write("shop:\n  password: \(canary)\n", to: "config/submit/secrets.yaml")
        chmod(submit.secrets, 0o600)
        let seal = try await submit.run(["secrets", "encrypt", "--stdin"], input: "correct horse\n")
        #expect(seal.end == .exited(0), "\(seal)")
        #expect(try !submit.folder.text("config/submit/secrets.yaml").contains(canary))
        let show = try await submit.run("secrets", "--json")
        #expect(show.out.contains(#""encrypted":true"#), "\(show)")

        let again = try await submit.run(
            ["secrets", "encrypt"], env: ["SUBMIT_PASSPHRASE": "correct horse"], wrapper: ["setsid", "-w"])
        #expect(again.end == .exited(2), "\(again)")
        #expect(again.out.contains("encrypted already: it gets a new passphrase"), "\(again)")
        #expect(again.err.contains("no new passphrase") && again.err.contains("--stdin"), "\(again)")

        let photo = try Photos.make(1, in: submit.folder)[0]
        let file = try await submit.run("--to", "file", photo)
        #expect(file.end == .exited(0), "\(file)")
        let without = try await submit.run(["--to", "shop", photo], wrapper: ["setsid", "-w"])
        #expect(without.end == .exited(2), "\(without)")
        for words in ["There is no passphrase for \(submit.secrets)", "SUBMIT_PASSPHRASE", "passphrase_command"] {
            #expect(without.err.contains(words), "\(without)")
        }
        let with = try await submit.run(["destinations"], env: ["SUBMIT_PASSPHRASE": "correct horse"])
        #expect(with.out.contains("password=…") && !with.out.contains(canary), "\(with)")
        let text = try submit.folder.text("config/submit/config.yaml")
        try submit.configure(text + "passphrase_command: echo 'correct horse'\n")
        let opened = try await submit.run("secrets", "decrypt")
        #expect(opened.end == .exited(0), "\(opened)")
        #expect(try submit.folder.text("config/submit/secrets.yaml").contains(canary))
    }
}

@Suite struct `A secret that a program prints, for the command` {
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
                password_command: sh -c 'echo run >> \(mark); echo \(canary)'
            """)
        let places = AppPaths(environment: submit.environment)
        func password(_ environment: [String: String] = [:]) throws -> String? {
            let catalog = try Session.catalog(AppPaths(environment: places.environment.merging(environment) { $1 }))
            return try catalog.settings("shop", catalog.type(of: "shop")).secret("password")
        }
        #expect(try password() == canary)
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
        try submit.folder.write("shop:\n  password: \(canary)\n", to: "config/submit/secrets.yaml")
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
        let added = try await other.run(add, input: "password=\(canary)\n")
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
        let added = try await submit.run(add, input: "password=\(canary)\n")
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
        let added = try await submit.run(add, input: "password=\(canary)\n")
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
            input: "password=\(canary)\n")
        #expect(added.end == .exited(0), "\(added)")
        #expect(!FileManager.default.fileExists(atPath: submit.secrets))
        let list = try await submit.run("destinations", "list")
        #expect(list.out.contains("password=…") && !list.out.contains(canary), "\(list)")
        let show = try await submit.run("secrets")
        #expect(show.out.contains("the Secret Service of this desktop"), "\(show)")
        let removed = try await submit.run("destinations", "remove", "shop")
        #expect(removed.end == .exited(0), "\(removed)")
        try submit.configure("secrets: secretservice\n")
        let wrong = try await submit.run("secrets")
        #expect(wrong.end == .exited(2) && wrong.err.contains("must be one of file, secret-service, auto"), "\(wrong)")
    }
}
