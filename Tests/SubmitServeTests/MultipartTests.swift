import HTTPTypes
import Submit
import SubmitReceiving
import SubmitStore
import Testing

@testable import SubmitServe

@Suite struct `A form` {
    private static let type = "multipart/form-data; boundary=xYz"

    /// All that comes of it, in pieces of one size.
    private func events(_ body: String, by size: Int = .max) throws -> [MultipartParser.Event] {
        var parser = try #require(MultipartParser(contentType: Self.type))
        var events: [MultipartParser.Event] = []
        var rest = Array(body.utf8)[...]
        while true {
            while let event = try parser.next() {
                if case .data(let bytes) = event, case .data(let before)? = events.last {
                    events[events.count - 1] = .data(before + bytes)
                } else {
                    events.append(event)
                }
                if event == .end { return events }
            }
            if rest.isEmpty { parser.finish() } else { parser.push(rest.prefix(size)) }
            rest = rest.dropFirst(size)
        }
    }

    private static let two = """
        --xYz\r
        Content-Disposition: form-data; name="files"; filename="a \\%22b%22.jpg"\r
        Content-Type: image/jpeg\r
        \r
        one\r
        --xY\r
        \r
        --xYz\r
        content-disposition: form-data; name="note"\r
        \r
        \r
        --xYz--\r

        """

    @Test func `is read by bytes, so that no sign hides another one`() throws {
        // A combining accent after a quote, which makes one character of the two.
        let fields = try #require(
            MultipartFields("Content-Disposition: form-data; name=\"a\"; filename=\"\u{301}b%0d%0A%41.jpg\"".utf8))
        #expect(fields.fileName == "\u{301}b\r\n%41.jpg")
        for line in [
            "Content-Disposition: form-data; name=\"a\"\u{301}; filename=\"b\"",
            "Content-Disposition: form-data; name=\"a\r\nb\"",
            "Content-Disposition: form-data; name=\"a\r\"",
            "Content-Disposition: form-data; name=a", "Content-Disposition: form-data; filename=\"b\"",
            "Content-Disposition: form-data; name=\"a\"; name=\"b\"", "Content-Disposition: form-data; name=\"a",
            "Content-Disposition: form-dat", "Content-Disposition", "\0: a", "",
        ] { #expect(MultipartFields(line.utf8) == nil, "\(line)") }
    }

    @Test(arguments: [1, 2, 3, 5, 7, 64, 1 << 20]) func `is the same in pieces of any size`(_ size: Int) throws {
        let events = try events(Self.two, by: size)
        #expect(
            events == [
                .part(
                    try #require(
                        MultipartFields(
                            #"Content-Disposition: form-data; name="files"; filename="a \%22b%22.jpg"\#r\#nContent-Type: image/jpeg"#
                                .utf8))),
                .data(Array("one\r\n--xY\r\n".utf8)), .partEnd,
                .part(try #require(MultipartFields(#"content-disposition: form-data; name="note""#.utf8))), .partEnd,
                .end,
            ])
        guard case .part(let fields) = events[0] else { return }
        #expect(fields.fileName == #"a \"b".jpg"#)
        #expect(fields.type == "image/jpeg")
    }

    @Test func `is refused where it is written otherwise`() throws {
        #expect(throws: MultipartParser.Fault.boundary) { try events("--other\r\n\r\n") }
        #expect(throws: MultipartParser.Fault.boundary) { try events("--xYzabc") }
        #expect(throws: MultipartParser.Fault.fields) { try events("--xYz\r\nno field\r\n\r\n") }
        #expect(throws: MultipartParser.Fault.fields) {
            try events("--xYz\r\n" + String(repeating: "a", count: 9 << 10) + ": b\r\n\r\n")
        }
        #expect(throws: MultipartParser.Fault.truncated) { try events(String(Self.two.dropLast(9))) }
        for type in [
            "text/plain", "multipart/form-data", "multipart/form-data; boundary=",
            "multipart/form-data; boundary=a\u{7f}",
        ] {
            #expect(MultipartParser(contentType: type) == nil, "\(type)")
        }
    }

    @Test func `holds so many parts and no more`() throws {
        var parser = try #require(MultipartParser(contentType: Self.type, mostParts: 2))
        let part = "--xYz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n"
        parser.push((part + part + part).utf8)
        #expect(throws: MultipartParser.Fault.tooManyParts) { while try parser.next() != nil {} }
    }

    /// Any bytes, in any pieces: it ends, and what it hands out is no more than what came.
    @Test func `of any bytes ends`() throws {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "--xYz", "\r\n", "--", "Content-Disposition: form-data; name=\"a\"", "; filename=\"", "\"", "\0", "é", ":",
            "\r",
        ]
        for _ in 0..<2000 {
            let body = (0..<Int.random(in: 0..<20, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
            var parser = try #require(MultipartParser(contentType: Self.type))
            parser.push(("--xYz\r\n" + body).utf8)
            parser.finish()
            var count = 0
            while let event = try? parser.next() {
                if case .data(let bytes) = event { count += bytes.count }
                if event == .end { break }
            }
            #expect(count <= body.utf8.count)
        }
    }
}

@Suite struct `Metadata of tus` {
    @Test func `are keys with values in base64`() throws {
        let data = try #require(TusMetadata("filename Zm90by5qcGc=,lastModified MTcwMDAwMDAwMDAwMA==,flag"))
        #expect(data.name == "foto.jpg")
        #expect(data.values["flag"] == "")
        let offer = data.offer(length: 5)
        #expect(offer.modified?.seconds == 1_700_000_000)
        #expect(TusMetadata("")?.values == [:])
    }

    @Test(arguments: ["a b c", "a !", "a YQ==,a YQ==", "a /w==", "a " + String(repeating: "A", count: 9000)])
    func `are refused where they are written otherwise`(_ text: String) { #expect(TusMetadata(text) == nil) }
}
