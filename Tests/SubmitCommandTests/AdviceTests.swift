import Foundation
import Testing

@testable import SubmitCommand

/// Which verb or option helps is the command's to say: the library's sentences are read in other programs, too.
@Suite struct `What to do on the command line` {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL
    /// Those that are commands themselves.
    private static let commands = ["Sources/SubmitCommand/", "Sources/NewSubmitterTool/", "Sources/SubmitServe/"]
    /// What is no sentence of the library on a failure: other programs' options, and what the command finds in its own file.
    private static let others = [
        "such as: upload --title {caption}", "such as “aws configure export-credentials --profile",
        "# Encrypted with a passphrase: `submit secrets decrypt`",
    ]

    /// The library's code, without comments.
    private static func lines() throws -> [(place: String, text: String)] {
        var lines: [(String, String)] = []
        for folder in ["Sources", "Plugins"] {
            let files = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            for case let name as String in try #require(files) where name.hasSuffix(".swift") {
                let path = "\(folder)/\(name)"
                if commands.contains(where: path.hasPrefix) { continue }
                let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
                for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                    let code = line.drop(while: \.isWhitespace)
                    if !code.hasPrefix("//") { lines.append(("\(path):\(number + 1)", String(code))) }
                }
            }
        }
        return lines
    }

    @Test func `is in no sentence of the library`() throws {
        let commandWords = try Regex("`submit |“submit [a-z]|[ (`“]--[a-z]")
        let lines = try Self.lines()
        #expect(lines.count > 20_000)
        for (place, text) in lines where text.contains("\"") && text.contains(commandWords) {
            #expect(Self.others.contains { text.contains($0) }, "\(place): \(text)")
        }
    }

    @Test func `is given on codes that the library has`() throws {
        let file = Self.root.appending(path: "Sources/SubmitCommand/Display/Advice.swift")
        let cases = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter {
            $0.contains("        case \"")
        }
        let codes = cases.flatMap { line in
            line.matches(of: /"([a-z-]+)"(?:,|:)/).map { String($0.1) }
        }
        #expect(codes.count > 30)
        let library = try Self.lines().map(\.text).joined(separator: "\n")
        for code in codes { #expect(library.contains("\"\(code)\""), "nothing fails with “\(code)”") }
    }

    @Test func `names the destination where it is known, and follows the sentence`() {
        #expect(
            Advice.sentence("Nobody is signed in at “cloud”: sign in.", code: "needs-login", at: "cloud")
                == "Nobody is signed in at “cloud”: sign in. `submit login cloud` does.")
        #expect(Advice.sentence("It broke.", code: "broken", at: "cloud") == "It broke.")
    }
}
