extension StringProtocol {
    /// The names of a path between its `/`, the empty ones included.
    ///
    /// It is split where a file system or a server would split it: to Swift a `/` with an accent on it is one character,
    /// and no `/`.
    public var pathNames: [String] {
        utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }
}
