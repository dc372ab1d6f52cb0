internal import SubmitPlatform

/// A part of an open file, or of bytes that are put together from several.
struct FileRegion {
    private let source: Source
    let start: Int64
    let end: Int64

    private enum Source {
        /// The head is the file's beginning, which was read already.
        case file(CInt, head: UnsafeRawBufferPointer)
        case memory([UInt8])
    }

    var length: Int64 { end - start }

    /// The whole file; `nil` where nothing can be found out of it.
    ///
    /// - Parameter head: its first bytes, to be there as long as the region and its parts are.
    init?(_ descriptor: CInt, head: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(.file(descriptor, head: head), start: 0, end: Int64(status.st_size))
    }

    init(_ bytes: [UInt8]) {
        self.init(.memory(bytes), start: 0, end: Int64(bytes.count))
    }

    private init(_ source: Source, start: Int64, end: Int64) {
        self.source = source
        self.start = start
        self.end = end
    }

    /// What is left of the region from `offset` of it on, at most `length` bytes.
    func part(from offset: Int64, length: Int64 = .max) -> FileRegion {
        let from = min(start + min(max(0, offset), self.length), end)
        return FileRegion(source, start: from, end: from + min(max(0, length), end - from))
    }

    /// Exactly `length` bytes from `offset` on, which is not the region's beginning: where pointers of formats lead that
    /// are missing or broken. `nil` where the region has not so many there, or there are none.
    func piece(at offset: Int64?, length: Int64?) -> FileRegion? {
        guard let offset, let length, offset > 0, length > 0, offset <= self.length, length <= self.length - offset
        else {
            return nil
        }
        return part(from: offset, length: length)
    }

    /// The first bytes, at most `count`.
    func bytes(_ count: Int) -> [UInt8] {
        let count = Int(min(Int64(count), length))
        guard count > 0 else { return [] }
        let range = Int(start)..<Int(start) + count
        switch source {
        case .memory(let bytes): return Array(bytes[range])
        case .file(_, let head) where range.upperBound <= head.count: return Array(head[range])
        case .file(let descriptor, _):
            return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                initialized = max(0, pread(descriptor, buffer.baseAddress, count, range.lowerBound))
            }
        }
    }

    /// Exactly `count` bytes; `nil` where the region has not so many there.
    func bytes(at offset: Int64, _ count: Int) -> [UInt8]? {
        guard offset >= 0, offset <= length, Int64(count) <= length - offset else { return nil }
        let bytes = part(from: offset).bytes(count)
        return bytes.count == count ? bytes : nil
    }

    /// The unsigned number of `width` bytes (at most 8) at `offset`; `nil` where the region has not so many there.
    func number(at offset: Int64, width: Int, bigEndian: Bool = true) -> UInt64? {
        guard let bytes = bytes(at: offset, width) else { return nil }
        return bytes.span.number(at: 0, width: width, bigEndian: bigEndian)
    }
}
