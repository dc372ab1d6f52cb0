import Foundation
import TestServers
import Testing

/// A real service, by the recipe that comes with the program and the program itself.
@Suite(.fewAtOnce) struct `submit to WordPress` {
    @Test func `brings a photo with its caption into the media library, and says who we are`() async throws {
        let server = try await WordPressServer.shared()
        let submit = Submit(["SUBMIT_BLOG_PASSWORD": server.appPassword])
        try submit.configure(
            """
            destinations:
              blog: { type: wordpress, site: "\(server.endpoint)", user: "\(server.user)", insecure: "true" }

            """)
        let word = "c" + UUID().uuidString.prefix(8).lowercased()
        let bytes = Photos.gif(word)
        let photo = try submit.folder.write(bytes, to: "\(word).gif")
        let caption = "A “caption” of \(word) & <more>"
        let sent = try await submit.run("--to", "blog", "--caption", caption, photo, "--original", "--json")
        #expect(sent.end == .exited(0), "\(sent)")

        let media = try await server.media(word)
        #expect(media.map(\.title.raw) == [word] && media.map(\.caption.raw) == [caption])
        #expect(try media.map { try server.original($0) } == [bytes])
        let submission = try #require(try await submit.list().first)
        #expect(submission.state == "done" && submission.evidence == "verified")
        #expect(submission.remote_id == media.first.map { "\($0.id)" })

        let whoami = try await submit.run("whoami", "blog")
        #expect(whoami.end == .exited(0) && whoami.out.contains("alice"), "\(whoami)")
        for outcome in [sent, whoami] {
            #expect(!(outcome.out + outcome.err).contains(server.appPassword))
        }
        #expect(submit.journalBytes().range(of: Data(server.appPassword.utf8)) == nil)
    }

    @Test func `publishes a photo without its place, and says so before and after`() async throws {
        let server = try await WordPressServer.shared()
        let submit = Submit(["SUBMIT_BLOG_PASSWORD": server.appPassword])
        try submit.configure(
            """
            destinations:
              blog: { type: wordpress, site: "\(server.endpoint)", user: "\(server.user)", insecure: "true" }

            """)
        let word = "p" + UUID().uuidString.prefix(8).lowercased()
        let original = try [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(Photos.media)/harbour.jpg")))
        let photo = try submit.folder.write(original, to: "\(word).jpg")
        let dry = try await submit.run("--to", "blog", photo, "--dry-run")
        #expect(dry.out.contains("place removed"), "\(dry)")
        let preview = submit.folder.path("preview.jpg")
        let shown = try await submit.run("preview", "blog", photo, "-o", preview)
        #expect(shown.end == .exited(0) && shown.out.contains("blog: place removed, image/jpeg"), "\(shown)")

        let sent = try await submit.run("--to", "blog", photo)
        #expect(sent.end == .exited(0) && sent.out.contains("(place removed"), "\(sent)")
        #expect(sent.out.contains("as renditions proven at blog"), "\(sent)")
        let stored = try await server.media(word).map { try server.original($0) }
        #expect(stored == [[UInt8](try Data(contentsOf: URL(fileURLWithPath: preview)))])
        // On what the server has, and by a program that is not ours.
        let bytes = try #require(stored.first)
        let place = try submit.folder.write(bytes, to: "stored.jpg")
        let tags = try await ChildProcess.output(of: ["exiftool", "-a", "-u", "-G1", "-ee3", place])
        #expect(!tags.contains("GPS") && tags.contains("Date/Time Original"), "\(tags)")
        let before = try await ChildProcess.output(of: ["exiftool", "-a", "-G1", photo])
        #expect(before.contains("GPS Latitude"), "the photo has none to lose")
        let submission = try #require(try await submit.list().first)
        #expect(submission.evidence == "verified" && submission.item.size == original.count)
        let audit = try await submit.run("audit", "blog")
        #expect(audit.end == .exited(0) && audit.out.contains("1 there"), "\(audit)")
        // It is published once.
        #expect(try await submit.run("--to", "blog", photo).end == .exited(0))
        #expect(try await server.media(word).count == 1)
    }

    /// As phones take them: 24 megapixels, turned, with a place.
    @Test func `fits a large photo, with its words in it, told before and after`() async throws {
        let server = try await WordPressServer.shared()
        let submit = Submit(["SUBMIT_BLOG_PASSWORD": server.appPassword])
        try submit.configure(
            """
            copyright: © Alice
            destinations:
              blog:
                type: wordpress
                site: "\(server.endpoint)"
                user: "\(server.user)"
                insecure: "true"
                rendition: { strip: gps, box: 2048x2048, max_bytes: 900kB, write: [caption, tags, copyright] }

            """)
        let word = "l" + UUID().uuidString.prefix(8).lowercased()
        let photo = submit.folder.path("\(word).jpg")
        let script = """
            import sys
            from PIL import Image
            small = Image.effect_noise((600, 400), 90).convert('RGB')
            small.resize((6000, 4000)).save(sys.argv[1], quality=92)
            """
        try await ChildProcess.output(of: ["/usr/bin/python3", "-c", script, photo])
        try await ChildProcess.output(of: [
            "exiftool", "-q", "-overwrite_original", "-n", "-Orientation=6", "-GPSLatitude=35.6762",
            "-GPSLatitudeRef=N",
            "-GPSLongitude=139.6503", "-GPSLongitudeRef=E", "-DateTimeOriginal=2026:05:04 03:02:01", photo,
        ])
        let words = ["--caption", "Harbour at dusk", "--tag", "harbour"]
        let dry = try await submit.run(["--to", "blog", photo, "--dry-run"] + words)
        #expect(dry.out.contains("1365x2048"), "\(dry)")
        let sent = try await submit.run(["--to", "blog", photo] + words)
        #expect(sent.end == .exited(0), "\(sent)")
        let stored = try await server.media(word).map { try server.original($0) }
        let bytes = try #require(stored.first)
        #expect(stored.count == 1 && bytes.count <= 900_000 && bytes.count > 200_000)
        let place = try submit.folder.write(bytes, to: "stored.jpg")
        let tags = try await ChildProcess.output(of: ["exiftool", "-a", "-u", "-G1", "-s", "-ee3", place])
        #expect(!tags.contains("GPS") && tags.contains(#/DateTimeOriginal +: 2026:05:04/#), "\(tags)")
        #expect(tags.contains(#/ImageWidth +: 1365/#) && !tags.contains("Orientation"), "\(tags)")
        for text in ["Harbour at dusk", "© Alice", "harbour"] { #expect(tags.contains(": \(text)"), "\(tags)") }
        let submission = try #require(try await submit.list().first)
        #expect(submission.evidence == "verified")
    }
}
