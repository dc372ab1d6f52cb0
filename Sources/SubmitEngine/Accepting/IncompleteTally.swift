internal import SubmitMedia
public import SystemPackage

/// How many accepted photos and films lack their end, by format.
///
/// Their copies are exact. It is the source that is broken: by a copy that was cut off, or a camera that lost power.
public struct IncompleteTally: Sendable, Hashable {
    /// How many of one format.
    public struct Line: Sendable, Hashable {
        /// What is missing, which stays the same in later versions: `jpeg`, `png`, `iso-media`, `riff` or `tiff`.
        public let code: String
        /// The first of them.
        public let first: FilePath
        /// Items.
        public var count: Int
    }

    /// In the order in which they were found.
    public private(set) var lines: [Line] = []

    /// None.
    public init() {}

    mutating func add(_ end: MissingEnd, _ path: FilePath) {
        add(Line(code: end.rawValue, first: path, count: 1))
    }

    private mutating func add(_ line: Line) {
        if let known = lines.firstIndex(where: { $0.code == line.code }) {
            lines[known].count += line.count
        } else {
            lines.append(line)
        }
    }

    /// The sum of two.
    public static func + (one: Self, more: Self) -> Self { more.lines.reduce(into: one) { $0.add($1) } }
}
