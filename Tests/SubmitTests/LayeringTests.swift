import Foundation
import Testing

/// Another store takes the journal's place where the engine knows nothing but the roles.
@Suite struct `The engine` {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        .standardized

    @Test func `the engine imports no journal, and the store's roles import no GRDB`() throws {
        #expect(try Self.files(of: "SubmitEngine", importing: "SubmitJournal") == [])
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

    private static func sources() throws -> [(path: String, text: String)] {
        var all: [(path: String, text: String)] = []
        for folder in ["Sources", "Plugins", "Templates"] {
            let files = FileManager.default.enumerator(
                at: root.appending(path: folder), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files) where file.pathExtension == "swift" {
                all.append((file.path(), try String(contentsOf: file, encoding: .utf8)))
            }
        }
        try #require(all.count > 300)
        return all
    }

    @Test func `has no FileHandle`() throws {
        for (path, text) in try Self.sources() {
            #expect(!text.contains("FileHandle"), "\(path): WholeFile reads, Output and StandardError write.")
        }
    }

    @Test func `puts nothing in a sign's place by characters, where an accent would hide it`() throws {
        let byCharacters = #/\.replacing(?:Occurrences\(of: |\()"(?:\\"|\\\\|['&<>%$])"/#
        for (path, text) in try Self.sources() {
            #expect(text.firstMatch(of: byCharacters) == nil, "\(path): escaping(_:) goes by scalars.")
        }
    }
}
