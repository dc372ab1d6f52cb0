import Foundation
import Testing

/// Whoever imports a library of ours gets its names, and no new members of their own types.
@Suite struct `Types of others` {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardized

    @Test func `have no public member of ours`() throws {
        var texts: [(file: String, text: String)] = []
        for folder in ["Sources", "Plugins"] {
            let root = Self.package.appending(path: folder)
            let all = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
            for case let file as URL in all where file.pathExtension == "swift" {
                texts.append((file.path(), try String(contentsOf: file, encoding: .utf8)))
            }
        }
        #expect(texts.count > 300)
        let ours = Set(texts.flatMap { Self.types(in: $0.text) })
        for (file, text) in texts {
            for member in Self.publicMembers(in: text, ours: ours) {
                Issue.record("\(file) extends a type of others publicly: give this a type of our own: \(member)")
            }
        }
    }

    @Test(arguments: [
        "extension String {\n    public var hash: Int { 0 }\n}",
        "extension [UInt8] {\n    /// …\n    public init?(hash text: String) {\n    }\n}",
        "public extension Sequence where Element == UInt8 {\n    var hash: Int { 0 }\n}",
        "extension Foundation.URL {\n    @inlinable public static func hash() {}\n}",
    ])
    func `are told apart from ours`(text: String) {
        #expect(Self.publicMembers(in: text, ours: ["Submission"]).count == 1)
        let our = text.replacing(/extension (\[UInt8\]|[\w.]+)/, with: "extension Submission.Part")
        #expect(Self.publicMembers(in: our, ours: ["Submission"]) == [])
        #expect(Self.publicMembers(in: text.replacing("public ", with: "package "), ours: []) == [])
    }

    /// The names of the types that stand at the top of a file.
    private static func types(in text: String) -> [String] {
        lines(of: text).filter { !$0.hasPrefix(" ") && !$0.hasPrefix("/") }.compactMap { line in
            line.prefixMatch(of: /(?:@\w+ )*(?:[a-z]+ )*?(?:struct|class|enum|actor|protocol) (\w+)/).map {
                String($0.1)
            }
        }
    }

    private static func publicMembers(in text: String, ours: Set<String>) -> [String] {
        var isForeign = false
        return lines(of: text).filter { line in
            if line.hasPrefix(" ") {
                return isForeign && line.prefixMatch(of: /\s+(?:@\w+(?:\([^)]*\))? )*(?:public|open)\b/) != nil
            }
            guard let head = line.prefixMatch(of: /(public )?(?:package )?extension (?:any )?(\[?\w+)/) else {
                if line.hasPrefix("}") { isForeign = false }
                return false
            }
            isForeign = !ours.contains(String(head.2))
            return isForeign && head.1 != nil
        }
        .map(String.init)
    }

    private static func lines(of text: String) -> [Substring] {
        // By bytes: there are tens of thousands of lines.
        text.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }
    }
}
