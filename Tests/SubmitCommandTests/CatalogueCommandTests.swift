import Foundation
import SubmitConcurrency
import TestServers
import Testing

/// What was published, asked and edited as people do.
@Suite(.fewAtOnce) struct `The catalogue's command` {
    let submit = Submit()

    /// Some of the samples, sent with words of their own.
    private func send() async throws -> [String] {
        let all = Photos.samples.filter { photo in [".jpg", ".png", ".webp"].contains { photo.hasSuffix($0) } }.prefix(
            3)
        try #require(all.count == 3)
        for (number, photo) in all.enumerated() {
            let outcome = try await submit.run(
                "--to", "file", "--caption", "Photo \(number)", "--tag", number == 0 ? "first" : "later",
                "--album", "Trip", photo)
            try #require(outcome.end == .exited(0), "\(outcome)")
        }
        return Array(all)
    }

    private func lines(_ arguments: String...) async throws -> [[String: Any]] {
        let outcome = try await submit.run(arguments)
        #expect(outcome.end == .exited(0), "\(outcome)")
        return try outcome.out.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test func `tells what is in the folder, and what its bytes tell`() async throws {
        let photos = try await send()
        let feed = try await lines("feed", "--json")
        #expect(feed.map { $0["caption"] as? String } == ["Photo 2", "Photo 1", "Photo 0"])
        let digests = Set(try await FolderDigests.of(submit.place).values)
        #expect(Set(feed.compactMap { $0["item"] as? String }) == digests)
        for (picture, photo) in zip(feed.reversed(), photos) {
            #expect(picture["name"] as? String == photo.split(separator: "/").last.map(String.init))
            #expect((picture["width"] as? Int ?? 0) > 0 && picture["proven"] as? [String] == ["file"])
            #expect(picture["albums"] as? [String] == ["Trip"])
        }
        #expect(try await lines("query", "tag=later", "--json").count == 2)
        #expect(try await lines("query", "--where", #"{"tags": {"neq": "later"}}"#, "--json").count == 1)
        #expect(try await lines("query", "photo", "2", "--count", "--json")[0]["count"] as? Int == 1)
        #expect(try await submit.run("query", "--distinct", "tags").out == "first\nlater\n")
        #expect(try await submit.run("feed", "--tag", "first").out.contains("✓ file"))
        #expect(try await submit.run("catalogue", "check").end == .exited(0))
    }

    @Test func `describe reads a date without a zone by the local clock, as query does`() async throws {
        let submit = Submit(["TZ": "Etc/GMT-12"])
        let photo = try #require(Photos.samples.first { $0.hasSuffix(".jpg") })
        try #require(try await submit.run("--to", "file", photo).end == .exited(0))
        // An hour ago on a clock that is 12 hours ahead of UTC.
        let hourAgo = Date(timeIntervalSinceNow: 11 * 3600).formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: false))
        let question = #"{"accepted": {"gte": "\#(hourAgo)"}}"#
        #expect(try await submit.run("query", "--where", question, "--count").out == "1\n")
        #expect(try await submit.run("describe", "--where", question, "--json").out.contains(#""id":1,"#))
    }

    @Test func `shows photos beside what it tells where that is asked for, while they are what was sent`() async throws
    {
        let photos = try ["harbour-portrait.jpg", "garden.heic", "raw.dng", "boat.mp4"].map { name in
            let copy = submit.folder.path(name)
            try FileManager.default.copyItem(atPath: "\(Photos.media)/\(name)", toPath: copy)
            return copy
        }
        #expect(try await submit.run(["--to", "file"] + photos).end == .exited(0))
        func shown(_ options: String...) async throws -> Int {
            let outcome = try await submit.run(["feed"] + options)
            #expect(outcome.end == .exited(0), "\(outcome)")
            #expect(photos.allSatisfy { outcome.out.contains($0.split(separator: "/").last ?? "") }, "\(outcome)")
            return outcome.out.components(separatedBy: "a=T,f=100").count - 1
        }
        #expect(try await shown() == 0, "nobody sees it")
        #expect(try await shown("--thumbnails", "auto") == 0)
        #expect(try await shown("--thumbnails", "kitty", "--json") == 0)
        // A film has none, nor has a RAW into which its camera put no JPEG.
        #expect(try await shown("--thumbnails", "kitty") == 2)
        let sixels = try await submit.run("feed", "--thumbnails", "sixel").out
        #expect(sixels.components(separatedBy: "\u{1b}P").count == 3)
        // A thumbnail that was made stays when its photo goes; none is made of what is something else by now.
        try FileManager.default.removeItem(atPath: photos[0])
        try Data("something else".utf8).write(to: URL(fileURLWithPath: photos[1]))
        #expect(try await shown("--thumbnails", "kitty") == 2)
        #expect(
            try await submit.run("feed", "--thumbnails", "iterm").out.components(separatedBy: "1337;File").count == 1)
        let word = try await submit.run("feed", "--thumbnails", "sixels")
        #expect(word.end == .exited(2) && word.err.contains("kitty"), "\(word)")
    }

    @Test func `a PNG that its EXIF turns is shown upright beside the feed`() async throws {
        let photo = submit.folder.path("turned.png")
        try await ChildProcess.output(of: [
            "/usr/bin/python3", "-c",
            "import sys; from PIL import Image; e = Image.Exif(); e[0x0112] = 6; "
                + "Image.new('RGB', (40, 20), 'red').save(sys.argv[1], exif=e)", photo,
        ])
        #expect(try await submit.run("--to", "file", photo).end == .exited(0))
        let shown = try await submit.run("feed", "--thumbnails", "kitty")
        let text = try #require(shown.out.firstMatch(of: /a=T,f=100[^;]*;([A-Za-z0-9+\/=]*)/)?.1, "\(shown)")
        let png = [UInt8](try #require(Data(base64Encoded: String(text))))
        #expect(Array(png[16..<24]) == [0, 0, 0, 20, 0, 0, 0, 40])
    }

    @Test func `tells each copy with its evidence, its address and what was made of the original`() async throws {
        try submit.configure(
            """
            destinations:
              web:
                type: file
                path: \(submit.folder.path("web"))
                rendition: {box: 64x64, format: jpeg}
            """)
        let sent = try await submit.run("--to", "web,file", "\(Photos.media)/harbour.jpg")
        try #require(sent.end == .exited(0), "\(sent)")
        let picture = try #require(try await lines("feed", "--json").first)
        let copies = try #require(picture["copies"] as? [[String: Any]])
        #expect(Set(copies.compactMap { $0["destination"] as? String }) == ["web", "file"])
        for copy in copies {
            #expect(copy["evidence"] as? String == "verified")
            let path = try #require((copy["url"] as? String).flatMap { URL(string: $0)?.path })
            let rendition = copy["rendition"] as? [String: Any]
            let digest = rendition?["item"] ?? picture["item"]
            #expect(
                try await FolderDigests.of((path as NSString).deletingLastPathComponent).values.contains(
                    digest as? String ?? ""))
            #expect((rendition?["type"] as? String == "image/jpeg") == (copy["destination"] as? String == "web"))
        }
        let text = try await submit.run("feed").out
        #expect(text.contains("✓ file  file://") && text.contains("✓ web  file://"), "\(text)")
        let asked = try await submit.run("query", "--where", #"{"copies": "web"}"#)
        #expect(asked.end == .exited(2) && asked.err.contains("copies holds values with parts"), "\(asked)")
        #expect(try await submit.run("query", "--distinct", "copies").end == .exited(2))
    }

    @Test func `what is asked of values and counts is told in each form, and empty answers are no silence`()
        async throws
    {
        #expect(try await submit.run("feed").out.contains("No pictures match."))
        #expect(try await submit.run("feed", "--json").out.isEmpty)
        _ = try await send()
        for (arguments, out) in [
            (["--distinct", "tags", "--json"], "\"first\"\n\"later\"\n"),
            (["--distinct", "tags", "--format", "json"], "[\"first\",\"later\"]\n"),
            (["--distinct", "tags", "--format", "csv"], "tags\r\nfirst\r\nlater\r\n"),
            (["--count", "--format", "csv"], "count\r\n3\r\n"), (["--count", "--json"], "{\"count\":3}\n"),
            (["--count"], "3\n"),
        ] {
            #expect(try await submit.run(["query"] + arguments).out == out, "\(arguments)")
        }
        for arguments in [
            ["--distinct", "tags", "--skip", "1"], ["--count", "--order", "name"], ["--count", "--format", "geojson"],
            ["kind=film"], ["evidence=sure"],
        ] {
            let outcome = try await submit.run(["query"] + arguments)
            #expect(outcome.end == .exited(2) && outcome.out.isEmpty, "\(arguments): \(outcome)")
        }
        #expect(try await submit.run("query", "uploaded since yesterday", "--count").out == "3\n")
        #expect(try await submit.run("query", "uploaded before last week", "--count").out == "0\n")
    }

    @Test func `what was forgotten is listed, and comes back by its number`() async throws {
        let photos = try await send()
        #expect(try await submit.run("forget", "--list").out.contains("Nothing was forgotten"))
        #expect(try await submit.run("forget", photos[1]).end == .exited(0))
        let gone = try #require(try await lines("forget", "--list", "--json").first)
        let number = try #require(gone["id"] as? Int)
        #expect(photos[1].hasSuffix("/\(gone["name"] as? String ?? "?")"))
        #expect(try await submit.run("forget", "--list").out.contains(gone["item"] as? String ?? "?"))
        let other = try await submit.run("forget", "--undo", "\(number + 1)")
        #expect(other.end == .exited(2) && other.err.contains("No picture \(number + 1) was forgotten"), "\(other)")
        #expect(try await submit.run("forget", "--undo", "\(number)").out.contains("1 picture taken in again"))
        #expect(try await lines("feed", "--json").count == 3)
        #expect(try await submit.run("forget", "--list", "--undo").end == .exited(2))
    }

    @Test func `words that the catalogue could not keep are refused before anything is sent`() async throws {
        let photo = Photos.samples[0]
        for (options, words) in [
            (["--tag", ""], "tags"), (["--tag", "two\nlines"], "tags"), (["--tag", "   "], "tags"),
            (["--caption", String(repeating: "x", count: 65 << 10)], "caption"), (["--to", ""], "unset variables"),
        ] {
            let outcome = try await submit.run(options + [photo])
            #expect(outcome.end == .exited(2) && outcome.err.contains(words), "\(outcome)")
        }
        #expect(try await submit.run("list", "--json").out.isEmpty)
    }

    @Test func `a row of a table that names two pictures changes none`() async throws {
        _ = try await send()
        let feed = try await lines("feed", "--json")
        let rows = feed.enumerated().map { index, picture in
            "\(picture["item"] ?? ""),\(feed[(index + 1) % feed.count]["id"] ?? ""),other"
        }
        try submit.folder.write("item,id,title\n\(rows.joined(separator: "\n"))\n", to: "table.csv")
        let outcome = try await submit.run("describe", "--csv", submit.folder.path("table.csv"))
        #expect(
            outcome.end == .exited(2) && outcome.err.contains("row 2") && outcome.err.contains("leave one"),
            "\(outcome)")
        #expect(try await lines("feed", "--json").allSatisfy { !($0["title"] is String) })
    }

    @Test func `makes a map of what was taken somewhere, whatever is told beside it`() async throws {
        let photo = "\(Photos.media)/harbour.jpg"
        #expect(try await submit.run("--to", "file", photo).end == .exited(0))
        let map = try await submit.run("query", "--format", "geojson", "--fields", "name")
        #expect(
            map.out.contains(#""coordinates":[9.96"#) && map.out.contains(#""properties":{"name":"harbour.jpg"}"#),
            "\(map)")
    }

    @Test func `says what is no question, and where`() async throws {
        let typo = try await submit.run("query", "capton=harbour")
        #expect(typo.end == .exited(2) && typo.err.contains("did you mean “caption”"), "\(typo)")
        #expect(typo.err.contains("at character 1"))
        let json = try await submit.run("query", "--where", #"{"tags": {"lik": "x"}}"#)
        #expect(json.end == .exited(2) && json.err.contains("where.tags"), "\(json)")
        for (question, words) in [
            ("tag==a", "stands in quotation marks"), ("!tag=a", "write not name="), ("tag:a", "not a colon: tag=…"),
        ] {
            let strange = try await submit.run("query", question)
            #expect(strange.end == .exited(2) && strange.err.contains(words), "\(strange)")
        }
        #expect(try await submit.run("query", "\"tag:a\"", "--count").out == "0\n", "it is a word")
        let list = try await submit.run("query", "--where", "[1]")
        #expect(list.end == .exited(2), "\(list)")
        let order = try await submit.run("query", "--order", "captured downwards")
        #expect(order.end == .exited(2) && order.err.contains("no order"), "\(order)")
        let picture = try await submit.run("describe", "/nowhere.jpg", "--title", "x")
        #expect(picture.end == .exited(2) && picture.err.contains("“/nowhere.jpg” is no picture"), "\(picture)")
        let unknown = try await submit.run("describe", Photos.samples[0], "--title", "x")
        #expect(unknown.end == .exited(2) && unknown.err.contains("is not in the catalogue"), "\(unknown)")
        let source = try await submit.run("query", "--from", "shop")
        #expect(source.end == .exited(2) && source.err.contains("“shop”"), "\(source)")
    }

    @Test func `edits by file, by question and by table, and shows each edit`() async throws {
        let photos = try await send()
        let one = try await submit.run("describe", photos[0], "--title", "=1+1", "--tag", "a,b", "--place", "Hamburg")
        #expect(one.end == .exited(0) && one.out.contains("1 picture changed"), "\(one)")
        let some = try await submit.run("describe", "--where", "tag=later", "--caption", "", "--untag", "later")
        #expect(some.out.contains("2 pictures changed"), "\(some)")
        // What a spreadsheet gives back is what it got.
        let table = try await submit.run("query", "--format", "csv", "--fields", "item,title,caption,tags,albums")
        try table.out.write(toFile: submit.folder.path("table.csv"), atomically: true, encoding: .utf8)
        let same = try await submit.run("describe", "--csv", submit.folder.path("table.csv"))
        #expect(same.end == .exited(0) && same.out.contains("0 pictures changed"), "\(same)")
        let edited = table.out.replacing("Photo 0", with: "Line one\nline “two”")
        try edited.write(toFile: submit.folder.path("table.csv"), atomically: true, encoding: .utf8)
        let dry = try await submit.run("describe", "--csv", submit.folder.path("table.csv"), "--dry-run")
        #expect(dry.out.contains("1 picture would be changed"), "\(dry)")
        #expect(
            try await submit.run("describe", "--csv", submit.folder.path("table.csv")).out.contains("1 picture changed")
        )
        let shown = try await lines("describe", photos[0], "--json")[0]
        #expect(shown["title"] as? String == "=1+1" && shown["caption"] as? String == "Line one\nline “two”")
        #expect(shown["tags"] as? [String] == ["first", "a,b"])
        let digest = try #require(shown["item"] as? String)
        let revisions = try #require(shown["revisions"] as? [[String: Any]])
        #expect(revisions.map { $0["number"] as? Int } == [2, 3])
        #expect(revisions.allSatisfy { $0["editor"] as? String == NSUserName() })
        for (rows, words) in [
            ("item,title\n\(digest)\n", "row 2: it has 1 cells, and the header 2"),
            ("item,title\n\(digest),a,b\n", "row 2: it has 3 cells"),
            ("item,title\n\(digest),\"a\n", "within quotation marks"),
            ("item,title,title\n\(digest),a,b\n", "two columns “title”"),
            ("item,tags\n\(digest),\"[\"\"a\"\",1]\"\n", "more in it than texts"),
            ("item,title\n\(digest),a\n\(digest),b\n", "row 2 is of the same picture"),
        ] {
            try rows.write(toFile: submit.folder.path("table.csv"), atomically: true, encoding: .utf8)
            let refused = try await submit.run("describe", "--csv", submit.folder.path("table.csv"))
            #expect(refused.end == .exited(2) && refused.err.contains(words), "\(refused)")
        }
        // What a table cannot hold as it is is not changed by it.
        for title in ["שלום\u{200F}!", "'=1+1", "'-", "  =x"] {
            _ = try await submit.run("describe", photos[0], "--title", title)
            let table = try await submit.run("query", "--format", "csv", "--fields", "item,title")
            try table.out.write(toFile: submit.folder.path("table.csv"), atomically: true, encoding: .utf8)
            let same = try await submit.run("describe", "--csv", submit.folder.path("table.csv"))
            #expect(same.out.contains("0 pictures changed"), "\(title): \(same)")
        }
        let wrong = try await submit.run("describe", "--csv", Photos.samples[0])
        #expect(wrong.end == .exited(2) && wrong.err.contains("save it so"), "\(wrong)")
    }

    @Test func `forgets, asks before it forgets many, and takes in again`() async throws {
        let photos = try await send()
        let before = try #require(try await lines("feed", "--json").first)
        let everything = try await submit.run("describe", "--where", "", "--tag", "oops")
        #expect(everything.end == .exited(2) && everything.err.contains("unset variables"), "\(everything)")
        #expect(try await submit.run("query", "--distinct", "id", "--limit", "0").out == "1\n2\n3\n")
        #expect(try await submit.run("query", "--format", "csv", "tag=none").out.hasPrefix("id,item,name,"))
        let asked = try await submit.run("forget", "--where", "tag=later")
        #expect(asked.end == .exited(2) && asked.err.contains("2 pictures would be forgotten: give --yes"), "\(asked)")
        #expect(try await submit.run("forget", photos[2]).out.contains("1 picture forgotten"))
        #expect(try await submit.run("--to", "file", "--reread", photos[2]).end == .exited(0))
        #expect(try await lines("feed", "--json").count == 2)
        #expect(try await FolderDigests.of(submit.place).count >= 3, "copies stay")
        let undone = try await submit.run("forget", "--undo", photos[2])
        #expect(undone.out.contains("1 picture taken in again"), "\(undone)")
        let again = try #require(try await lines("feed", "--json").first)
        #expect(again["caption"] as? String == "Photo 2" && again["width"] as? Int ?? 0 > 0, "\(again)")
        #expect(again["captured"] as? String == before["captured"] as? String)
        #expect(try await submit.run("catalogue", "rebuild").out.contains("3 pictures"))
        #expect(try await submit.run("catalogue", "check").end == .exited(0))
    }

    @Test func `reads the files of what was sent before there was a catalogue, where they are still that`() async throws
    {
        var photos: [String] = []
        for name in ["harbour.jpg", "garden.heic", "lamp.png"] {
            photos.append(submit.folder.path(name))
            try FileManager.default.copyItem(atPath: "\(Photos.media)/\(name)", toPath: photos[photos.count - 1])
        }
        #expect(try await submit.run(["--to", "file"] + photos).end == .exited(0))
        let before = try await submit.run("feed", "--json").out
        #expect(before.contains("\"lat\":53."))
        // What an older version left is no more than this.
        _ = try await ChildProcess.output(of: [
            "sqlite3", submit.journal,
            "UPDATE picture SET width = NULL, height = NULL, lat = NULL, lng = NULL, captured = NULL, captured_offset = NULL",
        ])
        #expect(try await submit.run("catalogue", "rebuild").out == "3 pictures in the catalogue.\n")
        #expect(try await submit.run("query", "has width", "--count").out == "0\n")
        try Data("other".utf8).write(to: URL(fileURLWithPath: photos[2]))
        let read = try await submit.run("catalogue", "rebuild", "--read")
        #expect(read.out.contains("Of 2 of them more is known"), "\(read)")
        func others(_ feed: String) -> [Substring] { feed.split(separator: "\n").filter { !$0.contains("lamp.png") } }
        #expect(others(try await submit.run("feed", "--json").out) == others(before))
        #expect(try await submit.run("catalogue", "rebuild", "--read").out.contains("Of 0 of them"))
        #expect(try await submit.run("catalogue", "check").end == .exited(0))
        // Sent again, it says for itself what it is.
        #expect(try await submit.run("--to", "file", "\(Photos.media)/lamp.png").end == .exited(0))
        #expect(try await submit.run("query", "has width", "--count").out == "3\n")
    }

    @Test func `asks the catalogues of others by one line of configuration`() async throws {
        let asked = Locked<[String]>([])
        let shop = ScriptedServer.answering { request in
            asked.withLock { $0.append("\(request.target) \(request["Authorization"] ?? "")") }
            let isAsked = request.target.contains("/api/Pictures?filter=")
            return ScriptedServer.answer(
                isAsked && !request.target.contains("skip") ? 200 : isAsked ? 204 : 401, [],
                isAsked && !request.target.contains("skip") ? #"[{"id": 1, "name": "Tea", "price": 9.90}]"# : "")
        }
        try submit.configure(
            """
            sources:
              shop:
                url: \(shop.endpoint)/api/Pictures
                fields:
                  name: text
                  price: number
                search: name
              closed:
                url: \(shop.endpoint)/api/Nothing
              wrong:
                url: \(shop.endpoint)/x
                feilds: "name: text"
            """)
        let outcome = try await submit.run(
            ["query", "--from", "shop", "price<10", "tea", "--json"], env: ["SUBMIT_SHOP_TOKEN": "sesame-1234"])
        #expect(outcome.out == #"{"id":1,"name":"Tea","price":9.90}"# + "\n", "\(outcome)")
        #expect(asked.withLock { $0.first?.hasSuffix(" Bearer sesame-1234") } == true)
        let typo = try await submit.run("query", "--from", "shop", "prize<10")
        #expect(typo.end == .exited(2) && typo.err.contains("did you mean “price”"), "\(typo)")
        let closed = try await submit.run("query", "--from", "closed")
        #expect(closed.end == .exited(2) && closed.err.contains("wants to know who asks (401)"), "\(closed)")
        let wrong = try await submit.run("query", "--from", "wrong")
        #expect(wrong.end == .exited(2) && wrong.err.contains("config.yaml:12: “feilds” is not a key"), "\(wrong)")
        let unknown = try await submit.run("query", "--from", "shpo")
        #expect(unknown.end == .exited(2) && unknown.err.contains("did you mean “shop”"), "\(unknown)")
    }

    @Test func `knows whose pictures are by the configuration`() async throws {
        try submit.configure("owner: Jane Doe\n")
        let photos = try await send()
        #expect(try await lines("feed", "--user", "Jane Doe", "--json").count == 3)
        #expect(try await lines("feed", "--user", NSUserName(), "--json").isEmpty)
        _ = try await submit.run("describe", photos[1], "--owner", "John")
        #expect(try await submit.run("query", "--distinct", "owner").out == "Jane Doe\nJohn\n")
    }
}
