internal import Submit

/// GIF (Graphics Interchange Format, version 89a): the pictures, how long each is shown and how often all are, up to the trailer.
enum CleanGIF {
    static func pieces(_ source: any MediaBytes, _ kept: KeptMetadata) throws(ReadingProblem) -> CopiedPieces {
        let head = try source.whole(0..<min(13, source.size), of: "the file")
        guard head.count == 13, ["GIF87a", "GIF89a"].contains(String(decoding: head[..<6], as: UTF8.self)) else {
            throw .damaged("it does not begin as a GIF")
        }
        var pieces = CopiedPieces()
        var (offset, hasPicture) = (13 + colors(head[10]), false)
        pieces.add(0..<offset)
        while true {
            let start = offset
            switch try source.whole(start..<start + 1, of: "a block")[0] {
            case 0x2c:
                let flags = try source.whole(start..<start + 10, of: "a picture")[9]
                // Its colours, and how many bits a code begins with.
                offset = try endOfData(from: start + 10 + colors(flags) + 1, in: source)
                pieces.add(start..<offset)
                hasPicture = true
            case 0x21:
                let label = try source.whole(start + 1..<start + 3, of: "a block")
                offset = try endOfData(from: start + 2, in: source)
                // Transparency and time of the next picture, and the one that says how often.
                let isControl = label[0] == 0xf9 && label[1] == 4 && offset == start + 8
                let isLoop = try isLoop(source, start..<offset)
                if isControl || isLoop { pieces.add(start..<offset) }
            case 0x3b:
                guard hasPicture else { throw .damaged("it has no picture") }
                pieces.add(start..<start + 1)
                return pieces
            default: throw .damaged("something stands between its blocks")
            }
        }
    }

    /// Bytes of a table of colours, by the flags that announce it.
    private static func colors(_ flags: UInt8) -> Int64 { flags & 0x80 == 0 ? 0 : 3 << (Int64(flags & 7) + 1) }

    /// Behind the empty sub-block that ends a row of them.
    private static func endOfData(from start: Int64, in source: any MediaBytes) throws(ReadingProblem) -> Int64 {
        var offset = start
        while true {
            let count = Int64(try source.whole(offset..<offset + 1, of: "a block")[0])
            offset += 1 + count
            if count == 0 { return offset }
        }
    }

    private static func isLoop(_ source: any MediaBytes, _ block: Range<Int64>) throws(ReadingProblem) -> Bool {
        guard block.upperBound - block.lowerBound == 19 else { return false }
        let bytes = try source.whole(block, of: "a block")
        return bytes[1] == 0xff && bytes[2] == 11 && Array(bytes[3..<14]) == Array("NETSCAPE2.0".utf8)
            && bytes[14] == 3 && bytes[15] == 1
    }
}
