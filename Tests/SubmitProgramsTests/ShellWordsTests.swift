import SubmitPrograms
import Testing

@Suite struct `A command line` {
    // What Python 3.11's shlex.split makes of them.
    @Test(arguments: [
        ("", []), (" \t\n", []), ("a b  c", ["a", "b", "c"]), ("\ta\n b ", ["a", "b"]),
        (#""/opt/my tools/key" --user 'a b'"#, ["/opt/my tools/key", "--user", "a b"]),
        (#"a"b c"d'e f'"#, ["ab cde f"]), (#"'' """#, ["", ""]),
        (#"a\ b \\ \" \'"#, ["a b", "\\", "\"", "'"]),
        (#""a\"b\\c\d\$""#, [#"a"b\c\d\$"#]), (#"'a\b"c'"#, [#"a\b"c"#]),
        ("$HOME ~ `x` a;b #c *", ["$HOME", "~", "`x`", "a;b", "#c", "*"]), ("ü 写", ["ü", "写"]),
    ])
    func `is split as a shell splits it`(_ text: String, _ words: [String]) {
        #expect(ShellWords.split(text) == words)
    }

    @Test(arguments: ["'a", "\"a", "a\\", "\"a\\"])
    func `without an end is none`(_ text: String) {
        #expect(ShellWords.split(text) == nil)
    }
}
