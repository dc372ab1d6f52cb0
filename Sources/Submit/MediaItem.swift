public import SystemPackage

/// One photo or video: what is known of it. Its bytes come separately, as ``MediaBytes``.
///
/// A media item is written down when it is accepted and does not change afterwards: every attempt at every
/// destination, in this process or a later one, sees the same values.
public struct MediaItem: Sendable, Hashable {
    /// Where the bytes are, as accepted. Absolute; not necessarily valid UTF-8.
    public var source: FilePath
    /// The file's own name as text: a byte of it that is no UTF-8 stands there as `‛E9`. Never empty, never `.` or `..`,
    /// without `/` and NUL.
    public var name: String
    /// Bytes.
    public var size: Int64
    /// What the content is, found by looking at it.
    public var type: MediaType
    /// The source's modification time.
    public var modified: Timestamp
    /// When the picture was taken, where the file says so.
    public var captured: CaptureTime?
    /// The words to publish beside it, at destinations that take any.
    public var caption: String?
    /// Keywords, in the order given.
    public var tags: [String]
    /// The digests computed on acceptance: SHA-256 always, and all that its destinations ask for.
    public var digests: Digests

    /// What is known of one file.
    ///
    /// - Parameter digests: of all its bytes; SHA-256 has to be among them.
    public init(
        source: FilePath, name: String, size: Int64, type: MediaType, modified: Timestamp,
        captured: CaptureTime? = nil, caption: String? = nil, tags: [String] = [], digests: Digests
    ) {
        self.source = source
        self.name = name
        self.size = size
        self.type = type
        self.modified = modified
        self.captured = captured
        self.caption = caption
        self.tags = tags
        self.digests = digests
    }
}
