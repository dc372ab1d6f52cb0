import SubmitHTTP
import Testing

@Suite struct `A web form` {
    /// RFC 6749, appendix B.
    @Test func `forms are encoded as the standard does it`() {
        #expect(WebForm.encode(" %&+£€") == "+%25%26%2B%C2%A3%E2%82%AC")
        #expect(WebForm.encode([("a b", "c=d"), ("e", "")]) == "a+b=c%3Dd&e=")
    }

    @Test(arguments: [
        ("a=b&c=d", [("a", "b"), ("c", "d")]), ("c2&a3=2+q", [("c2", ""), ("a3", "2 q")]), ("", []), ("&&", []),
        ("a=b=c", [("a", "b=c")]), ("a=%", [("a", "%")]), ("a=%4", [("a", "%4")]), ("%61=%e2%82%AC", [("a", "€")]),
        ("a=%ff", [("a", "\u{fffd}")]), ("=x", [("", "x")]),
    ])
    func `forms are read`(text: String, fields: [(String, String)]) {
        let read = WebForm.decode(text)
        #expect(read.map(\.name) == fields.map(\.0) && read.map(\.value) == fields.map(\.1))
    }
}
