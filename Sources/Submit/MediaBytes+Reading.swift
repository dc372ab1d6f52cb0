extension MediaBytes {
    /// The bytes of a range of the item: all of them.
    ///
    /// - Parameter range: within the item, and small enough for memory.
    /// - Throws: the failure of reading; one to try again where the item ends before the range does.
    public func bytes(in range: Range<Int64>) throws(SubmitFailure) -> [UInt8] {
        var failure: SubmitFailure?
        let count = Int(range.upperBound - range.lowerBound)
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SubmitFailure) {
                filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        guard bytes.count == count else {
            throw SubmitFailure(
                .retry(afterMilliseconds: nil), code: "source-short", "The source ended too early: it is tried again.")
        }
        return bytes
    }
}
