import Foundation
import SubmitCatalogue
import SubmitPixels
import Testing

@testable import SubmitCommand

/// What Tests/Terminals/pictures.sh looks at on real terminals, as far as it can be told without one.
@Suite struct TerminalPictureTests {
    /// As these terminals of Debian 12 answered.
    private static let answers: [(name: String, text: String, graphics: TerminalGraphics?, cell: [Int]?)] = [
        (
            "kitty 0.26.5", "\u{1b}_Gi=31;OK\u{1b}\\\u{1b}P>|kitty(0.26.5)\u{1b}\\\u{1b}[6;18;9t\u{1b}[?62;c", .kitty,
            [9, 18]
        ),
        ("mlterm 3.9.0", "\u{1b}[6;19;10t\u{1b}[?63;1;2;3;4;6;7;15;18;22;29c", .sixel, [10, 19]),
        ("xterm -ti vt340", "\u{1b}P>|XTerm(379)\u{1b}\\\u{1b}[?63;1;2;4;6;9;15;16;22;28c", .sixel, nil),
        ("xterm", "\u{1b}P>|XTerm(379)\u{1b}\\\u{1b}[?64;1;2;6;9;15;16;17;18;21;22;28c", nil, nil),
        ("tmux 3.3a", "\u{1b}P>|tmux 3.3a\u{1b}\\\u{1b}[?1;2c", nil, nil),
        // As its documents say.
        ("iTerm2", "\u{1b}P>|iTerm2 3.4.19\u{1b}\\\u{1b}[6;17;8t\u{1b}[?62;4c", .iterm, [8, 17]),
        // A VT4-something is not yet one that shows sixels.
        ("a VT420", "\u{1b}[?4c", nil, nil),
        ("a liar", "\u{1b}_Gi=31;ENOTSUPPORTED\u{1b}\\\u{1b}[6;0;99999t\u{1b}[?62;22c", nil, nil),
    ]

    @Test(arguments: answers.indices)
    func `a terminal's answers say how it shows pictures`(index: Int) throws {
        let (name, text, graphics, cell) = Self.answers[index]
        let traits = try #require(TerminalTraits(answers: text, hasSixels: true))
        #expect(traits.graphics == graphics, "\(name)")
        #expect(traits.cell.map { [$0.width, $0.height] } == cell, "\(name)")
        #expect(TerminalTraits(answers: text, hasSixels: false)?.graphics == (graphics == .sixel ? nil : graphics))
        // The answer to the last question is not yet there.
        for count in 0..<text.unicodeScalars.count {
            let part = String(String.UnicodeScalarView(text.unicodeScalars.prefix(count)))
            #expect(TerminalTraits(answers: part, hasSixels: true) == nil, "\(name)")
        }
    }

    private static let map = Array(PixelMap.head(width: 3, height: 2).utf8) + (0..<18).map { UInt8($0 * 13) }

    @Test(arguments: TerminalGraphics.allCases)
    func `a picture is one sequence of printable characters`(graphics: TerminalGraphics) throws {
        let bytes = graphics == .sixel ? Self.map : (0..<10_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let place = try #require(PicturePlace(columns: 12, rows: 5, cell: (10, 20)))
        let text = try #require(graphics.text(showing: bytes, in: place))
        let commands = try #require(
            graphics == .iterm ? [text] : text.components(separatedBy: "\u{1b}\\").dropLast())
        for command in commands {
            let end = graphics == .iterm ? 1 : 0
            #expect(
                command.hasPrefix(
                    graphics == .kitty ? "\u{1b}_G" : graphics == .iterm ? "\u{1b}]1337;File=" : "\u{1b}P"))
            #expect(command.unicodeScalars.dropFirst().dropLast(end).allSatisfy { (0x20..<0x7f).contains($0.value) })
            #expect(command.utf8.count <= 4096 + 64 || graphics != .kitty)
        }
        #expect(text.hasSuffix(graphics == .iterm ? "\u{7}" : "\u{1b}\\"))
        guard graphics != .sixel else { return }
        let sent = commands.map { $0.drop { $0 != (graphics == .kitty ? ";" : ":") }.dropFirst() }.joined()
            .trimmingCharacters(in: .controlCharacters)
        #expect(Data(base64Encoded: sent).map(Array.init) == bytes)
    }

    @Test func `pixels that are not whole are no picture`() throws {
        let place = try #require(PicturePlace(columns: 12, rows: 5, cell: (10, 20)))
        #expect(TerminalGraphics.sixel.text(showing: Array(Self.map.dropLast()), in: place) == nil)
        #expect(PicturePlace(columns: 12, rows: 5, cell: (0, 20)) == nil)
    }

    @Test(arguments: [20, 27, 40, 200])
    func `what is told beside a picture loses nothing, and no line is longer than its place`(columns: Int) throws {
        let address = "https://photos.example.org/2026/11/\(String(repeating: "long-", count: 12))name.jpg"
        let record = DatasourceRecord([
            RecordMember("id", .number("12")), RecordMember("name", .text("写真の非常に長い名前です.jpg")),
            RecordMember("width", .number("6000")), RecordMember("height", .number("4000")),
            RecordMember("tags", .list([.text("harbour"), .text("Hamburg\u{1b}[2J")])),
            RecordMember(
                "copies",
                .list([
                    .object([RecordMember("destination", .text("nas")), RecordMember("evidence", .text("verified"))]),
                    .object([
                        RecordMember("destination", .text("cloud")), RecordMember("evidence", .text("size")),
                        RecordMember("url", .text(address)),
                    ]),
                ])),
        ])
        let lines = PictureLines(record).wrapped(columns: columns)
        for line in lines {
            #expect(Printable.width(line) <= columns, "\(line)")
            #expect(!line.unicodeScalars.contains { $0.value < 0x20 })
        }
        let all = lines.joined().filter { !$0.isWhitespace }
        for part in ["写真の非常に長い名前です.jpg", "6000x4000", "#harbour", "✓nas", "cloud,notproven", address] {
            #expect(all.contains(part), "\(part)")
        }
    }
}
