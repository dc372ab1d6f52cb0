import Submit
import SubmitConcurrency

/// Bytes that count how often their beginning is read.
final class PlainBytes: MediaBytes {
    let content: [UInt8]
    let reads = Locked(0)

    init(content: [UInt8]) { self.content = content }

    var size: Int64 { Int64(content.count) }
    var fileDescriptor: CInt? { nil }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        if offset == 0 { reads.withLock { $0 += 1 } }
        let rest = content.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: rest)
        return rest.count
    }

    func verifyUnchanged() throws(SubmitFailure) {}
}
