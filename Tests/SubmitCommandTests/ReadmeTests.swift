import Foundation
import LocalFileSubmitter
import Submit
import SubmitEngine
import SubmitJournal
import SystemPackage
import Testing

/// The README's example of the library. That it compiles is half of the test.
private func example() async throws {
    let types = try SubmitterRegistry([LocalFileSubmitter.submitterType()])
    let manager = SubmitManager(store: try Journal(path: "/tmp/submit.sqlite").store, registry: types)
    try manager.addDestination("disk", type: "file", values: ["path": "/mnt/photos"])
    let run = try await manager.send(SubmitRequest(paths: ["/card/IMG_1.jpg"], destinations: ["disk"]))
    try await run.finish()
}

@Suite struct `The README` {
    private static let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL
    private let text: String

    init() throws {
        text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    }

    @Test func `shows an example of the library that compiles`() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let block = try #require(text.components(separatedBy: "```swift\n").dropFirst().first)
        let code = try #require(block.components(separatedBy: "```").first).split(separator: "\n")
        for line in code where !line.hasPrefix("import ") {
            #expect(source.contains(line), "the README's example has another line: \(line)")
        }
    }

    @Test(arguments: ["Sources", "Plugins"])
    func `has a map that names every folder, and no other`(_ parent: String) throws {
        let folders = try FileManager.default
            .contentsOfDirectory(atPath: Self.root.appending(path: parent).path)
            .filter { !$0.hasPrefix(".") }
        let map = try #require(text.components(separatedBy: "## The map").last?.components(separatedBy: "\n## ").first)
        for folder in folders { #expect(map.contains("`\(parent)/\(folder)`") || map.contains("`\(folder)`")) }
        let named = map.matches(of: /`(?:Sources|Plugins)\/(\w+)`/).map { String($0.output.1) }
        let all = try ["Sources", "Plugins"].flatMap {
            try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: $0).path)
        }
        #expect(Set(named).subtracting(all).isEmpty)
    }

    @Test func `is short enough to be read`() {
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count < 150)
    }
}
