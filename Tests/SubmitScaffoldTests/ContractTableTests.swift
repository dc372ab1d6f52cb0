import Foundation
import SubmitTesting
import Testing

/// The table of promises in WritingASubmitter.md.
@Suite struct ContractTableTests {
    @Test func `the document names every case of the suite, and no other`() throws {
        let package = URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).joined(separator: "/").dropFirst()
        let text = try String(
            contentsOfFile: "\(package)/Sources/Submit/Documentation.docc/WritingASubmitter.md", encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("The contract\n") })
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        let patterns = rows.flatMap { row in
            row.split(separator: "|")[1].components(separatedBy: "; ").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(!patterns.isEmpty)
        let names = ContractSuite.cases.map(\.id)
        for pattern in patterns { #expect(names.contains { matches($0, pattern) }, "no case is called “\(pattern)”") }
        for name in names {
            #expect(patterns.contains { matches(name, $0) }, "the document does not name “\(name)”")
        }
    }

    /// Whether a name is what the document says, with `…` for anything.
    private func matches(_ name: String, _ pattern: String) -> Bool {
        let parts = pattern.components(separatedBy: "…")
        return parts.count == 1
            ? name == pattern : name.hasPrefix(parts[0]) && name.hasSuffix(parts[1]) && name.count >= pattern.count - 1
    }
}
