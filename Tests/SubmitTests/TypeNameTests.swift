import Foundation
import Testing

/// A name is looked for in the whole package: by its reader, and by whoever changes what it names.
@Suite struct `The name of a type` {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    @Test func `at the top of a file is no other type's, whatever that one is part of`() throws {
        var places: [String: [(place: String, isTop: Bool)]] = [:]
        for folder in ["Sources", "Plugins"] {
            let all = FileManager.default.enumerator(atPath: Self.package.appending(path: folder).path)
            for case let name as String in try #require(all)
            where name.hasSuffix(".swift") && !name.contains("/Templates/") {
                let text = try String(contentsOf: Self.package.appending(path: "\(folder)/\(name)"), encoding: .utf8)
                for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
                    guard let found = Self.declared(in: Substring(line)) else { continue }
                    places[found.name, default: []].append(("\(folder)/\(name)", found.isTop))
                }
            }
        }
        #expect(places.count > 700)
        let shared = places.filter { $0.value.count > 1 && $0.value.contains(where: \.isTop) }
        for (name, places) in shared {
            Issue.record("“\(name)” is declared in \(places.map(\.place).sorted().joined(separator: " and ")).")
        }
    }

    @Test(arguments: [
        ("public final class Run: Sendable {", "Run", true), ("    private struct State {", "State", false),
        ("package enum Word: String {", "Word", true), ("typealias Lease = (Int, Int)", "Lease", true),
    ])
    func `is found in its declaration`(line: String, name: String, isTop: Bool) throws {
        let found = try #require(Self.declared(in: Substring(line)))
        #expect(found.name == name && found.isTop == isTop)
        #expect(Self.declared(in: "// \(line)") == nil && Self.declared(in: "    let structure = \(name)()") == nil)
    }

    private static func declared(in line: Substring) -> (name: String, isTop: Bool)? {
        // By words: a regular expression takes a hundred times as long for the whole package.
        var words = line.utf8.split(separator: UInt8(ascii: " ")).prefix(8).map { String(Substring($0)) }[...]
        words = words.drop { $0.hasPrefix("@") || modifiers.contains($0) }
        guard words.count > 1, kinds.contains(words.removeFirst()), words[words.startIndex] != "func" else {
            return nil
        }
        return (
            String(words[words.startIndex].prefix { $0.isLetter || $0.isNumber || $0 == "_" }), !line.hasPrefix(" ")
        )
    }

    private static let modifiers: Set = [
        "public", "package", "internal", "private", "fileprivate", "final", "indirect", "nonisolated",
    ]
    private static let kinds: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
}
