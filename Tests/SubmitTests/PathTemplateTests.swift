import Glibc
import Submit
import SystemPackage
import Testing

@Suite struct PathTemplateTests {
    private func item(
        _ name: String = "IMG_1.jpg", captured: CaptureTime? = CaptureTime("2024-05-07T08:09:01"),
        modified: Timestamp = Timestamp(nanoseconds: 0), sha256: [UInt8] = [0xab, 0xcd, 0xef, 0x01, 0x23]
    ) -> MediaItem {
        MediaItem(
            source: FilePath("/photos/IMG_1.jpg"), name: name, size: 3,
            type: MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg"), modified: modified,
            captured: captured, digests: Digests([.sha256: sha256]))
    }

    @Test(arguments: [
        ("{name}", ["IMG_1.jpg"]),
        ("{year}/{month}/{name}", ["2024", "05", "IMG_1.jpg"]),
        ("{year}-{month}-{day} {hour}.{minute}.{second}.{ext}", ["2024-05-07 08.09.01.jpg"]),
        ("{kind}/{type}/{stem}.{ext}", ["photo", "image-jpeg", "IMG_1.jpg"]),
        ("{sha256:4}/{sha256}", ["abcd", "abcdef0123"]),
        ("a } b/{name}", ["a } b", "IMG_1.jpg"]),
    ])
    func `placeholders are filled in`(template: String, parts: [String]) throws {
        #expect(try PathTemplate(template).render(item(), album: nil) == parts)
    }

    @Test func `an album goes in front unless the template places it`() throws {
        let plain = try PathTemplate("{year}/{name}")
        #expect(!plain.usesAlbum)
        #expect(plain.render(item(), album: "Trips/Rome") == ["Trips", "Rome", "2024", "IMG_1.jpg"])

        let placed = try PathTemplate("{year}/{album}/{name}")
        #expect(placed.usesAlbum)
        #expect(placed.render(item(), album: "Trips/Rome") == ["2024", "Trips", "Rome", "IMG_1.jpg"])
        #expect(placed.render(item(), album: nil) == ["2024", "IMG_1.jpg"])

        let joined = try PathTemplate("by {album} of {year}/{name}")
        #expect(joined.render(item(), album: "Trips/Rome") == ["by Trips", "Rome of 2024", "IMG_1.jpg"])
    }

    @Test func `whether the date of capture is used can be asked`() throws {
        #expect(try PathTemplate("{album}/{second}-{name}").usesCaptureTime)
        #expect(try !PathTemplate("{album}/{name}").usesCaptureTime)
    }

    @Test func `without a date of capture the local time of modification counts`() throws {
        let modified = Timestamp(nanoseconds: 1_700_000_000_123_456_789)
        var seconds = time_t(1_700_000_000)
        var local = tm()
        localtime_r(&seconds, &local)
        let rendered = try PathTemplate("{hour}{minute}.{ext}").render(
            item(captured: nil, modified: modified), album: nil)
        let number = Int(local.tm_hour) * 100 + Int(local.tm_min)
        #expect(rendered == [String(String(10_000 + number).dropFirst()) + ".jpg"])
    }

    @Test(arguments: [
        ("{nme}", "{nme}", "name", "column 1"),
        ("{year}/{mont}/{name}", "{mont}", "month", "column 8"),
        ("🌍{albun}", "{albun}", "album", "column 2"),
    ])
    func `an unknown placeholder is named with its column and the nearest ones`(
        template: String, wrong: String, nearest: String, column: String
    ) throws {
        let failure = try #require(throws: SubmitFailure.self) { try PathTemplate(template) }
        #expect(failure.remedy == .hold(.misconfigured, after: nil))
        #expect(failure.message.contains("unknown placeholder \(wrong)"))
        #expect(failure.message.contains("did you mean “\(nearest)”"))
        #expect(failure.message.contains(column))
    }

    @Test(arguments: [
        "", "/", "/abs/{name}", "{year}/", "a//{name}", "../{name}", "a/../{name}", "./{name}", "{name", "a{", "{}",
        "{sha256:0}", "{sha256:65}", "{sha256:x}", "{Name}",
    ])
    func `a template that cannot name a file is refused`(template: String) {
        #expect(throws: SubmitFailure.self) { try PathTemplate(template) }
    }

    @Test(arguments: [
        ("{year}", "{year}/{name}"), ("archive", "archive/{name}"), ("{name}/{year}", "{name}/{year}/{name}"),
        ("{year}/{stem}", "{year}/{stem}.{ext}"), ("{album}.{ext}", "{album}.{ext}/{name}"),
    ])
    func `a template that gives many photos one name is refused with one that does not`(
        template: String, better: String
    ) throws {
        let failure = try #require(throws: SubmitFailure.self) { try PathTemplate(template) }
        #expect(failure.message.contains("write “\(better)”"), "\(failure)")
        #expect(throws: Never.self) { try PathTemplate(better) }
    }

    @Test(arguments: [
        "{name}", "{year}/{stem}.{ext}", "{year}-{month}-{day}.{ext}", "{sha256:2}/{sha256}", "{stem}-{sha256:8}",
        "by {name}", "{hour}{minute}{second}.{ext}",
    ])
    func `a template that names files is taken`(template: String) {
        #expect(throws: Never.self) { try PathTemplate(template) }
    }

    @Test func `a wrong template is told in sentences that name each placeholder once`() throws {
        let settings = DestinationSettings(destination: "nas", values: ["template": "{yaer}/{name}"])
        let failure = try #require(throws: SubmitFailure.self) { try settings.template("template") }
        #expect(failure.message.hasSuffix("(column 1).") && !failure.message.contains(".."), "\(failure)")
        #expect(failure.message.split(separator: "sha256").count == 2, "\(failure)")
    }

    @Test func `no rendered part can leave its folder`() throws {
        #expect(try PathTemplate("{stem}/{name}").render(item("..jpg"), album: nil) == ["_", "..jpg"])
        #expect(try PathTemplate("{stem}{stem}/{name}").render(item("..x"), album: nil) == ["__", "..x"])
        #expect(try PathTemplate("{name}").render(item("a"), album: "../.") == ["__", "_", "a"])
        #expect(try PathTemplate("{name}").render(item("a"), album: "/x//y/") == ["x", "y", "a"])
        #expect(try PathTemplate("{name}").render(item("a/b\0c"), album: nil) == ["a-bc"])
        #expect(try PathTemplate("{name}").render(item("a"), album: "\0") == ["_", "a"])
        #expect(try PathTemplate("{name}").render(item("new\nline\u{1b}.jpg"), album: nil) == ["new\nline\u{1b}.jpg"])
    }

    /// To Swift a `/` with an accent on it is one character, and no `/`; to a file system it is one.
    @Test func `a slash is one whatever stands on it`() throws {
        #expect(try PathTemplate("{name}").render(item("a"), album: "../\u{301}x") == ["__", "\u{301}x", "a"])
        #expect(
            try PathTemplate("{album}-{name}").render(item("a"), album: "b/\u{301}/..") == ["b", "\u{301}", "..-a"])
        #expect(try PathTemplate("b/\u{301}{name}").render(item("a"), album: nil) == ["b", "\u{301}a"])
        for template in ["../\u{301}{name}", "/\u{301}{name}", "b/../\u{301}{name}"] {
            #expect(throws: SubmitFailure.self) { try PathTemplate(template) }
        }
    }

    @Test func `what is left without NUL leads nowhere either`() throws {
        #expect(try PathTemplate(".\0./{name}").render(item("a"), album: ".\0") == ["_", "__", "a"])
    }

    @Test func `an empty name part falls back on the item's name`() throws {
        #expect(try PathTemplate("{year}/{sha256}").render(item(sha256: []), album: nil) == ["2024", "IMG_1.jpg"])
    }

    @Test func `a long name is cut between characters and keeps its extension`() throws {
        let family = "👨‍👩‍👧‍👦"
        let rendered = try PathTemplate("{name}").render(
            item(String(repeating: family, count: 20) + ".jpeg"), album: nil)
        #expect(rendered == [String(repeating: family, count: 10) + ".jpeg"])
        let plain = try PathTemplate("x/{name}").render(item(String(repeating: "n", count: 300)), album: nil)
        #expect(plain.last?.utf8.count == 255)
        let odd = try PathTemplate("{name}").render(item("a" + String(repeating: "é", count: 200)), album: nil)
        #expect(odd.last?.utf8.count == 255)
        let even = try PathTemplate("{name}").render(item(String(repeating: "é", count: 200)), album: nil)
        #expect(even.last?.utf8.count == 254)
    }
}

@Suite struct FileNameTests {
    @Test(arguments: [
        ("IMG_1.jpg", "IMG_1-3.jpg"), ("noextension", "noextension-3"), (".profile", ".profile-3"),
        ("a.tar.gz", "a.tar-3.gz"), ("dot.", "dot.-3"), ("..jpg", ".-3.jpg"),
    ])
    func `a number goes before the extension`(name: String, numbered: String) {
        #expect(FileName(name).numbered(3) == numbered)
    }

    @Test func `a numbered name never grows past 255 bytes`() {
        let longest = String(repeating: "n", count: 251) + ".jpg"
        #expect(FileName(longest).numbered(12) == String(repeating: "n", count: 248) + "-12.jpg")
        #expect(FileName("a." + String(repeating: "x", count: 253)).numbered(1).utf8.count == 255)
        let zalgo = "e" + String(repeating: "\u{301}", count: 200) + ".png"
        #expect(FileName(zalgo).numbered(1).utf8.count <= 255)
        #expect(FileName(zalgo).numbered(1).utf8.starts(with: "e\u{301}\u{301}".utf8))
    }
}
