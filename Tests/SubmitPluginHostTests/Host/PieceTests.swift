import Submit
import Testing

@testable import SubmitPluginHost

@Suite struct PieceTests {
    private func lines(_ pieces: [String], limit: Int = 5) throws -> [String] {
        var splitter = LineSplitter(limit: limit)
        var lines: [String] = []
        for piece in pieces {
            try Array(piece.utf8).withUnsafeBytes { bytes in
                try splitter.take(bytes) { lines.append(String(decoding: $0, as: UTF8.self)) }
            }
        }
        return lines
    }

    @Test func `lines are put together from pieces`() throws {
        #expect(try lines(["a", "b\nc", "\n", "\nd\ne\nf"]) == ["ab", "c", "", "d", "e"])
        #expect(try lines(["12345\n", "123", "45\n"]) == ["12345", "12345"])
    }

    @Test(arguments: [["123456"], ["123456\n"], ["12345", "6"], ["1\n12345", "6\n"]])
    func `a line that is too long is refused as soon as it is`(_ pieces: [String]) {
        #expect(throws: LineSplitter.TooLong.self) { try lines(pieces) }
    }

    @Test func `numbers are used once, in any order`() {
        var numbers = UsedRequestIDs()
        let given = [5, 3, 4, 1, 2, 7, Int.max, Int.min, 6, 0]
        #expect(given.filter { numbers.use($0) } == given)
        #expect(given.filter { numbers.use($0) } == [])
    }

    @Test func `numbers that jump about too much are refused`() {
        var numbers = UsedRequestIDs()
        let taken = (0...UsedRequestIDs.mostGaps).filter { numbers.use($0 * 2) }
        #expect(taken.count == UsedRequestIDs.mostGaps + 1)
        #expect([1_000_001, 1].filter { numbers.use($0) } == [1])
    }

    @Test func `the last words of one long line begin with no part of a secret`() {
        let secret = "abcdefghijklmnopqrstuvwxyz012345"
        KnownSecrets.add(secret)
        for shift in 0..<secret.count {
            var words = OutputTail()
            let line = String(repeating: secret, count: 600) + String(repeating: ".", count: shift)
            Array(line.utf8).withUnsafeBytes { words.append($0) }
            #expect(KnownSecrets.redacted(words.text).allSatisfy { "….".contains($0) }, "\(words.text.prefix(40))")
        }
    }

    @Test func `the last words are the last whole lines`() {
        var words = OutputTail()
        for number in 0..<20_000 { Array("line \(number)\n".utf8).withUnsafeBytes { words.append($0) } }
        #expect(words.text.utf8.count <= OutputTail.limit)
        #expect(words.text.hasPrefix("line "))
        #expect(words.text.hasSuffix("\nline 19999\n"))
        #expect(ProgramTexts().excerpt(words.text) == "line 19997 / line 19998 / line 19999")
    }
}
