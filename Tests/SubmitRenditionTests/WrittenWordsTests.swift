import Foundation
import Submit
import SubmitRendition
import SystemPackage
import TestServers
import Testing

@Suite struct WrittenWordsTests {
    private static let hostile = [
        "A <b>bold</b> & \"quoted\" 'word'", "&lt;&amp;lt;]]><!--", "e\u{301} <\u{301} &\u{301} >\u{301}",
        "日本 👨‍👩‍👧‍👦", "GPS location +35.1234+139.1234/ 35.6762, 139.6503", "two\nlines", "Exif\u{0}\u{0}II*\u{0}",
        "ab", "http://ns.adobe.com/xap/1.0/", "rdf:li", "\n", "",
    ]

    private static func words(_ text: String) throws -> PhotoWords {
        var item = MediaItem(
            source: "/a.jpg", name: "a.jpg", size: 1,
            type: MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg"),
            modified: Timestamp(nanoseconds: 0),
            digests: Digests())
        (item.caption, item.tags) = (text, [text, "harbour"])
        return PhotoWords(
            of: item, by: PhotoCredit(creator: text, copyright: "© \(text)"),
            try RenditionPolicy("write=caption,tags,creator,copyright"))
    }

    private static func copy(_ bytes: [UInt8], _ name: String, _ words: PhotoWords) throws -> [UInt8] {
        var copy: [UInt8] = []
        try CleanCopy.make(
            of: MemoryBytes(bytes), type: LeakyPhotos.type(of: name), name: name, keeping: KeptFact.publishable,
            writing: words, write: { (piece) throws(SubmitFailure) in copy += piece })
        return copy
    }

    @Test func `words that were asked for are in a photo, and none else pass`() async throws {
        let photos = try await LeakyPhotos.make()
        for name in photos.names where CleanCopy.canWrite(into: LeakyPhotos.type(of: name)) {
            let type = LeakyPhotos.type(of: name)
            for text in Self.hostile {
                let words = try Self.words(text)
                let bytes = MemoryBytes(try Self.copy(photos.folder.bytes(name), name, words))
                func traces(_ words: PhotoWords) throws -> [Trace] {
                    try MetadataScan.traces(in: bytes, type: type, allowing: KeptFact.publishable, telling: words)
                }
                let found = try traces(words)
                #expect(found.isEmpty, "\(name) \(text): \(found)")
                #expect(try !traces(.none).isEmpty, "\(name) \(text)")
                #expect(try !traces(Self.words("another")).isEmpty, "\(name) \(text)")
            }
        }
    }

    @Test func `other programs read them as they were said`() async throws {
        let photos = try await LeakyPhotos.make()
        let copies = TemporaryFolder()
        let caption = "Harbour <at> dusk & dawn – 日本"
        for name in ["NE.jpg", "NE.png", "NE.webp"] {
            let copy = try Self.copy(photos.folder.bytes(name), name, try Self.words(caption))
            try Data(copy).write(to: URL(fileURLWithPath: copies.path(name)))
            let text = try await ChildProcess.output(
                of: [
                    "exiftool", "-j", "-a", "-G1", "-XMP:all", "-IFD0:ImageDescription", "-IFD0:Artist",
                    "-IFD0:Copyright",
                    "-validate", copies.path(name),
                ], within: 60)
            let tags = (try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])?.first ?? [:]
            #expect(tags["XMP-dc:Description"] as? String == caption, "\(name): \(text)")
            #expect(tags["XMP-dc:Creator"] as? String == caption, "\(name)")
            #expect(tags["XMP-dc:Rights"] as? String == "© \(caption)", "\(name)")
            #expect(tags["XMP-dc:Subject"] as? [String] == [caption, "harbour"], "\(name)")
            #expect(tags["IFD0:ImageDescription"] as? String == caption, "\(name)")
            #expect(tags["IFD0:Artist"] as? String == caption, "\(name)")
            #expect(tags["IFD0:Copyright"] as? String == "© \(caption)", "\(name)")
        }
    }
}
