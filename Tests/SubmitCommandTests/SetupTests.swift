import Foundation
import TestServers
import Testing

/// `submit setup`, `destinations add`, `edit` and `rename`, with somebody at the terminal.
@Suite struct SetupTests {
    @Test func `asks for a folder and a WebDAV server, proves both, and leaves nothing there`() async throws {
        let server = try await WebDAVPlace.nginx()
        let (user, password) = (try #require(server.user), try #require(server.password))
        let submit = Submit()
        let folder = submit.folder.path("archive")
        let talk = try Conversation(submit, "setup")
        try await talk.type("1", to: "Number")
        try await talk.type("photos", to: "Which folder")
        // What cannot be is told, and asked again.
        try await talk.type(folder, to: "must begin with")
        try await talk.type("", to: "Number [1]")
        try await talk.type("", to: "called [disk]")
        try await talk.type("", to: "sample picture")
        try await talk.type("y", to: "another one?")
        try await talk.type("3", to: "Number")
        try await talk.type(server.endpoint, to: "Its address")
        let place = "setup-\(UUID().uuidString.lowercased().prefix(8))"
        try await talk.type(place, to: "The folder there")
        try await talk.type("", to: "Number [1]")
        try await talk.type(user, to: "Your name")
        // A wrong password is told, and nothing written down with it.
        try await talk.type("no-\(password)", to: "password")
        try await talk.type("disk", to: "called [cloud]")
        try await talk.type("", to: "There is a destination “disk” already")
        // The password is asked for again, and nothing else.
        try await talk.type("", to: "Number [5]")
        #expect(talk.text.contains("refuses the user, the password or the token"), "\(talk.text)")
        try await talk.type(password, to: "password")
        try await talk.type("y", to: "sample picture")
        try await talk.type("", to: "another one?")
        try await talk.type("", to: "no destination is named")
        #expect(await talk.end() == .exited(0), "\(talk.text)")
        let text = talk.text
        #expect(text.components(separatedBy: "proven by “verified”").count == 3, "\(text)")
        #expect(text.components(separatedBy: "It was taken away again").count == 3, "\(text)")
        #expect(!text.contains("no-\(password)"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") } == [])
        #expect(try submit.folder.text("config/submit/config.yaml").contains("# Set up on 20"))
        // What was set up is what is used.
        let photo = try Photos.make(1, in: submit.folder)[0]
        let sent = try await submit.run([photo])
        #expect(sent.end == .exited(0), "\(sent)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(server.data)/\(place)").count == 1)
        #expect(try await submit.run("audit", "disk", "cloud").end == .exited(0))
    }

    @Test func `tells at once what cannot be used, and writes nothing that was given up`() async throws {
        let submit = Submit()
        try submit.folder.write("", to: "file")
        let talk = try Conversation(submit, "setup")
        try await talk.type("1", to: "Number")
        try await talk.type(submit.folder.path("file/below"), to: "Which folder")
        try await talk.type("", to: "Number [1]")
        try await talk.type("", to: "called [disk]")
        try await talk.type("4", to: "What is to be done?")
        try await talk.type("", to: "another one?")
        #expect(await talk.end() == .exited(0), "\(talk.text)")
        #expect(!FileManager.default.fileExists(atPath: submit.folder.path("config/submit/config.yaml")))
    }

    @Test func `one wrong answer is asked for again with the reason, and all others are kept`() async throws {
        let submit = Submit()
        try submit.folder.write("", to: "file")
        let wrong = submit.folder.path("file/below")
        let talk = try Conversation(submit, "setup")
        try await talk.type("1", to: "Number")
        try await talk.type(wrong, to: "Which folder")
        try await talk.type("2", to: "Number [1]")
        try await talk.type("archive", to: "called [disk]")
        // The reason names the folder, so that it is the one that is asked for again.
        try await talk.type("", to: "Number [1]")
        try await talk.type(submit.folder.path("archive"), to: "Which folder (")
        try await talk.type("n", to: "sample picture")
        try await talk.type("", to: "another one?")
        try await talk.type("", to: "no destination is named")
        #expect(await talk.end() == .exited(0), "\(talk.text)")
        #expect(talk.text.contains("1  change “Which folder” (\(wrong))"), "\(talk.text)")
        #expect(talk.text.components(separatedBy: "to be sorted?").count == 2, "\(talk.text)")
        let text = try submit.folder.text("config/submit/config.yaml")
        #expect(text.contains("archive:") && text.contains("{year}/{month}/{name}"), "\(text)")
        #expect(text.contains(submit.folder.path("archive")), "\(text)")
    }

    @Test func `offers only what it set up as a default, and no destination from before`() async throws {
        let submit = Submit()
        try submit.configure("destinations:\n  old: {type: file, path: \(submit.folder.path("old"))}\n")
        #expect(try await submit.run("destinations", "check", "old").end == .exited(0))
        let talk = try Conversation(submit, "setup")
        try await talk.type("1", to: "Number")
        try await talk.type(submit.folder.path("new"), to: "Which folder")
        try await talk.type("", to: "Number [1]")
        try await talk.type("new", to: "called [disk]")
        try await talk.type("n", to: "sample picture")
        try await talk.type("", to: "another one?")
        try await talk.type("", to: "Send to new if no destination is named?")
        #expect(await talk.end() == .exited(0), "\(talk.text)")
        let text = try submit.folder.text("config/submit/config.yaml")
        #expect(text.contains("default: new") || text.contains("default: [new]") || text.contains("- new"), "\(text)")
    }

    @Test func `is for a terminal`() async throws {
        let outcome = try await Submit().run("setup")
        #expect(outcome.end == .exited(2) && outcome.err.contains("destinations add"), "\(outcome)")
    }

    @Test func `what is missing of a destination that is added is asked for`() async throws {
        let submit = Submit()
        let talk = try Conversation(submit, "destinations", "add", "disk", "--type", "file")
        try await talk.type(submit.folder.path("disk"), to: "(path)")
        #expect(await talk.end() == .exited(0), "\(talk.text)")
        let edit = try Conversation(submit, "destinations", "edit", "disk")
        try await edit.type(submit.folder.path("elsewhere"), to: "(path) [\(submit.folder.path("disk"))]")
        #expect(await edit.end() == .exited(0), "\(edit.text)")
        let listed = try await submit.run("destinations", "list")
        #expect(listed.out.contains("elsewhere"), "\(listed)")
    }
}

/// Destinations that are changed, with what is known of them.
@Suite struct ChangedDestinationTests {
    private static let text = """
        # Mine.
        default: [nas, "other"]  # both
        watch:
          - folder: /photos
            to: nas, other
        destinations:
          nas:
            type: file
            path: /old   # the big one
            jobs: 2
          nas-two:
            type: file
            path: /two
          other:
            type: file
            path: /three

        """

    @Test func `are edited with their comments kept, and not where they could not be used`() async throws {
        let submit = Submit()
        try submit.configure(Self.text)
        let edited = try await submit.run(
            "destinations", "edit", "nas", "path=\(submit.folder.path("new"))", "jobs=", "bandwidth=2M")
        #expect(edited.end == .exited(0), "\(edited)")
        let text = try submit.folder.text("config/submit/config.yaml")
        #expect(text.contains("path: '\(submit.folder.path("new"))' # the big one"), "\(text)")
        #expect(!text.contains("jobs") && text.contains("bandwidth: '2M'"), "\(text)")
        for argument in ["path=relative", "jobs=99", "colour=red", "bandwidth=fast"] {
            let refused = try await submit.run("destinations", "edit", "nas", argument)
            #expect([.exited(1), .exited(2)].contains(refused.end) && refused.troubles.count == 1, "\(refused)")
            #expect(try submit.folder.text("config/submit/config.yaml") == text)
        }
    }

    @Test func `are renamed with what waits, what arrived, their secrets and all that names them`() async throws {
        let submit = Submit()
        let folder = submit.folder.path("disk")
        try submit.configure(Self.text.replacing("/old", with: folder))
        let photos = try Photos.make(2, in: submit.folder)
        #expect(try await submit.run(["--to", "nas", photos[0]]).end == .exited(0))
        #expect(try await submit.run(["--to", "nas", "--later", photos[1]]).end == .exited(0))
        let renamed = try await submit.run("destinations", "rename", "nas", "tower")
        #expect(renamed.end == .exited(0), "\(renamed)")
        #expect(
            try submit.folder.text("config/submit/config.yaml")
                == Self.text.replacing("/old", with: folder).replacing("[nas,", with: "[tower,")
                .replacing("to: nas,", with: "to: tower,").replacing("  nas:\n", with: "  tower:\n"))
        #expect(try await submit.run("resume").end == .exited(0))
        #expect(try await submit.run("audit", "tower").end == .exited(0))
        let listed = try await submit.list()
        #expect(listed.count == 2 && listed.allSatisfy { $0.destination == "tower" && $0.state == "done" }, "\(listed)")
        #expect(try submit.names(in: folder).count == 2)
        for (old, new) in [("nas", "x"), ("tower", "other"), ("tower", "a b")] {
            let refused = try await submit.run("destinations", "rename", old, new)
            #expect(refused.end == .exited(2) && refused.troubles.count == 1, "\(refused)")
        }
    }

    @Test func `take their secrets along`() async throws {
        let server = try await WebDAVPlace.nginx()
        let (user, password) = (try #require(server.user), try #require(server.password))
        let submit = Submit()
        let place = "renamed-\(UUID().uuidString.lowercased().prefix(8))"
        let added = try await submit.run(
            [
                "destinations", "add", "cloud", "--type", "webdav", "url=\(server.endpoint)", "user=\(user)",
                "folder=\(place)", "--stdin",
            ], input: "password=\(password)\n")
        #expect(added.end == .exited(0), "\(added)")
        #expect(try await submit.run("destinations", "rename", "cloud", "sky").end == .exited(0))
        let checked = try await submit.run("destinations", "check", "sky")
        #expect(checked.end == .exited(0), "\(checked)")
        #expect(!(try submit.folder.text("config/submit/secrets.yaml")).contains("cloud"))
    }
}
