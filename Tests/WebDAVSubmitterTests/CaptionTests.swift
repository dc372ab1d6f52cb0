import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import SubmitXML
import Testing

@testable import WebDAVSubmitter

@Suite struct `Captions and tags at a WebDAV server` {
    private let bytes = ScriptedBytes(ScriptedBytes.content(count: 1000))
    private static let caption = "Am “Hafen” <&>'\"]]> \u{1}\u{b}🌅\r\nsecond line\ttab \u{fffe}end"
    private static let kept = "Am “Hafen” <&>'\"]]> 🌅\r\nsecond line\ttab end"
    private static let tags = ["a&b", "c\"d<e>", "", "写真", "👩‍👩‍👧"]

    @Test(arguments: [DAVFront.apache, .sabre])
    func `are properties that outlive the move`(_ front: DAVFront) async throws {
        let access = try await front.access()
        let folder = "captions-\(UUID().uuidString.lowercased())"
        let receipt = try await access.submitter(["folder": folder, "captions": "properties"])
            .submit(bytes, caption: Self.caption, tags: Self.tags)
        #expect(receipt.note == nil)
        let path = "/dav/\(folder)/a.jpg"
        let caption = try await access.property(.dublinCore("description"), of: path)
        // Some write a carriage return as it is, which ends as a line feed where XML is read.
        #expect(caption?.replacing("\r\n", with: "\n") == Self.kept.replacing("\r\n", with: "\n"))
        #expect(try await access.property(.dublinCore("subject"), of: path) == "a&b; c\"d<e>; 写真; 👩‍👩‍👧")
    }

    @Test(arguments: [nil, "none", "properties", "sidecar"])
    func `are refused before anything is sent where they go nowhere`(_ captions: String?) throws {
        let settings = captions.map { ["captions": $0] } ?? [:]
        let limit = try FakeDAV().submitter(settings).capabilities.captionLimit
        #expect(limit == (captions == nil || captions == "none" ? 0 : nil))
    }

    @Test func `that are not kept are a note and no failure`() async throws {
        for manners in [[FakeDAV.Manner.keepsNoProperties], []] as [Set<FakeDAV.Manner>] {
            let server = FakeDAV(manners)
            let receipt = try await server.submitter(["captions": "properties"]).submit(bytes, caption: "Harbour")
            #expect(server.files == ["a.jpg": bytes.content])
            #expect((receipt.note?.contains("does not keep the caption") ?? false) == !manners.isEmpty, "\(receipt)")
        }
    }

    /// The texts of an XMP packet by the local names of what they stand in.
    private func texts(_ packet: [UInt8]) throws -> [String: [String]] {
        var found: [String: [String]] = [:]
        let root = try XMLReader.texts(packet) { path, text in
            if path.last == "li" || path.last == "DateCreated" {
                found[path.dropFirst(2).first ?? "", default: []].append(text)
            }
        }
        #expect(root == "xmpmeta")
        return found
    }

    @Test(arguments: [DAVFront.apache, .nginx, .sabre])
    func `are an XMP file beside the photo`(_ front: DAVFront) async throws {
        let access = try await front.access()
        let folder = "captions-\(UUID().uuidString.lowercased())"
        let submitter = try access.submitter(["folder": folder, "captions": "sidecar"])
        let receipt = try await submitter.submit(bytes, caption: Self.caption, tags: Self.tags)
        #expect(receipt.note == nil)
        _ = try await submitter.submit(bytes, named: "b.jpg", as: "test-2")
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(access.data)/\(folder)")
            .filter { ![".DAV", ".sabredav"].contains($0) }
        #expect(files.sorted() == ["a.jpg", "a.jpg.xmp", "b.jpg"])
        let packet = Array(try Data(contentsOf: URL(fileURLWithPath: "\(access.data)/\(folder)/a.jpg.xmp")))
        let texts = try texts(packet)
        #expect(texts["description"] == [Self.kept] && texts["subject"] == Self.tags.filter { !$0.isEmpty })
        #expect(texts["DateCreated"] == ["2024-05-17T18:42:07+02:00"])
    }

    @Test func `beside the photo are still owed when only the photo was stored`() async throws {
        let breaks = Locked(true)
        let server = FakeDAV { request, _ in
            let isSidecar =
                request.method == "MOVE"
                && request.headers.contains { $0.name == "Destination" && $0.value.hasSuffix(".xmp") }
            return isSidecar && breaks.withLock({ $0 }) ? .failure(.broken("reset", afterBody: true)) : nil
        }
        let submitter = try server.submitter(["captions": "sidecar"])
        let found = try await failure { () async throws(SubmitFailure) in
            try await submitter.submit(bytes, caption: "Harbour")
        }
        #expect(found.remedy == .tryAnother(after: nil))
        #expect(server.files["a.jpg"] == bytes.content && server.files["a.jpg.xmp"] == nil)
        breaks.withLock { $0 = false }
        let receipt = try await server.submitter(["captions": "sidecar"]).submit(bytes, attempt: 2, caption: "Harbour")
        #expect(receipt.wasThere && receipt.remoteID == "a.jpg")
        #expect(server.files.keys.sorted() == ["a.jpg", "a.jpg.xmp"])
        let again = try await server.submitter(["captions": "sidecar"]).submit(bytes, as: "test-3", caption: "Harbour")
        #expect(again.note == nil && server.files.count == 2)
    }

    @Test func `beside the photo take no other file's place unless that is asked for`() async throws {
        let server = FakeDAV()
        server.put([1, 2, 3], "a.jpg.xmp")
        let submitter = try server.submitter(["captions": "sidecar"])
        let receipt = try await submitter.submit(bytes, caption: "Harbour")
        #expect(server.files == ["a.jpg": bytes.content, "a.jpg.xmp": [1, 2, 3]])
        #expect(receipt.note?.contains("a.jpg.xmp") ?? false, "\(receipt)")
        _ = try await submitter.submit(bytes, as: "test-2", caption: "Harbour", onConflict: .overwrite)
        #expect(try texts(try #require(server.files["a.jpg.xmp"]))["description"] == ["Harbour"])
        #expect(server.files.count == 2)
    }
}
