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

/// Foundation's `FileHandle` ends the process where reading fails, and hides that writing did.
@Suite struct `The package` {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    @Test func `has no FileHandle`() throws {
        var count = 0
        for folder in ["Sources", "Plugins", "Templates"] {
            let all = FileManager.default.enumerator(
                at: Self.root.appending(path: folder), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(all) where file.pathExtension == "swift" {
                count += 1
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(
                    !text.contains("FileHandle"), "\(file.path()): WholeFile reads, Output and StandardError write.")
            }
        }
        #expect(count > 300)
    }
}
