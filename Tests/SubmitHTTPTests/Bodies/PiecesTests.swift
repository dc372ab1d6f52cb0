import Foundation
import Submit
import SubmitHTTP
import Testing

/// A media item in memory, which may end before its stated size.
struct SmallBytes: MediaBytes {
    var content: [UInt8]
    var size: Int64
    var isChanged = false

    init(_ content: [UInt8], size: Int64? = nil) {
        self.content = content
        self.size = size ?? Int64(content.count)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        let part = content.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }

    func verifyUnchanged() throws(SubmitFailure) {
        if isChanged { throw SubmitFailure(.giveUp, code: "source-changed", message: "The file changed.") }
    }

    var fileDescriptor: CInt? { nil }
}

/// What stands in a body from an offset on, read with a buffer of so many bytes.
private func read(_ body: HTTPBody, at offset: Int64, _ count: Int) throws -> [UInt8] {
    guard case .media(let media, _) = body else { return [] }
    return try media.bytes(at: offset, count: count)
}

@Suite
struct PiecesTests {
    static let content = (0..<100_003).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 49_151, 49_152, 49_153, 100_003])
    func `a range in base64 is the base64 of its bytes`(size: Int) throws {
        let media = SmallBytes(Self.content)
        let body = HTTPBody.pieces([.base64(media, 0..<Int64(size))])
        let expected = Array(Data(Self.content.prefix(size)).base64EncodedString().utf8)
        #expect(body.length == Int64(expected.count))
        #expect(try body.contents() == expected)
    }

    @Test func `every place of a joined body can be read on its own, with every buffer`() throws {
        let media = SmallBytes(Array(Self.content.prefix(20)))
        let body = HTTPBody.pieces([
            .text("<a>"), .media(media, 3..<10), .bytes([]), .base64(media, 2..<20), .media(media, 5..<5),
            .text("</a>"),
        ])
        let whole =
            Array("<a>".utf8) + Self.content[3..<10] + Array(Data(Self.content[2..<20]).base64EncodedString().utf8)
            + Array("</a>".utf8)
        #expect(body.length == Int64(whole.count))
        for offset in 0...whole.count {
            for count in 0...whole.count + 1 {
                let expected = Array(whole.dropFirst(offset).prefix(count))
                #expect(try read(body, at: Int64(offset), count) == expected)
            }
        }
    }

    @Test func `a range of a body in base64 can be sent as a range of a larger one`() throws {
        let media = SmallBytes(Array(Self.content.prefix(1000)))
        guard case .media(let inner, let range) = HTTPBody.pieces([.base64(media, 0..<1000)]) else {
            Issue.record("a piece of media is no body of media")
            return
        }
        let outer = HTTPBody.pieces([.text("x"), .media(inner, 7..<range.upperBound)])
        let text = Array(Data(Self.content.prefix(1000)).base64EncodedString().utf8)
        #expect(try outer.contents() == Array("x".utf8) + text[7...])
    }

    @Test func `no pieces are an empty body`() throws {
        #expect(HTTPBody.pieces([]).length == 0)
        #expect(try HTTPBody.pieces([]).contents() == [])
    }

    @Test(arguments: [false, true])
    func `a source that ends early fails the body, and what follows it stands at no wrong place`(
        isBase64: Bool
    ) throws {
        let media = SmallBytes(Array("abcde".utf8), size: 10)
        let piece: BodyPiece = isBase64 ? .base64(media, 0..<10) : .media(media, 0..<10)
        let body = HTTPBody.pieces([piece, .text("end")])
        #expect(throws: SubmitFailure.self) { try body.contents() }
        let some = try read(body, at: 0, 100)
        #expect(!String(decoding: some, as: UTF8.self).contains("end"))
    }

    @Test func `a joined body is unchanged when all its sources are`() throws {
        var changed = SmallBytes([1])
        let good = HTTPBody.pieces([.text("a"), .media(changed, 0..<1), .base64(changed, 0..<1)])
        try good.media.verifyUnchanged()
        changed.isChanged = true
        for piece in [BodyPiece.media(changed, 0..<1), .base64(changed, 0..<1)] {
            let body = HTTPBody.pieces([.text("a"), piece])
            #expect(throws: SubmitFailure.self) { try body.media.verifyUnchanged() }
        }
    }
}

extension HTTPBody {
    /// Of one that is read from media.
    fileprivate var media: any MediaBytes {
        get throws {
            guard case .media(let media, _) = self else { throw CocoaError(.fileReadUnknown) }
            return media
        }
    }
}
