import Submit
import SystemPackage
import Testing

@testable import SubmitConfiguration

/// `config.yaml` as a text that is edited.
@Suite struct `The text of the configuration` {
    private static let lines = [
        "# Mine.", "destinations:", "  attic:", "    type: file", "    path: /a", "  cellar:", "    type: file",
        "    path: /b",
    ]

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `keeps its lines' ends`(_ end: String) throws {
        let before = Self.lines.map { $0 + end }.joined()
        var text = ConfigurationText(before, path: "/config.yaml")
        try text.add("card", type: "file", values: [("path", "/c")])
        try text.set("jobs", "2", of: "attic")
        let after = try ConfigurationFile(text.text, path: "/config.yaml")
        #expect(after.destinations["card"]?.values["path"]?.text == "/c")
        #expect(after.destinations["attic"]?.values["jobs"]?.text == "2")
        try text.remove("card")
        #expect(text.text == before.replacing("    path: /a", with: "    jobs: '2'\(end)    path: /a"))
    }

    @Test(arguments: ["it's", "it'\u{301}s: no # comment", "\u{600}'\u{600}''", "\"'\u{20dd}\\ {x}"])
    func `keeps values as they are, whatever is joined to their signs`(_ value: String) throws {
        var text = ConfigurationText(Self.lines.joined(separator: "\n"), path: "/config.yaml")
        try text.add("card", type: "file", values: [("path", value)])
        try text.set("name", value, of: "attic")
        let after = try ConfigurationFile(text.text, path: "/config.yaml")
        for kept in [after.destinations["card"]?.values["path"], after.destinations["attic"]?.values["name"]] {
            #expect(try #require(kept).text.unicodeScalars.elementsEqual(value.unicodeScalars))
        }
    }

    /// Those that only YAML takes for one.
    @Test(arguments: ["\u{85}", "\u{2028}", "\u{2029}"])
    func `is counted in lines as YAML counts them`(_ end: String) throws {
        var text = ConfigurationText(
            "# Mine.\(end)# Yours.\n" + Self.lines.joined(separator: "\n"), path: "/config.yaml")
        try text.remove("attic")
        let after = try ConfigurationFile(text.text, path: "/config.yaml")
        #expect(after.destinations.keys.sorted() == ["cellar"])
        #expect(text.text.hasPrefix("# Mine.\(end)# Yours.\n"))
    }

    /// Where an edit would do something else, it is not done.
    @Test(arguments: [
        "destinations:\n  attic: {type: file,\n  path: /a}\n  cellar:\n    path: /b\n", "destinations: ~\n",
        "destinations:\n  ? attic\n  : path: /a\n  cellar: {path: /b}\n",
        "destinations:\n  \"attic\": {path: /a}\n  cellar: {path: /b}\n",
        "destinations:\n  attic: &a\n    path: /a\n  cellar: *a\n",
    ])
    func `is edited as asked or not at all`(_ before: String) throws {
        let file = try ConfigurationFile(before, path: "/config.yaml")
        var text = ConfigurationText(before, path: "/config.yaml")
        if (try? text.add("card", type: "file", values: [("path", "/c")])) != nil {
            let after = try ConfigurationFile(text.text, path: "/config.yaml")
            #expect(after.destinations["card"]?.values["path"]?.text == "/c")
            #expect(after.destinations.count == file.destinations.count + 1)
        } else {
            #expect(text.text == before)
        }
        text = ConfigurationText(before, path: "/config.yaml")
        if (try? text.remove("attic")) != nil {
            let after = try ConfigurationFile(text.text, path: "/config.yaml")
            #expect(
                after.destinations.mapValues { $0.values["path"]?.text } == ["cellar": "/b"]
                    || file.destinations.isEmpty)
        } else {
            #expect(text.text == before)
        }
    }
}
