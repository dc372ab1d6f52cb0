import Submit

/// A media item in memory that may fail at, or end before, its stated size.
struct MemoryBytes: MediaBytes {
    var content: [UInt8]
    var size: Int64
    var failsAt: Int64?

    static let failure = SubmitFailure(.giveUp, code: "source-changed", message: "The file changed.")

    init(_ content: [UInt8], size: Int64? = nil, failsAt: Int64? = nil) {
        self.content = content
        self.size = size ?? Int64(content.count)
        self.failsAt = failsAt
    }

    /// `count` bytes without a pattern that a shift could hide in.
    static func varied(_ count: Int) -> [UInt8] {
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        if let failsAt, offset + Int64(buffer.count) > failsAt { throw Self.failure }
        let part = content.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }

    func verifyUnchanged() throws(SubmitFailure) {}

    var fileDescriptor: CInt? { nil }
}
