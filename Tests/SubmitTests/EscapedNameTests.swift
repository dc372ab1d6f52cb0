import Submit
import SystemPackage
import Testing

@Suite struct `A file's name as text` {
    @Test(
        arguments: [
            ("IMG 1.jpg", "IMG 1.jpg"), ("café ‘n’ 写.jpg", "café ‘n’ 写.jpg"), ("a‛b E9", "a‛b E9"), ("‛", "‛"),
            ("a‛E9.jpg", "a‛‛E9.jpg"), ("a‛e9.jpg", "a‛e9.jpg"), ("‛‛", "‛‛‛"),
            ("‛E", "‛E"), ("\u{fffd}", "\u{fffd}"),
        ])
    func `is what it is where that is UTF-8, but for what looks like a sign of ours`(name: String, text: String) {
        #expect(EscapedName.text(of: Array(name.utf8)) == text)
        #expect(EscapedName.bytes(of: text) == Array(name.utf8))
    }

    @Test(
        arguments: [
            (Array("caf".utf8) + [0xe9] + Array(".jpg".utf8), "caf‛E9.jpg"),
            ([0xff, 0x00 + 0x41], "‛FFA"), ([0xe2, 0x82], "‛E2‛82"), ([0xed, 0xa0, 0x80], "‛ED‛A0‛80"),
            (Array("‛".utf8) + [0xe9], "‛‛‛E9"), ([0xc3, 0xa9, 0xc3], "é‛C3"),
            ([0xf0, 0x9f, 0x8c, 0x2e], "‛F0‛9F‛8C."),
        ] as [([UInt8], String)])
    func `has signs for bytes that are no UTF-8`(name: [UInt8], text: String) throws {
        #expect(EscapedName.text(of: name) == text)
        #expect(EscapedName.bytes(of: text) == name)
        let path = (name + [0]).map { CChar(bitPattern: $0) }.withUnsafeBufferPointer {
            FilePath(platformString: $0.baseAddress!)
        }
        #expect(EscapedName.text(of: try #require(path.lastComponent)) == text)
    }

    @Test func `is no other's`() {
        var random = SystemRandomNumberGenerator()
        let pieces: [[UInt8]] = [
            [0xe9], [0xe2], [0x80], [0x9b], Array("‛".utf8), Array("E9".utf8), Array("A".utf8), Array("f".utf8), [0xff],
        ]
        for _ in 0..<20_000 {
            let name = (0..<Int.random(in: 1...6, using: &random)).flatMap { _ in pieces.randomElement(using: &random)!
            }
            let text = EscapedName.text(of: name)
            #expect(EscapedName.bytes(of: text) == name, "\(name)")
        }
    }
}
