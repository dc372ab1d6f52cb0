import Foundation
import Testing

/// Another store takes the journal's place where the engine knows nothing but the roles.
@Suite struct `The engine` {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        .standardized

    @Test func `names the journal in one file, and knows its store by roles everywhere else`() throws {
        #expect(try Self.files(of: "SubmitEngine", importing: "SubmitJournal") == ["SubmitManager+Journal.swift"])
        #expect(try Self.files(of: "SubmitStore", importing: "GRDB") == [])
        #expect(try !Self.files(of: "SubmitJournal", importing: "GRDB").isEmpty)
    }

    private static func files(of target: String, importing module: String) throws -> [String] {
        let all = try #require(
            FileManager.default.enumerator(at: sources.appending(path: target), includingPropertiesForKeys: nil))
        return try all.compactMap { $0 as? URL }.filter { file in
            guard file.pathExtension == "swift" else { return false }
            return try String(contentsOf: file, encoding: .utf8).contains("import \(module)\n")
        }.map(\.lastPathComponent).sorted()
    }
}
