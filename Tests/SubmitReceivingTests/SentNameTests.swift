import Testing

@testable import SubmitReceiving

@Suite struct `A stranger's name` {
    @Test(arguments: [
        ("IMG_1.jpg", "IMG_1.jpg", nil), ("../../etc/passwd", "passwd", "etc"), ("/abs/x.jpg", "x.jpg", "abs"),
        ("C:\\Users\\me\\a.jpg", "a.jpg", "C_/Users/me"), ("a/b/../c.jpg", "c.jpg", "a/b"), ("..", "unnamed", nil),
        ("", "unnamed", nil), ("...", "unnamed", nil), ("a\u{0}b.jpg", "ab.jpg", nil), ("%2f..%2fx", "%2f..%2fx", nil),
        ("\u{202e}gpj.exe", "gpj.exe", nil), ("\u{1b}[31mred.jpg", "[31mred.jpg", nil), ("CON", "_CON", nil),
        ("nul.jpg", "_nul.jpg", nil), ("com7.png", "_com7.png", nil), ("company.png", "company.png", nil),
        (".bashrc", "bashrc", nil), ("a.jpg. . ", "a.jpg", nil), ("e\u{301}.jpg", "\u{e9}.jpg", nil),
        ("a<b>:\"|?*.jpg", "a_b______.jpg", nil), ("dir/sub/file.jpg", "file.jpg", "dir/sub"),
        ("x/\u{338}y.jpg", "y.jpg", "x"), ("line\nbreak.jpg", "linebreak.jpg", nil), ("a\u{200b}b.jpg", "ab.jpg", nil),
        ("👩\u{200d}👧.jpg", "👩\u{200d}👧.jpg", nil), ("x\u{2028}y", "xy", nil),
        ("\\\\server\\share\\p.jpg", "p.jpg", "server/share"),
        // What is left out does not hide a mark, nor hold one apart from its letter.
        ("\u{0}\u{301}a.jpg", "a.jpg", nil), ("..\u{301} b.jpg", "b.jpg", nil),
        ("e\u{0}\u{301}.jpg", "\u{e9}.jpg", nil),
    ])
    func `becomes one that can be shown, and be a file's anywhere`(sent: String, name: String, folder: String?) {
        let fit = SentName(sent)
        #expect(fit.name.unicodeScalars.elementsEqual(name.unicodeScalars))
        #expect(fit.folder == folder)
    }

    @Test func `of any length has 255 bytes at the most, and its extension`() {
        for sent in [String(repeating: "a", count: 300) + ".jpg", String(repeating: "é", count: 300) + ".heic"] {
            let name = SentName(sent).name
            #expect(name.utf8.count <= 255 && name.utf8.count > 250)
            #expect(name.hasSuffix(sent.hasSuffix("jpg") ? ".jpg" : ".heic"))
        }
        #expect(SentName("." + String(repeating: "x", count: 400)).name.utf8.count == 255)
        #expect(SentName(String(repeating: "d/", count: 100_000) + "a.jpg").folder?.split(separator: "/").count == 8)
    }

    @Test func `has the folders before it that it comes with besides`() {
        #expect(SentName("sub/a.jpg", folder: "Camera/../Roll").folder == "Camera/Roll/sub")
    }
}
