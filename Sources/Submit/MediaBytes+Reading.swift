extension MediaBytes {
    /// Up to `count` bytes from `offset` on; fewer at the item's end.
    ///
    /// - Parameter count: small enough for memory.
    /// - Throws: the failure of reading.
    public func bytes(at offset: Int64, count: Int) throws(SubmitFailure) -> [UInt8] {
        var failure: SubmitFailure?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SubmitFailure) {
                filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// The bytes of a range of the item: all of them.
    ///
    /// - Parameter range: within the item, and small enough for memory.
    /// - Throws: the failure of reading; one to try again where the item ends before the range does.
    public func bytes(in range: Range<Int64>) throws(SubmitFailure) -> [UInt8] {
        let count = Int(range.upperBound - range.lowerBound)
        let bytes = try bytes(at: range.lowerBound, count: count)
        guard bytes.count == count else {
            throw SubmitFailure(
                .retry(after: nil), code: "source-short", message: "The source ended too early: it is tried again.")
        }
        return bytes
    }
}
