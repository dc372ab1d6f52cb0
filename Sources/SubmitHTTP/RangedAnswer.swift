extension HTTPResponse {
    /// The bytes of a range that was asked for; `nil` where this is no answer with just these.
    ///
    /// What `Content-Range` says counts more than the status: some say 200 to a range, and others send another one than
    /// was asked for (RFC 9110, sections 14.2 and 14.4).
    ///
    /// - Parameter size: of the whole, in bytes.
    public func bytes(of range: Range<Int64>, of size: Int64) -> [UInt8]? {
        let count = range.upperBound - range.lowerBound
        guard status == 200 || status == 206, Int64(body.count) == count else { return nil }
        guard let told = self["Content-Range"] else { return status == 206 || count == size ? body : nil }
        let isOurs = told.wholeMatch(of: /\s*bytes\s+(\d+)-(\d+)\/(\d+|\*)\s*/).map { match in
            Int64(match.1) == range.lowerBound && Int64(match.2) == range.upperBound - 1
                && (match.3 == "*" || Int64(match.3) == size)
        }
        return isOurs ?? false ? body : nil
    }
}
