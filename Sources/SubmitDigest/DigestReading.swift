internal import Dispatch
public import Submit
internal import SubmitConcurrency
internal import SubmitPlatform

extension Digests {
    /// Reads an item once, from its beginning to its end, and computes digests of it.
    ///
    /// Blocks its thread. Memory stays below 2 MiB whatever the size. From 8 MiB on, MD5 runs beside SHA-256 on a
    /// second thread, over the same buffers.
    ///
    /// - Parameters:
    ///   - isCancelled: asked before every 256 KiB.
    ///   - look: gets the first 256 KiB, or all there are, and may end the reading; not called for an empty item.
    /// - Throws: the failure of reading or of `look`, or ``SubmitFailure/cancelled``.
    public static func reading(
        _ algorithms: Set<DigestAlgorithm>, of bytes: any MediaBytes, isCancelled: () -> Bool = { Task.isCancelled },
        atHead look: (_ head: UnsafeRawBufferPointer) throws(SubmitFailure) -> Void = { _ in }
    ) throws(SubmitFailure) -> Digests {
        if bytes.size > Int64(ReadBuffer.size), let descriptor = bytes.fileDescriptor {
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        }
        return try reading(algorithms, size: bytes.size, isCancelled: isCancelled) {
            (buffer, offset) throws(SubmitFailure) in
            let count = try bytes.read(into: buffer, at: offset)
            if offset == 0 { try look(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            return count
        }
    }

    /// Reads an item or a part of it once, as ``reading(_:of:isCancelled:)`` does, on a thread apart from those that
    /// tasks share. Several parts may be read side by side; each takes one thread.
    ///
    /// Cancelling the task ends it.
    ///
    /// - Throws: the failure of reading, or ``SubmitFailure/cancelled``.
    public static func computed(
        _ algorithms: Set<DigestAlgorithm>, of bytes: any MediaBytes, in range: Range<Int64>? = nil
    ) async throws(SubmitFailure) -> Digests {
        try await BlockingThreads.sources.run { () throws(SubmitFailure) in
            guard let range else { return try reading(algorithms, of: bytes) }
            return try readingAlone(algorithms, range.upperBound - range.lowerBound, { Task.isCancelled }) {
                (buffer, offset) throws(SubmitFailure) in
                try bytes.read(into: buffer, at: range.lowerBound + offset)
            }
        }
    }

    /// Computes digests of what `read` hands out, which is asked as ``MediaBytes/read(into:at:)`` is: it fills the
    /// buffer or stops at the end. Reading ends there, or after `size` bytes.
    ///
    /// - Throws: the failure of `read`, or ``SubmitFailure/cancelled``.
    public static func reading(
        _ algorithms: Set<DigestAlgorithm>, size: Int64, isCancelled: () -> Bool = { Task.isCancelled },
        by read: (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) throws(SubmitFailure) -> Int
    ) throws(SubmitFailure) -> Digests {
        let slow: DigestAlgorithm = algorithms.contains(.md5) ? .md5 : .sha1
        if size >= 8 << 20, algorithms.contains(slow), !algorithms.subtracting([slow, .crc32c]).isEmpty {
            return try readingSideBySide(algorithms, slow, size, isCancelled, read)
        }
        return try readingAlone(algorithms, size, isCancelled, read)
    }

    private static func readingAlone(
        _ algorithms: Set<DigestAlgorithm>, _ size: Int64, _ isCancelled: () -> Bool,
        _ read: (UnsafeMutableRawBufferPointer, Int64) throws(SubmitFailure) -> Int
    ) throws(SubmitFailure) -> Digests {
        var pass = DigestPass(algorithms)
        let buffer = ReadBuffer()
        try each(size, isCancelled) { (offset, length) throws(SubmitFailure) in
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<length])
            let count = try read(piece, offset)
            pass.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            return count
        }
        return pass.finalize()
    }

    /// The slowest digest runs on a queue of its own and may fall behind by as many buffers as there are.
    private static func readingSideBySide(
        _ algorithms: Set<DigestAlgorithm>, _ slow: DigestAlgorithm, _ size: Int64, _ isCancelled: () -> Bool,
        _ read: (UnsafeMutableRawBufferPointer, Int64) throws(SubmitFailure) -> Int
    ) throws(SubmitFailure) -> Digests {
        let buffers = (0..<4).map { _ in ReadBuffer() }
        let free = DispatchSemaphore(value: buffers.count)
        let queue = DispatchQueue(label: "submit.digest")
        let slowPass = Locked(DigestPass([slow]))
        var pass = DigestPass(algorithms.subtracting([slow]))
        // Nothing may be in flight when the buffers go.
        defer { queue.sync {} }
        var turn = 0
        try each(size, isCancelled) { (offset, length) throws(SubmitFailure) in
            let buffer = buffers[turn % buffers.count]
            turn += 1
            free.wait()
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<length])
            let count: Int
            do throws(SubmitFailure) {
                count = try read(piece, offset)
            } catch {
                free.signal()
                throw error
            }
            queue.async {
                slowPass.withLock { $0.update(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count])) }
                free.signal()
            }
            pass.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            return count
        }
        var digests = pass.finalize()
        digests[slow] = queue.sync { slowPass.withLock { $0.finalize()[slow] } }
        return digests
    }

    /// Walks through `size` bytes in pieces of the buffers' size, until `body` returns less than it was asked for.
    private static func each(
        _ size: Int64, _ isCancelled: () -> Bool, _ body: (Int64, Int) throws(SubmitFailure) -> Int
    ) throws(SubmitFailure) {
        var offset: Int64 = 0
        while offset < size {
            if isCancelled() { throw .cancelled }
            let length = Int(min(Int64(ReadBuffer.size), size - offset))
            let count = try body(offset, length)
            offset += Int64(count)
            if count < length { return }
        }
    }
}
