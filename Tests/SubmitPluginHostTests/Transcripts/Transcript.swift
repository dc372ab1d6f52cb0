import Foundation

/// One block of the specification that shows what host and submitter say to each other.
struct Transcript: Sendable, CustomStringConvertible {
    enum Speaker: Character, Sendable {
        case host = ">"
        case submitter = "<"
    }

    struct Line: Sendable {
        let speaker: Speaker
        let text: String

        var json: JSONText { JSONText(text) ?? .null }
        var message: String { json["message"]?.text ?? "" }
    }

    /// The heading it stands under.
    let heading: String
    /// Where its first line stands in the document.
    let lineNumber: Int
    let lines: [Line]

    var description: String { "\(heading), line \(lineNumber)" }

    /// The kinds of its messages of the host.
    var requests: Set<String> { Set(lines.filter { $0.speaker == .host }.map(\.message)) }

    static let document = try! String(
        contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Submit/Documentation.docc/PluginProtocol.md"), encoding: .utf8)

    /// All of the specification.
    static let all: [Transcript] = {
        var transcripts: [Transcript] = []
        var heading = ""
        var open: (lineNumber: Int, lines: [Line])?
        for (number, line) in document.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let (lineNumber, lines) = open {
                if line.hasPrefix("```") {
                    transcripts.append(Transcript(heading: heading, lineNumber: lineNumber, lines: lines))
                    open = nil
                } else if let speaker = line.first.flatMap(Speaker.init) {
                    open = (lineNumber, lines + [Line(speaker: speaker, text: String(line.dropFirst(2)))])
                }
            } else if line == "```transcript" {
                open = (number + 2, [])
            } else if line.hasPrefix("#") {
                heading = String(line.drop { $0 == "#" }.dropFirst())
            }
        }
        return transcripts
    }()
}
