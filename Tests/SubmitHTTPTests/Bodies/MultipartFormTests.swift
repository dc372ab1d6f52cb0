import Submit
import SubmitHTTP
import Testing

@Suite
struct MultipartFormTests {
    @Test func `parts come in their order, framed as RFC 7578 says`() throws {
        let media = SmallBytes(Array("0123456789".utf8))
        let form = try MultipartForm(
            [
                .init("title", .text("Fjord")),
                .init("json", type: "application/json", .text("{}")),
                .init("file", filename: "a.jpg", type: "image/jpeg", .media(media, 2..<5)),
            ], boundary: "B")
        let expected = """
            --B\r
            Content-Disposition: form-data; name="title"\r
            \r
            Fjord\r
            --B\r
            Content-Disposition: form-data; name="json"\r
            Content-Type: application/json\r
            \r
            {}\r
            --B\r
            Content-Disposition: form-data; name="file"; filename="a.jpg"\r
            Content-Type: image/jpeg\r
            \r
            234\r
            --B--\r\n
            """
        #expect(form.contentType == "multipart/form-data; boundary=B")
        #expect(String(decoding: try form.body.contents(), as: UTF8.self) == expected)
        #expect(form.body.length == Int64(expected.utf8.count))
    }

    @Test(arguments: [
        ("写真 é.jpg", "写真 é.jpg"), ("a\"b\\c%22.jpg", "a%22b\\c%22.jpg"),
        ("a\r\nContent-Type: evil", "a%0D%0AContent-Type: evil"), ("a\0b", "a%00b"),
    ])
    func `a name goes as it is, but for what would end it`(name: String, sent: String) throws {
        let form = try MultipartForm([.init(name, filename: name, .text("x"))], boundary: "B")
        let text = String(decoding: try form.body.contents(), as: UTF8.self)
        #expect(
            text.hasPrefix("--B\r\nContent-Disposition: form-data; name=\"\(sent)\"; filename=\"\(sent)\"\r\n\r\nx"))
    }

    @Test(arguments: ["image/jpeg\r\nX: y", "a\0", "é"])
    func `a type that would break out of its header is refused`(type: String) {
        #expect(throws: HTTPFailure.self) { try MultipartForm([.init("a", type: type, .text(""))]) }
    }

    @Test func `each form has a boundary of its own`() throws {
        let forms = try (0..<8).map { _ in try MultipartForm([.init("a", .text("b"))]) }
        #expect(Set(forms.map(\.contentType)).count == 8)
        for form in forms {
            let boundary = form.contentType.dropFirst("multipart/form-data; boundary=".count)
            #expect((20...70).contains(boundary.utf8.count))
            #expect(boundary.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) })
        }
    }
}
