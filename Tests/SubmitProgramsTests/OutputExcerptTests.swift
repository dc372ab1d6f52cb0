import SubmitPrograms
import Testing

@Suite struct `An excerpt of what a program printed` {
    @Test(arguments: [
        ("PUT https://me:s3cr3t@nas.example/a: refused", "PUT https://…@nas.example/a: refused"),
        ("PUT https://me@there:s3cr3t@nas.example: no", "PUT https://…@nas.example: no"),
        ("GET https://nas.example/a?sig=s3cr3t&x=1 failed", "GET https://nas.example/a?… failed"),
        ("token=s3cr3t is refused", "token=… is refused"), ("--password=s3cr3t", "--password=…"),
        ("X-Auth-Key:s3cr3t", "X-Auth-Key:…"), ("AWS_SECRET_ACCESS_KEY=s3cr3t", "AWS_SECRET_ACCESS_KEY=…"),
        ("Authorization: Bearer s3cr3t-word", "Authorization: Bearer …"), ("basic bWU6czNjcjN0", "basic …"),
        ("a known one: hush hush.", "a known one: …."), ("no token there", "no token there"),
        ("caf\u{e9} \u{1b}[31mred\u{202e}", "caf\u{e9} �[31mred�"), (" a \t b ", "a b"), ("", ""),
    ])
    func `is printable and without secrets`(text: String, shown: String) {
        #expect(OutputExcerpt.printable(text, hiding: ["hush hush", ""]) == shown)
    }

    @Test func `is the last line that says anything`() {
        func last(_ text: String) -> String? { OutputExcerpt.lastLine(of: Array(text.utf8), hiding: ["s3cr3t"]) }
        #expect(last("one\ntwo s3cr3t\r\n\n  \n") == "two …")
        #expect(last("") == nil)
        #expect(last("\n \n") == nil)
        #expect(OutputExcerpt.lastLine(of: [0x61, 0xff, 0x0a]) == "a�")
    }

    @Test func `is short`() {
        #expect(OutputExcerpt.printable(String(repeating: "x", count: 240)).count == 240)
        #expect(OutputExcerpt.printable(String(repeating: "x", count: 241)) == String(repeating: "x", count: 240) + "…")
    }
}
