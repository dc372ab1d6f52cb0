internal import Submit
internal import SubmitConcurrency

/// A page-aligned buffer for reading, used again by the next one who needs it: a fresh one costs a page fault every
/// 4 KiB.
final class ReadBuffer: @unchecked Sendable {
    /// Fits into a core's second-level cache, so that what was read is hashed from there.
    static let size = 256 << 10

    /// Addresses of buffers that no one uses.
    private static let spare = Locked<[UInt]>([])
    private static let mostSpare = 8

    let bytes: UnsafeMutableRawBufferPointer

    init() {
        let start = Self.spare.withLock { $0.popLast() }.flatMap(UnsafeMutableRawPointer.init(bitPattern:))
        bytes = UnsafeMutableRawBufferPointer(
            start: start ?? .allocate(byteCount: Self.size, alignment: 4096), count: Self.size)
    }

    deinit {
        let address = UInt(bitPattern: bytes.baseAddress)
        let isKept = Self.spare.withLock { spare in
            if spare.count < Self.mostSpare { spare.append(address) }
            return spare.last == address
        }
        if !isKept { bytes.deallocate() }
    }
}
