internal import Submit

/// The bytes of a file, read through one window of fixed size, so that no file can take more memory than that.
final class ScannedBytes {
    let size: Int64
    private let source: any MediaBytes
    private let buffer: UnsafeMutableRawBufferPointer
    private var start: Int64 = 0
    private var filled = 0

    init(_ source: any MediaBytes) {
        self.source = source
        size = source.size
        buffer = .allocate(byteCount: 512 << 10, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// What stands from `offset` on: at least `atLeast` bytes unless the file ends there. Valid until the next call.
    ///
    /// - Parameter atLeast: no more than a few.
    func window(at offset: Int64, atLeast: Int = 1) throws(SubmitFailure) -> UnsafeRawBufferPointer {
        guard offset >= 0, offset < size else { return UnsafeRawBufferPointer(rebasing: buffer[0..<0]) }
        let wanted = min(Int64(atLeast), size - offset)
        if offset < start || offset + wanted > start + Int64(filled) {
            filled = 0
            start = offset
            let room = Int(min(Int64(buffer.count), size - offset))
            let read = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]), at: offset)
            filled = min(max(read, 0), room)
            guard Int64(filled) >= wanted else {
                throw SubmitFailure(
                    .retry(after: nil), code: "source-short", message: "The source ended too early: it is tried again.")
            }
        }
        return UnsafeRawBufferPointer(rebasing: buffer[Int(offset - start)..<filled])
    }

    /// `nil` past the end.
    func byte(at offset: Int64) throws(SubmitFailure) -> UInt8? {
        try window(at: offset).first
    }

    /// All bytes of a range that is within the file and small enough for memory.
    func bytes(in range: Range<Int64>) throws(SubmitFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var offset = range.lowerBound
        bytes.reserveCapacity(Int(range.upperBound - offset))
        while offset < range.upperBound {
            let piece = try window(at: offset).prefix(Int(min(Int64(buffer.count), range.upperBound - offset)))
            guard !piece.isEmpty else { break }
            bytes.append(contentsOf: piece)
            offset += Int64(piece.count)
        }
        return bytes
    }

    /// Whether these stand there.
    func has(_ bytes: [UInt8], at offset: Int64) throws(SubmitFailure) -> Bool {
        try window(at: offset, atLeast: bytes.count).starts(with: bytes)
    }
}

extension Array where Element == UInt8 {
    /// The unsigned number in `width` bytes, at most eight; `nil` where they are not all there.
    func number(at offset: Int, width: Int, isBigEndian: Bool) -> UInt64? {
        guard offset >= 0, offset <= count, width <= count - offset else { return nil }
        var number: UInt64 = 0
        for index in 0..<width {
            number = number << 8 | UInt64(self[isBigEndian ? offset + index : offset + width - 1 - index])
        }
        return number
    }
}
