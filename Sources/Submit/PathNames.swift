/// The names between the `/` of a path.
public enum PathNames {
    /// All of them, the empty ones included.
    ///
    /// A path is split where a file system or a server would split it: to Swift a `/` with an accent on it is one
    /// character, and no `/`.
    public static func split(_ path: some StringProtocol) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Those of a path that stays below where it begins; `nil` for one with an empty name, “.”, “..” or NUL.
    public static func plain(_ path: some StringProtocol) -> [String]? {
        let names = split(path)
        return names.allSatisfy { !["", ".", ".."].contains($0) && !$0.utf8.contains(0) } ? names : nil
    }
}
