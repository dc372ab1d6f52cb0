public import Submit

extension Digests {
    /// The SHA-256 of a copy that is handed out in pieces of up to 4 MiB, from its beginning to its end.
    ///
    /// - Parameter read: the bytes of a piece; `nil` where it cannot hand out just these.
    /// - Returns: `nil` where a piece was not handed out.
    /// - Throws: the failure of `read`, or ``SubmitFailure/cancelled``.
    public static func readBack(
        size: Int64, by read: (_ piece: Range<Int64>) async throws(SubmitFailure) -> [UInt8]?
    ) async throws(SubmitFailure) -> [UInt8]? {
        var pass = DigestPass([.sha256])
        var offset: Int64 = 0
        while offset < size {
            if Task.isCancelled { throw .cancelled }
            let piece = offset..<min(offset + (4 << 20), size)
            guard let bytes = try await read(piece), Int64(bytes.count) == piece.upperBound - piece.lowerBound else {
                return nil
            }
            bytes.withUnsafeBytes { pass.update($0) }
            offset = piece.upperBound
        }
        return pass.finalize()[.sha256]
    }
}
