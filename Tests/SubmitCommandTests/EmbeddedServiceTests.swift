import Foundation
import TestServers
import Testing

@Suite(.fewAtOnce) struct `A service that embeds the library` {
    private static let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL

    @Test func `is written as the documentation shows it`() throws {
        let document = try String(
            contentsOf: Self.root.appending(path: "Sources/SubmitEngine/Documentation.docc/Embedding.md"),
            encoding: .utf8)
        let source = try String(
            contentsOf: Self.root.appending(path: "Tests/EmbeddedService/EmbeddedService.swift"), encoding: .utf8)
        #expect(document.contains("```swift\n\(source)```"))
        #expect(source.split(separator: "\n", omittingEmptySubsequences: false).count <= 42)
    }

    @Test func `sends what it is given and what the command left, and ends when it is told to`() async throws {
        let submit = Submit()
        try submit.configure("default: file\n")
        let paths = try Photos.make(3, in: submit.folder)
        #expect(try await submit.run("--later", paths[0]).end == .exited(0))
        let program = URL(fileURLWithPath: Submit.program).deletingLastPathComponent().appending(
            path: "EmbeddedService"
        ).path
        let service = try RunningSubmit(
            [program], environment: submit.environment, input: "\(paths[1])\n\(paths[2])\n/no/such.jpg\n", in: nil)
        try await until { try await submit.list().count { $0.state == "done" } == 3 }
        // What others look at and write meanwhile is in the same journal, and stays there.
        #expect(try await submit.run("status").end == .exited(0))
        let more = try Photos.make(2, in: submit.folder, "more", prefix: "MORE_", seed: 7)
        #expect(try await submit.run(["--to", "file"] + more).end == .exited(0))
        kill(service.child.pid, SIGTERM)
        let outcome = try await service.outcome(within: 10)
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(outcome.lines.count { $0.hasPrefix("done: ") && $0.hasSuffix("→ file: verified") } >= 3, "\(outcome)")
        #expect(try await submit.list().count { $0.state == "done" } == 5)
        #expect(outcome.lines.contains("refused: “/no/such.jpg” does not exist: check its name."), "\(outcome)")
    }
}
