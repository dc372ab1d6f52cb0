/// Bytes in memory, such as those of an upload that has been received whole.
public struct MemoryBytes: MediaBytes {
    private let bytes: [UInt8]

    /// These bytes, as they are.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public var size: Int64 { Int64(bytes.count) }

    /// None: there is no file.
    public var fileDescriptor: CInt? { nil }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        guard offset >= 0, offset < size else { return 0 }
        let piece = bytes[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: piece)
        return piece.count
    }

    // Nobody else has them.
    public func verifyUnchanged() throws(SubmitFailure) {}
}
