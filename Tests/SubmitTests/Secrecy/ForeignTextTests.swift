import Submit
import Testing

@Suite struct `A text of others` {
    init() { for secret in ["hush hush", "s3cr3t", "0123456789abcdefghijklmnopqrstuv"] { KnownSecrets.add(secret) } }

    @Test(arguments: [
        ("PUT https://me:s3cr3t@nas.example/a: refused", "PUT https://…@nas.example/a: refused"),
        ("PUT https://me@there:s3cr3t@nas.example: no", "PUT https://…@nas.example: no"),
        ("GET https://nas.example/a?sig=s3cr3t&x=1 failed", "GET https://nas.example/a?… failed"),
        ("token=of-another is refused", "token=… is refused"), ("--password=of-another", "--password=…"),
        ("X-Auth-Key:of-another", "X-Auth-Key:…"), ("AWS_SECRET_ACCESS_KEY=of-another", "AWS_SECRET_ACCESS_KEY=…"),
        ("Authorization: Bearer an0ther-word", "Authorization: Bearer …"), ("basic bWU6czNjcjN0", "basic …"),
        ("the token expired.", "the token expired."), ("basic authentication", "basic authentication"),
        ("a known one: hush hush.", "a known one: …."), ("over a line: hush\r\n  hush.", "over a line: …."),
        ("no token there", "no token there"),
        ("caf\u{e9} \u{1b}[31mred\u{202e}", "caf\u{e9} �[31mred�"), (" a \t b ", "a b"), ("", ""),
    ])
    func `is one line, printable and without secrets`(text: String, shown: String) {
        #expect(ForeignText.line(text) == shown)
    }

    @Test func `is the last line that says anything`() {
        func last(_ text: String) -> String? { ForeignText.lastLine(of: Array(text.utf8)) }
        #expect(last("one\ntwo s3cr3t\r\n\n  \n") == "two …")
        #expect(last("hush hush\n") == "…")
        #expect(last("") == nil)
        #expect(last("\n \n") == nil)
        #expect(ForeignText.lastLine(of: [0x61, 0xff, 0x0a]) == "a�")
    }

    @Test func `is short, and no cut leaves a part of a secret`() {
        #expect(ForeignText.line(String(repeating: "x", count: 200)).count == 200)
        #expect(ForeignText.line(String(repeating: "x", count: 201)) == String(repeating: "x", count: 199) + "…")
        for before in 0..<40 {
            let secret = "0123456789abcdefghijklmnopqrstuv"
            let text = String(repeating: "\u{301}.", count: before) + String(repeating: secret, count: 3000)
            let line = ForeignText.line(text, longest: before + 20)
            #expect(line.unicodeScalars.allSatisfy { "\u{301}.…".unicodeScalars.contains($0) })
        }
    }

    @Test func `is soon done with, also where it is all secrets`() {
        #expect(KnownSecrets.redacted(String(repeating: "s3cr3t", count: 170_000)) == "…")
    }

    @Test func `keeps a word for programs that only looks like a secret`() {
        KnownSecrets.add("refused-word")
        #expect(ForeignText.code("invalid_grant") == "invalid_grant")
        #expect(ForeignText.code("s3cr3t") == "s3cr3t")
        #expect(ForeignText.code("refused-word") == "…")
        #expect(ForeignText.code("a\nb") == "a b")
    }
}
