import Foundation
import TestServers
import Testing

/// `submit destinations`.
@Suite(.fewAtOnce) struct `The destinations` {
    private static let configuration = """
        # My destinations.
        default: archive   # the safe one

        destinations:
          # The big disk.
          archive:
            type: file
            path: /srv/photos   # mounted by hand
            create: no

          # Nothing below this line.
        # The end.

        """

    @Test func `are added and removed without touching what stands there`() async throws {
        let submit = Submit()
        try submit.configure(Self.configuration)
        let added = try await submit.run(
            "destinations", "add", "card", "--type", "file", "path=/var/it's here", "jobs=2")
        #expect(added.end == .exited(0) && added.out.contains("Added “card”"), "\(added)")
        let text = try submit.folder.text("config/submit/config.yaml")
        for line in Self.configuration.split(separator: "\n") { #expect(text.contains(line), "\(text)") }
        let list = try await submit.run("destinations", "list")
        #expect(list.lines.contains { $0.hasPrefix("card [file] ") && $0.contains("path=/var/it's here") }, "\(list)")
        #expect(list.lines.contains { $0.hasPrefix("archive* [file] ") }, "\(list)")
        let twice = try await submit.run("destinations", "add", "card", "--type", "file", "path=/tmp")
        #expect(twice.end == .exited(2) && twice.err.contains("There is a destination “card” already"), "\(twice)")
        let removed = try await submit.run("destinations", "remove", "card")
        #expect(removed.end == .exited(0), "\(removed)")
        #expect(try submit.folder.text("config/submit/config.yaml") == Self.configuration)
    }

    @Test func `are none whose secrets would be those of another`() async throws {
        let submit = Submit()
        try submit.configure("destinations:\n  my.cloud:\n    type: file\n    path: /a\n")
        let twin = try await submit.run("destinations", "add", "My-cloud", "--type", "file", "path=/b")
        #expect(twin.end == .exited(2) && twin.err.contains("(SUBMIT_MY_CLOUD_…)"), "\(twin)")
        try submit.configure(
            "destinations:\n  my.cloud:\n    type: file\n    path: /a\n  my-cloud:\n    type: file\n    path: /b\n")
        let listed = try await submit.run("destinations", "list")
        #expect(listed.out.components(separatedBy: "rename one of them").count == 3, "\(listed)")
        let both = try await submit.run("--to", "my.cloud", "x.jpg")
        #expect(both.end == .exited(2) && both.err.contains("rename one of them"), "\(both)")
    }

    @Test func `have paths that mean the same from everywhere`() async throws {
        let submit = Submit()
        let relative = try await submit.run("destinations", "add", "disk", "--type", "file", "path=photos")
        #expect(relative.end == .exited(2) && relative.err.contains("must begin with “/” or “~/”"), "\(relative)")
        let home = try await submit.run("destinations", "add", "disk", "--type", "file", "path=~/photos")
        #expect(home.end == .exited(0), "\(home)")
        let list = try await submit.run("destinations", "list")
        #expect(list.out.contains("path=\(submit.folder.path("home"))/photos"), "\(list)")
    }

    @Test func `keep the comments of others when one of them goes`() async throws {
        let submit = Submit()
        try submit.configure(
            "destinations:\n  # First.\n  one:\n    type: file\n    path: /a\n"
                + "  # Second.\n  two:\n    type: file\n    path: /b\n"
        )
        #expect(try await submit.run("destinations", "remove", "one").end == .exited(0))
        let text = try submit.folder.text("config/submit/config.yaml")
        #expect(
            text.contains("  # Second.\n  two:\n    type: file\n    path: /b\n") && !text.contains("one:"), "\(text)")
        let list = try await submit.run("destinations", "list")
        #expect(list.end == .exited(0) && list.out.contains("two [file]") && !list.out.contains("one ["), "\(list)")
    }

    @Test func `are begun where there is no configuration, for their owner alone`() async throws {
        let submit = Submit()
        let input = "access_key_id=KEY\nsecret_access_key=\(Submit.secret)\n"
        let added = try await submit.run(
            [
                "destinations", "add", "cloud", "--type", "s3", "--secrets-from-stdin", "bucket=photos",
                "endpoint=http://127.0.0.1:1",
            ],
            input: input)
        #expect(added.end == .exited(0), "\(added)")
        #expect(!(added.out + added.err).contains(Submit.secret))
        #expect(try !submit.folder.text("config/submit/config.yaml").contains(Submit.secret))
        #expect(try submit.folder.text("config/submit/secrets.yaml").contains(Submit.secret))
        let modes = try await ChildProcess.output(
            of: ["find", submit.folder.path("config"), "-mindepth", "1", "-perm", "/077", "-print"])
        #expect(modes == "")
        let list = try await submit.run("destinations", "list", "--json")
        #expect(!list.out.contains(Submit.secret) && list.out.contains("\"destination\":\"cloud\""), "\(list)")
        let text = try await submit.run("destinations")
        #expect(!text.out.contains(Submit.secret), "\(text)")
        #expect(try await submit.run("destinations", "remove", "cloud").end == .exited(0))
        #expect(try !submit.folder.text("config/submit/secrets.yaml").contains(Submit.secret))
    }

    @Test func `are not added when they could not be used`() async throws {
        let submit = Submit()
        let outcome = try await submit.run("destinations", "add", "here", "--type", "file", "path=relative")
        #expect(outcome.end == .exited(2) && outcome.troubles.count == 1, "\(outcome)")
        #expect(outcome.err.contains("must begin with “/” or “~/”"), "\(outcome)")
        #expect(try await !submit.run("destinations", "list").lines.contains { $0.hasPrefix("here") })
    }

    @Test func `that cannot be made are refused with what is wrong, and nothing of lines that were never written`()
        async throws
    {
        let submit = Submit()
        func refusal(_ settings: String..., input: String? = nil) async throws -> String {
            let outcome = try await submit.run(
                ["destinations", "add", "cloud", "--type", "objstore"] + (input == nil ? [] : ["--secrets-from-stdin"])
                    + settings, input: input)
            #expect(outcome.end == .exited(2) && outcome.out == "" && outcome.troubles.count == 1, "\(outcome)")
            #expect(outcome.err.hasPrefix("submit: ") && !outcome.err.contains(submit.configuration), "\(outcome)")
            #expect(!FileManager.default.fileExists(atPath: submit.configuration))
            return outcome.err
        }
        #expect(
            try await refusal("bucket=b", "jobs=many")
                == "submit: “cloud” was not added: “jobs” must be a whole number, not “many”.\n")
        #expect(
            try await refusal("bucket=b", "endpoint=example.com")
                == "submit: “cloud” was not added: “endpoint” must begin with http:// or https://.\n")
        #expect(try await refusal("bucket=b", "profile=nowhere").contains("there is no profile “nowhere”"))
        let secrets = "Secrets are asked for on a terminal, or read as KEY=VALUE lines with --stdin: "
        let keys = try await refusal("bucket=b")
        #expect(keys.hasSuffix(secrets + "access_key_id, secret_access_key.\n"), "\(keys)")
        #expect(!keys.contains("destinations add"), "that is what was done: \(keys)")
        let password = try await refusal(
            "api=swift", "auth_type=v1password", "auth_url=http://127.0.0.1:1/auth/v1.0", "username=a:b", "bucket=b")
        #expect(password.hasSuffix(secrets + "password.\n"), "\(password)")
        let one = try await refusal("bucket=b", input: "access_key_id=KEY\n")
        #expect(one.hasSuffix(secrets + "secret_access_key.\n"), "\(one)")
        #expect(
            try await refusal("bucket=b", input: "\(Submit.secret)\n")
                == "submit: Line 1 of the secrets is not KEY=VALUE.\n")
    }

    @Test func `get their secrets without the blanks around them`() async throws {
        let submit = Submit()
        let added = try await submit.run(
            ["destinations", "add", "cloud", "--type", "objstore", "--secrets-from-stdin", "bucket=b"],
            input: "\n access_key_id = KEY \r\nsecret_access_key =\t\(Submit.secret)=\n")
        #expect(added.end == .exited(0), "\(added)")
        let text = try submit.folder.text("config/submit/secrets.yaml")
        #expect(
            text.contains("access_key_id: KEY\n") && text.contains("secret_access_key: \(Submit.secret)=\n"), "\(text)")
    }

    @Test func `are not removed while they are owed something, unless that is wanted`() async throws {
        let submit = Submit()
        try submit.configure("destinations:\n  disk:\n    type: file\n    path: \(submit.folder.path("disk"))\n")
        let path = try Photos.make(1, in: submit.folder)[0]
        #expect(try await submit.run("--later", "--to", "disk", path).end == .exited(0))
        let refused = try await submit.run("destinations", "remove", "disk")
        #expect(
            refused.end == .exited(2) && refused.err.contains("1 submission for “disk” still waiting: "), "\(refused)")
        #expect(refused.err.contains("`submit cancel --to disk`") && refused.err.contains("--force"), "\(refused)")
        #expect(try submit.folder.text("config/submit/config.yaml").contains("disk:"))
        let forced = try await submit.run("destinations", "remove", "--force", "disk")
        #expect(forced.end == .exited(0) && forced.out.contains("1 submission for it waiting"), "\(forced)")
        #expect(try !submit.folder.text("config/submit/config.yaml").contains("disk:"))

        let status = try await submit.run("status")
        #expect(status.out.contains("disk: “disk” is not configured here: "), "\(status)")
        #expect(try await submit.run("cancel", "--to", "disk").end == .exited(0))
        #expect(try await !submit.run("status").out.contains("configured"))
    }

    @Test func `are ready once they were tried as they are configured now`() async throws {
        let submit = Submit()
        let folder = submit.folder.path("disk")
        try submit.configure("destinations:\n  disk:\n    type: file\n    path: \(folder)\n")
        func line() async throws -> String {
            let list = try await submit.run("destinations", "list")
            return list.lines.first { $0.hasPrefix("disk ") } ?? "\(list)"
        }
        #expect(try await line().hasPrefix("disk [file] not tried yet (`submit destinations check disk`): path="))
        #expect(try await submit.run("destinations", "check", "disk").end == .exited(0))
        #expect(try await line() == "disk [file] ready: path=\(folder)")
        let json = try await submit.run("destinations", "--json")
        #expect(
            json.lines.first?.contains("\"ready\":true,\"rendition\":\"original\",\"state\":\"ready\"") == true,
            "\(json)")
        try submit.configure("destinations:\n  disk:\n    type: file\n    path: \(folder)2\n")
        #expect(try await line().hasPrefix("disk [file] not tried yet"), "that is another folder")
        let text = try await submit.run("destinations")
        #expect(text.lines.last?.hasPrefix("could be added: ") == true, "\(text)")
        #expect(text.lines.last?.contains("dropbox, ") == true && text.lines.count < 5, "\(text)")
    }

    @Test func `are checked, and nothing is left there`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        try submit.folder.folder("place")
        let fine = try await submit.run("destinations", "check", "file", "objstore")
        #expect(fine.end == .exited(0) && fine.lines.count == 2, "\(fine)")
        #expect(fine.out.contains("file: The folder “\(submit.place)” can be written to"), "\(fine)")
        #expect(
            fine.out.contains("objstore: The bucket “\(bucket.name)” at \(bucket.server.endpoint) is there."), "\(fine)"
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: submit.place).isEmpty)
        #expect(try await bucket.objects().isEmpty)

        let wrong = try await submit.run(
            "destinations", "check", "--json", "objstore", env: ["AWS_SECRET_ACCESS_KEY": Submit.secret])
        #expect(wrong.end == .exited(1) && wrong.lines.count == 1, "\(wrong)")
        #expect(wrong.out.contains("\"ready\":false") && wrong.out.contains("access key"), "\(wrong)")
        #expect(!(wrong.out + wrong.err).contains(Submit.secret))
        let missing = try await submit.run(
            "destinations", "check", "objstore", env: ["S3_BUCKET": "no-such-\(bucket.name)"])
        #expect(missing.end == .exited(1) && missing.out.contains("is not there: check its name"), "\(missing)")
    }

    @Test func `who is public is shown, and what they get; what is no rendition is told with its line`() async throws {
        let submit = Submit()
        let folder = submit.folder.path("disk")
        func lines(_ settings: String) async throws -> (out: [String], err: String) {
            try submit.configure(
                "destinations:\n  disk:\n    type: file\n    path: \(folder)\n"
                    + settings.split(separator: "\n").map { "    \($0)\n" }.joined())
            let listed = try await submit.run("destinations")
            return (listed.lines, listed.out + listed.err)
        }
        for (settings, words) in [
            ("visibility: public", "public, place removed,"),
            (
                "rendition: { strip: all, keep: [date, copyright] }",
                "private, all metadata removed but copyright, date,"
            ),
            ("visibility: public\nrendition: original", "public, the original,"),
        ] {
            let shown = try await lines(settings).out.first
            #expect(shown?.hasPrefix("disk [file] \(words)") == true, "\(shown ?? "")")
        }
        for (settings, why) in [
            ("rendition: strip=gsp", "config.yaml:5: “gsp” is nothing that can be stripped"),
            (
                "rendition: { strip: gps, kepe: date }",
                "config.yaml:5: “kepe=date” is no part of a rendition (did you mean “keep”?)"
            ),
            (
                "rendition: { write: [creator] }",
                "config.yaml:5: The creator is to be written into photos, and nobody says"
            ),
            ("visibility: Public", "config.yaml:5: “Public” is no visibility: take public or private."),
        ] {
            #expect(try await lines(settings).err.contains(why), "\(settings)")
        }
        try submit.configure("default: file\n")
        let added = try await submit.run(
            "destinations", "add", "site", "--type", "file", "path=\(folder)", "visibility=public",
            "rendition=strip=all")
        #expect(added.end == .exited(0), "\(added)")
        let edited = try await submit.run("destinations", "edit", "site", "rendition=", "visibility=private")
        #expect(edited.end == .exited(0), "\(edited)")
        #expect(try await submit.run("destinations").lines.contains { $0.hasPrefix("site [file] not tried") })
        let wrong = try await submit.run("destinations", "edit", "site", "rendition=strip")
        #expect(wrong.end == .exited(2) && wrong.err.contains("“strip” is no part of a rendition"), "\(wrong)")
    }
}
