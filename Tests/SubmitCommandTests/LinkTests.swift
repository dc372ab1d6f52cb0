import Foundation
import TestServers
import Testing

/// What the program is made of.
@Suite(.fewAtOnce) struct `The program` {
    @Test func `has one HTTP stack and one XML reader`() async throws {
        let libraries = try await ChildProcess.output(of: ["ldd", Submit.program])
        #expect(libraries.contains("libcurl") && libraries.contains("libxml2"))
        #expect(!libraries.contains("FoundationNetworking") && !libraries.contains("FoundationXML"), "\(libraries)")
        // Linked statically they would leave their symbols.
        let symbols = try await ChildProcess.output(
            of: [
                "sh", "-c", "nm -C \"$0\" 2>/dev/null | grep -cE 'FoundationNetworking|FoundationXML' || true",
                Submit.program,
            ])
        #expect(symbols == "0\n")
    }

    @Test func `imports neither anywhere`() async throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let root = tests.deletingLastPathComponent().path
        let found = try await ChildProcess.output(
            of: [
                "sh", "-c",
                "grep -rnE 'import +Foundation(Networking|XML)' --include=*.swift Sources Plugins Tests || true",
            ], folder: root)
        #expect(found == "")
    }
}
