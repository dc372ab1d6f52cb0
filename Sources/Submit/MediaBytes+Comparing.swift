extension MediaBytes {
    /// Compares a range of the item with what `theirs` hands out, 4 MiB at a time, until they differ.
    ///
    /// - Parameter theirs: bytes of a copy; `nil` where it cannot hand out that range.
    /// - Returns: whether all bytes are the same; `nil` where that cannot be told.
    /// - Throws: the failure of reading the item or the copy.
    public func equals(
        in range: Range<Int64>? = nil, theirs: (_ piece: Range<Int64>) async throws(SubmitFailure) -> [UInt8]?
    ) async throws(SubmitFailure) -> Bool? {
        let range = range ?? 0..<size
        var offset = range.lowerBound
        while offset < range.upperBound {
            let piece = offset..<min(offset + (4 << 20), range.upperBound)
            guard let copy = try await theirs(piece), Int64(copy.count) == piece.upperBound - piece.lowerBound else {
                return nil
            }
            guard try bytes(at: offset, count: copy.count) == copy else { return false }
            offset = piece.upperBound
        }
        return true
    }
}
