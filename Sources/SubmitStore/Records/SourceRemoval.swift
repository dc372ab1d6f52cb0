/// The wish that a source is removed once enough copies of it are proven.
public struct SourceRemoval: Sendable, Hashable, Codable {
    /// How many destinations must hold a verified copy.
    public var copies: Int
    /// Where it goes.
    public var manner: RemovalManner

    /// - Parameters:
    ///   - copies: how many destinations must hold a verified copy, at least 1.
    ///   - manner: where it goes.
    public init(copies: Int, manner: RemovalManner = .trash) {
        self.copies = copies
        self.manner = manner
    }
}

/// How a source is removed.
public enum RemovalManner: String, Sendable, Hashable, Codable, CaseIterable {
    /// Into the trash of the desktop, from which it can be brought back.
    case trash
    /// For good.
    case delete
}

/// Where the removal of a source stands.
public enum RemovalState: Int, Sendable, Hashable {
    /// Not enough copies are proven yet.
    case wanted = 0
    /// It may stand at its place or at the place where it is put aside.
    case underWay = 1
    /// It is in the trash, or gone for good.
    case removed = 2
    /// It stays where it is.
    case kept = 3
}
