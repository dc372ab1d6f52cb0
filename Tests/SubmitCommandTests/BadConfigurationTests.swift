import Foundation
import TestServers
import Testing

/// Arguments, configuration and secrets that cannot be used: each time one sentence, and nothing begun.
@Suite(.fewAtOnce) struct `Refused before anything begins` {
    /// What a run says of a configuration.
    private func sentence(_ configuration: String, _ arguments: [String] = ["--to", "file", "x.jpg"]) async throws
        -> String
    {
        let submit = Submit()
        try submit.configure(configuration)
        let outcome = try await submit.run(arguments)
        #expect(outcome.end == .exited(2), "\(outcome)")
        #expect(outcome.out == "" && outcome.troubles.count == 1, "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: submit.place))
        let place = "submit: \(submit.configuration):"
        #expect(outcome.err.hasPrefix(place), "\(outcome)")
        return String(outcome.err.dropFirst(place.count))
    }

    @Test func `an unknown destination, with the one that was meant`() async throws {
        let outcome = try await Submit().run("--to", "file,objstor", "x.jpg")
        #expect(outcome.end == .exited(2))
        #expect(
            outcome.err
                == "submit: There is no destination “objstor” (did you mean “objstore”?). `submit destinations` "
                + "lists them.\n")
    }

    @Test func `a destination that is not set up, with how to do that`() async throws {
        let outcome = try await Submit().run("--to", "objstore", "x.jpg")
        #expect(outcome.end == .exited(2))
        #expect(
            outcome.troubles.count == 1 && outcome.err.contains("submit destinations add NAME --type objstore"),
            "\(outcome)")
    }

    @Test func `an unknown key, with the one that was meant`() async throws {
        let sentence = try await sentence(
            """
            destinations:
              cloud:
                type: objstore
                buckt: photos
            """, ["--to", "cloud", "x.jpg"])
        #expect(sentence.hasPrefix("4: “buckt” is not a key of the destination “cloud” (did you mean “bucket”?)"))
    }

    @Test func `an unknown section`() async throws {
        let sentence = try await sentence("# first\ndestination:\n  file:\n    path: /tmp\n")
        #expect(sentence.hasPrefix("2: “destination” is not a key of the file (did you mean “destinations”?)"))
    }

    /// Its programs would run as us, and our photos go where it says.
    @Test(arguments: [0o666, 0o620] as [mode_t])
    func `a configuration that others can write to, with what to do`(_ mode: mode_t) async throws {
        let submit = Submit()
        let ran = submit.folder.path("ran")
        try submit.configure(
            "destinations:\n  cloud:\n    type: webdav\n    url: https://127.0.0.1:1/\n    user: alice\n"
                + "    password_command: touch \(ran)\n")
        chmod(submit.configuration, mode)
        let refused =
            "submit: \(submit.configuration) is not obeyed: it can be written to by others; `chmod go-w` it if you trust "
            + "what is in it.\n"
        let sent = try await submit.run("--to", "cloud", "x.jpg")
        #expect(sent.end == .exited(2) && sent.err == refused, "\(sent)")
        chmod(submit.configuration, 0o644)
        chmod(submit.folder.path("config/submit"), 0o777)
        let replaceable = try await submit.run("destinations", "check", "cloud")
        #expect(replaceable.end == .exited(2), "\(replaceable)")
        #expect(replaceable.err.contains("is not obeyed: its folder can be written to by others"), "\(replaceable)")
        #expect(!FileManager.default.fileExists(atPath: ran))
        chmod(submit.folder.path("config/submit"), 0o755)
        _ = try await submit.run("destinations", "check", "cloud")
        #expect(FileManager.default.fileExists(atPath: ran))
    }

    @Test func `a recipe that others can write to: it says where secrets go`() async throws {
        let submit = Submit()
        let recipe = try submit.folder.write("service: none\n", to: "own.yaml")
        try submit.configure("destinations:\n  own:\n    type: oauth-http\n    recipe: \(recipe)\n")
        chmod(recipe, 0o646)
        let sent = try await submit.run("--to", "own", "x.jpg")
        #expect(sent.end == .exited(2) && sent.troubles.count == 1, "\(sent)")
        #expect(sent.err.contains("“\(recipe)”, which is not obeyed: it can be written to by others"), "\(sent)")
    }

    @Test func `YAML that is none`() async throws {
        #expect(try await sentence("destinations:\n  file:\n    path: \"/tmp\n").hasPrefix("4:"))
        #expect(try await sentence("destinations:\n\tfile:\n").hasPrefix("2:"))
    }

    @Test func `a value of the wrong type`() async throws {
        #expect(
            try await sentence("destinations:\n  file:\n    path: /tmp\n    jobs: many\n")
                == "4: “jobs” must be a whole number, not “many”.\n")
        #expect(
            try await sentence("destinations:\n  file:\n    create: perhaps\n")
                == "3: “create” must be true or false, not “perhaps”.\n")
        #expect(
            try await sentence(
                "destinations:\n  objstore:\n    endpoint: example.com\n", ["--to", "objstore", "x.jpg"]
            )
            .hasPrefix("3: “endpoint” must begin"))
        #expect(
            try await sentence("destinations:\n  file:\n    path:\n      - /tmp\n")
                == "3: “path” must have one value.\n")
        #expect(try await sentence("destinations: [file]\n").hasPrefix("1: “destinations” must be"))
        #expect(
            try await sentence("network:\n  stall_timeout: soon\n")
                == "2: “stall_timeout” must be a number of seconds from 1 to 86400.\n")
    }

    @Test func `an unknown type and an unknown default`() async throws {
        #expect(try await sentence("destinations:\n  a:\n    type: fil\n", ["--to", "a", "x.jpg"]).hasPrefix("3: "))
        #expect(
            try await sentence("default: [file, nowhere]\n", ["x.jpg"]).hasPrefix(
                "1: There is no destination “nowhere”"))
    }

    @Test func `a secret in the configuration, without showing it`() async throws {
        let sentence = try await sentence(
            "destinations:\n  objstore:\n    bucket: b\n    secret_access_key: \(Submit.secret)\n",
            ["--to", "objstore", "x.jpg"])
        #expect(sentence.hasPrefix("4: “secret_access_key” is a secret and must not stand here: put it into "))
        #expect(!sentence.contains(Submit.secret))
    }

    @Test func `only what is asked for, whatever else the configuration says`() async throws {
        let submit = Submit()
        let shown = try await submit.run("recipes", "show", "immich")
        try #require(shown.end == .exited(0), "\(shown)")
        let recipe = try submit.folder.write(
            shown.out.replacing("{{ asset.id }}", with: "{{ nosuch.id }}"), to: "fault.yaml")
        try submit.configure(
            """
            default: [file, nowhere]
            destinations:
              fault: {type: oauth-http, recipe: \(recipe), server: https://photos.example}
              absent: {type: oauth-http, recipe: \(submit.folder.path("none.yaml"))}
              cloud: {type: objstore, buckt: photos, jobs: many}
              strange: {type: fil}
              my.disk: {type: file, path: /a}
              my-disk: {type: file, path: /b}
            """)
        let photo = try Photos.make(1, in: submit.folder)[0]
        let sent = try await submit.run("--to", "file", photo)
        #expect(sent.end == .exited(0) && sent.err == "", "\(sent)")
        for (name, line) in [("fault", 3), ("absent", 4), ("cloud", 5), ("strange", 6), ("my.disk", 7), ("my-disk", 8)]
        {
            let refused = try await submit.run("--to", name, photo)
            #expect(refused.end == .exited(2), "\(refused)")
            #expect(refused.err.hasPrefix("submit: \(submit.configuration):\(line): "), "\(refused)")
        }
        let fault = try await submit.run("--to", "fault", photo)
        #expect(fault.err.contains("nosuch") && !fault.err.contains("is not a key"), "\(fault.err)")
    }

    @Test func `a key that stands there twice`() async throws {
        let sentence = try await sentence(
            "destinations:\n  file:\n    path: /tmp\n  objstore:\n    bucket: b\n    bucket: c\n")
        #expect(sentence.contains("the key “bucket” stands there twice"))
        #expect(sentence.hasPrefix("4:") || sentence.hasPrefix("5:") || sentence.hasPrefix("6:"), "\(sentence)")
    }

    @Test func `a configuration that is a folder or not UTF-8`() async throws {
        let submit = Submit()
        try submit.folder.folder("config/submit/config.yaml")
        let folder = try await submit.run("--to", "file", "x.jpg")
        #expect(folder.end == .exited(2) && folder.troubles.count == 1, "\(folder)")
        #expect(folder.err.contains("\(submit.configuration) cannot be read"), "\(folder)")
        let other = Submit()
        try other.configure("")
        try other.folder.write([0x66, 0xff, 0xfe, 0x0a], to: "config/submit/config.yaml")
        let bytes = try await other.run("--to", "file", "x.jpg")
        #expect(bytes.end == .exited(2) && bytes.troubles.count == 1, "\(bytes)")
        #expect(bytes.err.contains("\(other.configuration) cannot be read"), "\(bytes)")
    }

    @Test(arguments: [0o644, 0o640, 0o604]) func `secrets that others may read`(_ mode: Int) async throws {
        let submit = Submit()
        try submit.configure("")
        try submit.folder.write("objstore:\n  secret_access_key: \(Submit.secret)\n", to: "config/submit/secrets.yaml")
        chmod(submit.secrets, mode_t(mode))
        let outcome = try await submit.run("--to", "file", "x.jpg")
        #expect(outcome.end == .exited(2) && outcome.troubles.count == 1, "\(outcome)")
        #expect(outcome.err.contains("\(submit.secrets) can be read by others: run `chmod 600"), "\(outcome)")
        #expect(!outcome.err.contains(Submit.secret))
    }

    @Test(arguments: [
        "- a\n", "objstore: text-\(Submit.secret)\n", "objstore: {a: [\n", "a: {b: {c: \(Submit.secret)}}\n",
    ])
    func `secrets that are no secrets file, without showing them`(_ text: String) async throws {
        let submit = Submit()
        try submit.configure("")
        try submit.folder.write(text, to: "config/submit/secrets.yaml")
        chmod(submit.secrets, 0o600)
        let outcome = try await submit.run("--to", "file", "x.jpg")
        #expect(outcome.end == .exited(2) && outcome.troubles.count == 1, "\(outcome)")
        #expect(outcome.err.contains("\(submit.secrets) is not a list of destinations"), "\(outcome)")
        #expect(!outcome.err.contains(Submit.secret))
    }

    @Test(arguments: [
        ["send"], ["--no-such-option", "x.jpg"], ["--jobs", "0", "x.jpg"], ["--jobs", "x", "x.jpg"],
        ["--wait", "-1", "x.jpg"],
        ["--on-conflict", "perhaps", "x.jpg"], ["cancel"], ["cancel", "nowhere"], ["completions", "tcsh"],
        ["completions"],
        ["resume", "99"], ["resume", "x"], ["status", "99"], ["pause", "nowhere"], ["resume", "--to", "nowhere"],
        ["cancel", "--to", "nowhere"], ["retry", "--to", "nowhere"], ["destinations", "remove", "nowhere"],
        ["destinations", "check", "nowhere"], ["destinations", "add", "bad name"], ["destinations", "add", "nonesuch"],
        ["destinations", "add", "x", "--type", "file", "pth=/tmp"],
        ["destinations", "add", "x", "--type", "file", "path"],
        ["destinations", "add", "x", "--type", "objstore", "secret_access_key=\(Submit.secret)"], [""],
        ["--to", "", ""],
        ["--to", "file", ""],
    ])
    func `usage that makes no sense`(_ arguments: [String]) async throws {
        let submit = Submit()
        let outcome = try await submit.run(arguments)
        #expect(outcome.end == .exited(2), "\(outcome)")
        #expect(outcome.err.hasPrefix("submit: ") && outcome.out == "", "\(outcome)")
        #expect(!outcome.err.contains(Submit.secret))
        #expect(!FileManager.default.fileExists(atPath: submit.place))
    }
}
