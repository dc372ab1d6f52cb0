public import SystemPackage

/// Something that was named, or lies below a named folder, and was not taken: it is neither accepted nor refused, and must not be
/// lost sight of.
public struct LeftBehind: Sendable, Hashable {
    /// Why it was not taken.
    public enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        /// A link to a folder: see ``FileWalk/Reach/followsLinks``.
        case linkedFolder = "linked-folder"
        /// Its name, or that of a folder above it, begins with a dot: see ``FileWalk/Reach/takesHidden``.
        case hidden
        /// A pipe, a socket or a device.
        case special
        /// A file that is neither photo nor video, by its content: see ``SubmitRequest/takesAnyFile``.
        case unknownType = "unknown-type"
        /// What belongs to a photo or a video, and is none: XMP, AAE, THM, Takeout's JSON.
        case sidecar
        /// A small version of a film or photo that a camera or a program made for itself, by its name and folder.
        case preview
        /// A file that a program is still writing. It is taken as soon as it is complete: ask for it again then.
        case beingWritten = "being-written"
        /// A file by which a camera finds its pictures, by its name, and that is no picture.
        case camera
        /// What operating systems and storage boxes keep beside people's files for themselves, by its name.
        case system
        /// What a ``SourceFilter`` does not take. A folder that its rules leave out counts as one, whatever is in it.
        case excluded
        /// The folder in which a destination of the request stores its copies. It counts as one, whatever it contains.
        case destination
    }

    /// Absolute.
    public let path: FilePath
    /// The folder it is told of by: the one it lies in, or the outermost one that is left as a whole.
    public let folder: FilePath
    /// Why.
    public let reason: Reason
}

/// How much was left behind, by folder and reason.
public struct LeftBehindTally: Sendable, Hashable {
    /// How much of one folder was left behind for one reason.
    public struct Line: Sendable, Hashable {
        /// See ``LeftBehind/folder``.
        public let folder: FilePath
        /// Why.
        public let reason: LeftBehind.Reason
        /// Files, links and the like; no folders.
        public var count: Int
        /// Paths of the first few.
        public var first: [FilePath]
    }

    /// So many paths of a line are kept.
    private static let mostPaths = 3

    /// In the order of the walk.
    public private(set) var lines: [Line] = []
    private var index: [FilePath: [LeftBehind.Reason: Int]] = [:]

    /// Nothing.
    public init() {}

    /// All there is; no folders.
    public var count: Int { lines.reduce(0) { $0 + $1.count } }

    /// Counts one more.
    public mutating func add(_ left: LeftBehind) {
        add(Line(folder: left.folder, reason: left.reason, count: 1, first: [left.path]))
    }

    private mutating func add(_ line: Line) {
        if let known = index[line.folder]?[line.reason] {
            lines[known].count += line.count
            lines[known].first += line.first.prefix(Self.mostPaths - lines[known].first.count)
        } else {
            index[line.folder, default: [:]][line.reason] = lines.count
            lines.append(line)
        }
    }

    /// The sum of two.
    public static func + (one: Self, more: Self) -> Self { more.lines.reduce(into: one) { $0.add($1) } }
}
