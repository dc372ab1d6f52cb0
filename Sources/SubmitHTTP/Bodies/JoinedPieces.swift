internal import Submit

/// Pieces of a body as the bytes of one thing, to be read at any place.
struct JoinedPieces: MediaBytes {
    let size: Int64
    private let pieces: [BodyPiece]
    /// Where each piece begins.
    private let starts: [Int64]

    init(_ pieces: [BodyPiece]) {
        self.pieces = pieces
        var starts: [Int64] = []
        var size: Int64 = 0
        for piece in pieces {
            starts.append(size)
            size += piece.length
        }
        self.starts = starts
        self.size = size
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        var filled = 0
        var index = (starts.firstIndex { $0 > offset } ?? starts.count) - 1
        while filled < buffer.count, index >= 0, index < pieces.count {
            let within = offset + Int64(filled) - starts[index]
            let rest = pieces[index].length - within
            if rest > 0 {
                let place = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                let count = try pieces[index].read(into: place, at: within)
                filled += count
                // What was announced is not there: more would stand at a wrong place.
                if Int64(count) < min(rest, Int64(place.count)) { break }
            }
            index += 1
        }
        return filled
    }

    func verifyUnchanged() throws(SubmitFailure) {
        for piece in pieces {
            switch piece {
            case .bytes: continue
            case .media(let media, _), .base64(let media, _): try media.verifyUnchanged()
            }
        }
    }

    var fileDescriptor: CInt? { nil }
}
