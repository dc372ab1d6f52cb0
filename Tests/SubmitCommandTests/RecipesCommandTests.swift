import Foundation
import TestServers
import Testing

/// What `submit recipes` says.
@Suite(.fewAtOnce) struct `submit recipes` {
    private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: RecipePlace.folder)) ?? [])
        .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(".yaml".count)) }.sorted()

    private static let faulty = """
        recipe: 1
        service: demo
        title: Demo
        summary: A service
        facts: { checked: 2026-11-21, sources: [https://example.com/docs], tested: never }
        hosts: [https://api.example.com]
        auth: { kind: none }
        upload:
          - id: up
            request: { methd: PUT, url: "/up/{{ file.nme }}", body: { raw: file } }
            capture: { id: { json: /id } }
        receipt: { id: "{{ up.id }}" }

        """

    private struct Listed: Decodable {
        var recipe: String
        var title: String
        var checked: String
        var sources: [String]
        var tested: String
    }

    private struct Fault: Decodable {
        var event: String
        var file: String
        var line: Int?
        var column: Int?
        var message: String?
    }

    private struct Planned: Decodable {
        var event: String
        var step: String
        var method: String
        var url: String
        var headers: [[String]]
        var body: String
    }

    @Test func `list tells when the facts of each were checked, and with what it was tried`() async throws {
        let submit = Submit()
        let text = try await submit.run("recipes", "list")
        #expect(text.end == .exited(0) && text.err == "", "\(text)")
        #expect(text.lines.map { String($0.prefix { $0 != ":" }) } == Self.names)
        #expect(text.lines.allSatisfy { $0.contains("[checked 20") && $0.contains("tested ") }, "\(text)")
        #expect(try await submit.run("recipes").out == text.out)
        let listed = try await submit.run("recipes", "list", "--json").decoded(Listed.self)
        #expect(listed.map(\.recipe) == Self.names)
        #expect(listed.allSatisfy { $0.checked.hasPrefix("20") && !$0.sources.isEmpty && !$0.tested.isEmpty })
    }

    @Test func `show prints a recipe as it is, and knows what is meant`() async throws {
        let submit = Submit()
        let show = try await submit.run("recipes", "show", "mastodon")
        #expect(show.end == .exited(0) && show.err == "")
        #expect(show.out == (try RecipePlace.recipe("mastodon")))
        let wrong = try await submit.run("recipes", "show", "mastodn")
        #expect(wrong.end == .exited(2) && wrong.out == "", "\(wrong)")
        #expect(wrong.err.contains("“mastodn”") && wrong.err.contains("“mastodon”"), "\(wrong)")
    }

    @Test func `a destination whose recipe cannot be read or used is not added, and says why`() async throws {
        let submit = Submit()
        let add = ["destinations", "add", "mine", "--type", "oauth-http"]
        let missing = try await submit.run(add + ["recipe=/nowhere.yaml", "server=https://photos.example"])
        #expect(missing.end == .exited(2) && missing.err.contains("names no file that can be read"), "\(missing)")
        let file = try submit.folder.write(Self.faulty, to: "faulty.yaml")
        let faulty = try await submit.run(add + ["recipe=\(file)", "server=https://photos.example"])
        #expect(faulty.end == .exited(2) && faulty.err.contains("The recipe of “mine” cannot be used"), "\(faulty)")
    }

    /// A recipe for a folder of its own, with these settings.
    private static func recipe(_ settings: String, path: String = "", auth: String = "{ kind: none }") -> String {
        """
        recipe: 1
        service: demo
        title: Demo
        summary: A service
        facts: { checked: 2026-11-21, sources: [https://example.com/docs], tested: never }
        settings:
        \(settings)
        hosts: [https://api.example.com]
        auth: \(auth)
        upload:
          - id: up
            request: { method: PUT, url: "/up/\(path){{ file.name }}", body: { raw: file } }
            capture: { id: { json: /id } }
        receipt: { id: "{{ up.id }}" }

        """
    }

    @Test func `a destination is edited to a recipe that needs another setting in one command`() async throws {
        let submit = Submit()
        let one = try submit.folder.write(
            Self.recipe("  shelf: { kind: text, summary: A shelf, default: z }", path: "{{ settings.shelf }}/"),
            to: "one.yaml")
        let two = try submit.folder.write(
            Self.recipe("  room: { kind: text, summary: A room, required: true }", path: "{{ settings.room }}/"),
            to: "two.yaml")
        let added = try await submit.run(
            "destinations", "add", "mine", "--type", "oauth-http", "recipe=\(one)", "shelf=a")
        #expect(added.end == .exited(0), "\(added)")
        let bare = try await submit.run("destinations", "edit", "mine", "recipe=\(two)")
        #expect(bare.end == .exited(2) && bare.err.contains("“mine” was not changed: "), "\(bare)")
        let words = bare.err.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("`submit destinations edit mine recipe=\(two) room=VALUE shelf=`"), "\(bare)")
        let whole = try await submit.run("destinations", "edit", "mine", "recipe=\(two)", "room=b", "shelf=")
        #expect(whole.end == .exited(0), "\(whole)")
        let text = try submit.folder.text("config/submit/config.yaml")
        #expect(text.contains("room: 'b'") && !text.contains("shelf"), "\(text)")
    }

    @Test func `a secret that another recipe needs is given with the edit`() async throws {
        let submit = Submit()
        let one = try submit.folder.write(
            Self.recipe("  shelf: { kind: text, summary: A shelf, default: z }", path: "{{ settings.shelf }}/"),
            to: "one.yaml")
        let two = try submit.folder.write(
            Self.recipe(
                "  key: { kind: secret, summary: A key, required: true }",
                auth:
                    "{ kind: header, name: X-Key, value: \"{{ secret.key }}\" }"), to: "two.yaml")
        let added = try await submit.run(
            "destinations", "add", "mine", "--type", "oauth-http", "recipe=\(one)", "shelf=a")
        #expect(added.end == .exited(0), "\(added)")
        let given = try await submit.run(
            ["destinations", "edit", "mine", "recipe=\(two)", "shelf=", "--stdin"], input: "key=open sesame\n")
        #expect(given.end == .exited(0) && !(given.out + given.err).contains("sesame"), "\(given)")
        #expect(try submit.folder.text("config/submit/config.yaml").contains("two.yaml"))
        #expect(try submit.folder.text("config/submit/secrets.yaml").contains("open sesame"))
    }

    @Test func `lint names the file, the line, the key and the cure`() async throws {
        let submit = Submit()
        let file = try submit.folder.write(Self.faulty, to: "faulty.yaml")
        let text = try await submit.run("recipes", "lint", file, "dropbox")
        #expect(text.end == .exited(1), "\(text)")
        let key = "\(file):10:16: “methd” is not a key of a request (did you mean “method”?)"
        #expect(text.lines.contains { $0.hasPrefix(key) }, "\(text)")
        #expect(text.lines.contains { $0.hasPrefix("dropbox.yaml: ") && $0.hasSuffix("nothing is wrong.") }, "\(text)")

        // What the form hides is told when it is right.
        let mended = try submit.folder.write(Self.faulty.replacing("methd", with: "method"), to: "mended.yaml")
        let json = try await submit.run("recipes", "lint", "--json", mended)
        let fault = try #require(try json.decoded(Fault.self).first, "\(json)")
        #expect(json.end == .exited(1) && fault.event == "fault" && fault.file == mended && fault.line == 10, "\(json)")
        #expect(fault.message?.contains("nme") == true && fault.message?.contains("name") == true, "\(json)")

        try submit.folder.write(
            Self.faulty.replacing("methd", with: "method").replacing("nme", with: "name"), to: "fine.yaml")
        let fine = try await submit.run("recipes", "lint", submit.folder.path("fine.yaml"))
        #expect(fine.end == .exited(0), "\(fine)")
    }

    @Test func `lint says what cannot be read`() async throws {
        let submit = Submit()
        for name in [submit.folder.path("none.yaml"), "/dev/zero", submit.folder.path, "no-such-recipe"] {
            let outcome = try await submit.run("recipes", "lint", name)
            #expect(outcome.end == .exited(2) && outcome.troubles.count == 1, "\(name): \(outcome)")
        }
    }

    @Test func `lint finds nothing wrong with those that come with submit`() async throws {
        let outcome = try await Submit().run(["recipes", "lint"] + Self.names)
        #expect(outcome.end == .exited(0) && outcome.lines.count == Self.names.count, "\(outcome)")
    }

    @Test func `schema prints what editors complete by`() async throws {
        let outcome = try await Submit().run("recipes", "schema")
        #expect(outcome.end == .exited(0) && outcome.err == "")
        let file = try String(contentsOfFile: "\(RecipePlace.folder)/recipe.schema.json", encoding: .utf8)
        #expect(outcome.out == file)
        #expect(try JSONSerialization.jsonObject(with: Data(outcome.out.utf8)) is [String: Any])
    }

    @Test(arguments: names)
    func `try prints every request and sends none`(name: String) async throws {
        let canary = "4-s3cr3t-0f-th3-tr14l"
        let submit = Submit(["SUBMIT_PHOTOS_API_KEY": canary, "SUBMIT_PHOTOS_CLIENT_SECRET": canary])
        let photo = try submit.folder.write(Photos.jpeg(5000, seed: 3), to: "photo.jpg")
        // Whoever sends something, sends it here.
        let server = ScriptedServer.answering { request in
            Issue.record("\(name) sent \(request.method) \(request.target)")
            return ScriptedServer.answer(500)
        }
        try submit.configure("network:\n  proxy: \(server.endpoint)\n")
        let takesCaption = try !RecipePlace.recipe(name).contains("caption_max: 0")
        let caption = takesCaption ? ["--caption", "Harbour é"] : []
        let outcome = try await submit.run(["recipes", "try", name, photo, "--dry-run", "--json"] + caption)
        #expect(outcome.end == .exited(0) && outcome.err == "", "\(outcome)")
        let planned = try outcome.decoded(Planned.self)
        #expect(planned.allSatisfy { $0.event == "would-request" && $0.url.hasPrefix("https://") }, "\(outcome)")
        #expect(planned.contains { $0.body.contains("photo.jpg") || $0.body.contains("5000") }, "\(outcome)")
        #expect(planned.contains { $0.headers.contains { $0.last?.contains("…") ?? false } }, "\(outcome)")
        #expect(!outcome.out.contains(canary))
        // Nothing is waiting for it, and people can read it.
        #expect(try await submit.list().isEmpty)
        let text = try await submit.run("recipes", "try", name, photo, "--dry-run")
        #expect(text.end == .exited(0), "\(text)")
        for request in planned { #expect(text.out.contains("\(request.method) ")) }
    }

    @Test func `recipes try needs no option, and refuses what the recipe does not take`() async throws {
        let submit = Submit()
        let photo = try submit.folder.write(Photos.jpeg(5000, seed: 3), to: "photo.jpg")
        let silent = try await submit.run("recipes", "try", "imgur", photo)
        #expect(silent.end == .exited(0) && silent.out.contains("POST "), "\(silent)")
        #expect(try await submit.list().isEmpty)
        let text = try submit.folder.write("Not a photo.", to: "notes.txt")
        let refused = try await submit.run("recipes", "try", "imgur", text, "--dry-run")
        #expect(refused.end == .exited(1) && refused.err.contains("notes.txt"), "\(refused)")
        for (setting, word) in [("serve=https://x.example", "serve"), ("nothing", "KEY=VALUE")] {
            let wrong = try await submit.run("recipes", "try", "mastodon", photo, "--dry-run", "--set", setting)
            #expect(wrong.end == .exited(2) && wrong.err.contains(word), "\(wrong)")
        }
        let set = try await submit.run(
            "recipes", "try", "mastodon", photo, "--dry-run", "--set", "server=https://social.example.org")
        #expect(set.end == .exited(0) && set.out.contains("https://social.example.org/api/v2/media"), "\(set)")
    }
}
