public import Submit

/// What a request's body is put together from.
public enum BodyPiece: Sendable {
    /// Bytes held in memory.
    case bytes([UInt8])
    /// A range of a media item.
    case media(any MediaBytes, Range<Int64>)
    /// A range of a media item in base64 with padding and without line breaks (RFC 4648, section 4).
    case base64(any MediaBytes, Range<Int64>)

    /// Bytes in the body.
    public var length: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .media(_, let range): range.upperBound - range.lowerBound
        case .base64(_, let range): Base64Range.length(of: range)
        }
    }

    /// The piece for a text, in UTF-8.
    public static func text(_ text: some StringProtocol) -> BodyPiece { .bytes(Array(text.utf8)) }

    /// Reads what stands from `offset` on; fewer bytes than asked for mean the end, or a source that ended early.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        let wanted = Int(min(Int64(buffer.count), length - offset))
        guard wanted > 0 else { return 0 }
        let place = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        switch self {
        case .bytes(let bytes):
            bytes.withUnsafeBytes { place.copyMemory(from: .init(rebasing: $0[Int(offset)...].prefix(wanted))) }
            return wanted
        case .media(let media, let range): return try media.read(into: place, at: range.lowerBound + offset)
        case .base64(let media, let range): return try Base64Range(media, range).read(into: place, at: offset)
        }
    }
}

extension HTTPBody {
    /// Pieces one after the other, their length known before the first is read. Ranges are read when they are sent,
    /// each time that the body is, and never held in memory.
    public static func pieces(_ pieces: [BodyPiece]) -> HTTPBody {
        let all = JoinedPieces(pieces)
        return .media(all, 0..<all.size)
    }

    /// The whole body, read once: for what is small, and for tests.
    ///
    /// - Throws: the failure of reading, also where a range's source ends early.
    public func contents() throws(SubmitFailure) -> [UInt8] {
        switch self {
        case .none: []
        case .bytes(let bytes): bytes
        case .media(let media, let range): try media.bytes(in: range)
        }
    }
}
