extension StringProtocol {
    /// The names of a path between its `/`, the empty ones included.
    ///
    /// It is split where a file system or a server would split it: to Swift a `/` with an accent on it is one character,
    /// and no `/`.
    public var pathNames: [String] {
        utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names of a path that stays below where it begins; `nil` for one with an empty name, “.”, “..” or NUL.
    public var plainPathNames: [String]? {
        let names = pathNames
        return names.allSatisfy { !["", ".", ".."].contains($0) && !$0.utf8.contains(0) } ? names : nil
    }
}
