import Foundation
import Testing

/// People meet one word for one state: `waiting`, `on hold` and the others of Words.md, and none that they have to learn.
@Suite struct `The words that people read` {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL
    private static var others: Regex<Substring> {
        /\b(?:owed?|owes|parks?|parked|unpark(?:ed)?|parking|seals?|sealed|passed[ -]over|queued|looked at anew)\b/
    }
    private static let stems = ["owe", "park", "seal", "passed", "queued", "anew"]
    /// Words that programs agreed on: the wire of version 1, the form of a secrets file, old journals' tables.
    private static let agreed = [
        "hold = \"park\"", "\"remedy\":\"park\"", "| `park` |", "sealed: 1", "code: \"seal\"", "'park'",
    ]

    private static func files(_ folder: String, _ ending: String) throws -> [(name: String, text: String)] {
        let root = package.appending(path: folder)
        let all = FileManager.default.enumerator(atPath: root.path)
        return try (try #require(all)).compactMap { $0 as? String }.filter { $0.hasSuffix(ending) }.map {
            ("\(folder)/\($0)", try String(contentsOf: root.appending(path: $0), encoding: .utf8))
        }
    }

    @Test func `are the same in every sentence of the sources`() throws {
        var lines = 0
        for (name, text) in try Self.files("Sources", ".swift") + Self.files("Plugins", ".swift")
        where !name.hasSuffix("/JournalSchema.swift") {
            var isInText = false
            for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                lines += 1
                if line.contains("\"\"\"") { isInText.toggle() }
                // Few lines have any of it, and a regular expression takes its time.
                guard Self.stems.contains(where: line.contains) else { continue }
                if Self.agreed.contains(where: line.contains) { continue }
                if !isInText, line.utf8.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "/") { continue }
                let texts = isInText ? [line] : line.matches(of: /"((?:[^"\\]|\\.)*)"/).map(\.1)
                for text in texts {
                    if let found = text.firstMatch(of: Self.others) {
                        Issue.record(
                            "\(name):\(number + 1) says “\(found.0)”: \(line.trimmingPrefix(while: \.isWhitespace))")
                    }
                }
            }
        }
        #expect(lines > 30_000)
    }

    @Test func `are the same in what is written for them`() throws {
        let readme = try String(contentsOf: Self.package.appending(path: "README.md"), encoding: .utf8)
        for (name, text) in try Self.files("Sources", ".md") + [("README.md", readme)] {
            for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            where Self.stems.contains(where: line.contains) && !Self.agreed.contains(where: line.contains) {
                if let found = line.firstMatch(of: Self.others) {
                    Issue.record("\(name):\(number + 1) says “\(found.0)”: \(line)")
                }
            }
        }
    }

    @Test(arguments: ["2 photos owed to nas", "it is parked", "1 file passed over", "{\"event\":\"passed-over\"}"])
    func `are not these`(text: String) { #expect(text.contains(Self.others)) }
}
