import SubmitStore
import Foundation
import HTTPTypes
import Submit
import SubmitReceiving
import Testing

@testable import SubmitServe

@Suite struct `By tus` {
    private let house: House
    private let version: HTTPFields = [.tusResumable: "1.0.0"]

    init() throws { house = try House() }

    private func fields(_ more: HTTPFields) -> HTTPFields {
        var fields = version
        for field in more { fields.append(field) }
        return fields
    }

    private func create(_ count: Int, _ token: String) async throws -> String {
        let answer = try await house.ask(
            .post, "/files", fields([.uploadLength: "\(count)", .uploadMetadata: "filename YS5qcGc="]), token: token)
        #expect(answer.status == 201)
        return try #require(answer.fields[.location])
    }

    private func patch(_ bytes: some Sequence<UInt8>, at offset: Int, _ more: HTTPFields = [:]) -> (HTTPFields, [UInt8])
    {
        var fields = fields([.contentType: "application/offset+octet-stream", .uploadOffset: "\(offset)"])
        for field in more { fields.append(field) }
        return (fields, Array(bytes))
    }

    @Test func `a file comes in pieces and arrives with the last`() async throws {
        let token = try await house.enter()
        let photo = jpeg(5000)
        let url = try await create(photo.count, token)
        let first = patch(photo.prefix(2000), at: 0)
        let one = try await house.ask(.patch, url, first.0, first.1, token: token)
        #expect(one.status == 204 && one.fields[.uploadOffset] == "2000" && one.fields[.uploadExpires] != nil)
        let head = try await house.ask(.head, url, version, token: token)
        #expect(head.status == 200 && head.fields[.uploadOffset] == "2000" && head.fields[.uploadLength] == "5000")
        #expect(head.fields[.cacheControl] == "no-store")
        let second = patch(photo.dropFirst(2000), at: 2000)
        #expect(try await house.ask(.patch, url, second.0, second.1, token: token).status == 204)
        // Its answer was lost: it is asked again, and asked for.
        #expect(try await house.ask(.head, url, version, token: token).fields[.uploadOffset] == "5000")
        let again = patch([], at: 5000)
        #expect(try await house.ask(.patch, url, again.0, again.1, token: token).status == 204)
        try await house.pay()
        let status = try await house.ask(.get, "/status", token: token)
        #expect(status.text.contains(#""safe":true"#) && status.text.contains(Hexadecimal.text(of: sha256(photo))))
    }

    @Test func `a file may come with its creation`() async throws {
        let token = try await house.enter()
        let photo = jpeg(300)
        let answer = try await house.ask(
            .post, "/files",
            fields([
                .uploadLength: "300", .contentType: "application/offset+octet-stream",
                .uploadMetadata: "filename YS5qcGc=",
            ]),
            photo, token: token)
        #expect(answer.status == 201 && answer.fields[.uploadOffset] == "300")
    }

    @Test func `what is wrong has the status that tus says`() async throws {
        let token = try await house.enter()
        let photo = jpeg(100)
        #expect(try await house.ask(.post, "/files", [.uploadLength: "1"], token: token).status == 412)
        #expect(try await house.ask(.post, "/files", version, token: token).status == 400)
        let url = try await create(100, token)
        let wrong = patch(photo, at: 7)
        let conflict = try await house.ask(.patch, url, wrong.0, wrong.1, token: token)
        #expect(conflict.status == 409 && conflict.fields[.uploadOffset] == "0")
        #expect(conflict.fields[.tusResumable] == "1.0.0")
        let type = fields([.contentType: "image/jpeg", .uploadOffset: "0"])
        #expect(try await house.ask(.patch, url, type, photo, token: token).status == 415)
        let long = patch(photo + photo, at: 0)
        #expect(try await house.ask(.patch, url, long.0, long.1, token: token).status == 413)
        let bad = patch(photo, at: 0, [.uploadChecksum: "sha1 \(Data(count: 20).base64EncodedString())"])
        #expect(try await house.ask(.patch, url, bad.0, bad.1, token: token).status == 460)
        let other = patch(photo, at: 0, [.uploadChecksum: "md5 AAAA"])
        #expect(try await house.ask(.patch, url, other.0, other.1, token: token).status == 400)
        #expect(try await house.ask(.head, "/files/0000", version, token: token).status == 404)
        #expect(try await house.ask(.delete, url, version, token: token).status == 204)
        let gone = patch(photo, at: 0)
        #expect([404, 410].contains(try await house.ask(.patch, url, gone.0, gone.1, token: token).status))
    }

    @Test func `a checksum that is right is taken, by another method's name, too`() async throws {
        let token = try await house.enter()
        let photo = jpeg(100)
        let url = try await create(100, token)
        let digest = Data(sha256(photo)).base64EncodedString()
        let whole = patch(photo, at: 0, [.uploadChecksum: "sha256 \(digest)", .methodOverride: "PATCH"])
        #expect(try await house.ask(.post, url, whole.0, whole.1, token: token).status == 204)
    }

    @Test func `what can be done is told`() async throws {
        let answer = try await house.ask(.options, "/files")
        #expect(answer.status == 204 && answer.fields[.tusVersion] == "1.0.0")
        #expect(answer.fields[.tusChecksumAlgorithm] == "sha1,sha256")
    }
}

@Suite struct `By other dialects` {
    private let house: House

    init() throws { house = try House() }

    @Test func `a photo is put, with its digest, and no half of one`() async throws {
        let token = try await house.enter()
        let photo = jpeg(4000)
        let digest = "sha-256=:\(Data(sha256(photo)).base64EncodedString()):"
        let repr = HTTPField.Name("Repr-Digest")!
        let put = try await house.ask(
            .put, "/put/2026/a%20b.jpg", [.contentLength: "4000", repr: digest], photo, token: token)
        #expect(put.status == 201 && put.text.contains(#""name":"a b.jpg""#))
        let other = try await house.ask(
            .put, "/put/c.jpg", [.contentLength: "3000", repr: digest], jpeg(3000, 2), token: token)
        #expect(other.status == 422)
        let short = try await house.ask(.put, "/put/d.jpg", [.contentLength: "4000"], jpeg(3000, 3), token: token)
        #expect([400, 409].contains(short.status))
        let text = try await house.ask(.put, "/put/e.jpg", [.contentLength: "5"], Array("hello".utf8), token: token)
        #expect(text.status == 422)
        try await house.pay()
        let status = try await house.ask(.get, "/status", token: token).text
        #expect(status.components(separatedBy: #""state":"arrived""#).count == 2)
    }

    @Test func `a form brings several`() async throws {
        let token = try await house.enter()
        var body: [UInt8] = []
        for (name, bytes) in [("a.jpg", jpeg(900, 1)), ("b.txt", Array("hello".utf8)), ("c.jpg", jpeg(800, 2))] {
            body += Array("--xYz\r\nContent-Disposition: form-data; name=\"files\"; filename=\"\(name)\"\r\n\r\n".utf8)
            body += bytes + Array("\r\n".utf8)
        }
        body += Array("--xYz--\r\n".utf8)
        let type: HTTPFields = [.contentType: "multipart/form-data; boundary=xYz"]
        let answer = try await house.ask(.post, "/form", type, body, token: token)
        #expect(answer.status == 200 && answer.text.contains("2 arrived.") && answer.text.contains("b.txt"))
        let cut = try await house.ask(.post, "/form", type, Array(body.dropLast(12)), token: token)
        #expect(cut.status == 400)
    }

    @Test func `what is there already need not be sent`() async throws {
        let token = try await house.enter()
        let photo = jpeg(700)
        let offer = Array(
            #"{"files": [{"name": "a.jpg", "size": 700, "sha256": "\#(Hexadecimal.text(of: sha256(photo)))"}]}"#.utf8)
        let json: HTTPFields = [.contentType: "application/json"]
        #expect(try await house.ask(.post, "/offer", json, offer, token: token).text.contains(#""want""#))
        #expect(try await house.ask(.put, "/put/a.jpg", [.contentLength: "700"], photo, token: token).status == 201)
        try await house.pay()
        #expect(try await house.ask(.post, "/offer", json, offer, token: token).text.contains(#""have""#))
        #expect(try await house.ask(.post, "/offer", json, Array("[]".utf8), token: token).status == 400)
        let huge = [UInt8](repeating: 0x20, count: 2 << 20)
        #expect(try await house.ask(.post, "/offer", json, huge, token: token).status == 413)
    }

    @Test(.timeLimit(.minutes(1))) func `events tell all there is, and end with the session`() async throws {
        let token = try await house.enter()
        _ = try await house.ask(.put, "/put/a.jpg", [.contentLength: "700"], jpeg(700), token: token)
        async let events = house.ask(.get, "/events", token: token)
        try await Task.sleep(for: .milliseconds(300))
        #expect(try await house.ask(.delete, "/session", token: token).status == 204)
        let text = try await events.text
        #expect(text.contains("event: files\ndata: {") && text.contains("a.jpg") && text.contains("event: end"))
        #expect(try await house.ask(.get, "/status", token: token).status == 410)
    }
}
