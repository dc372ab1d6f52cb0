public import Submit

/// What a destination gets instead of the original. It is no copy of that: no source is removed for it.
public struct Rendition: Sendable, Hashable {
    /// What made it, with its version.
    public var engine: String
    /// Bytes.
    public var size: Int64
    /// What it is.
    public var type: MediaType
    /// SHA-256, and those that its destination asks for.
    public var digests: Digests

    /// A rendition of these bytes.
    public init(engine: String, size: Int64, type: MediaType, digests: Digests) {
        self.engine = engine
        self.size = size
        self.type = type
        self.digests = digests
    }

    /// What goes to the destination: the item with what these bytes are.
    public func content(of item: MediaItem) -> MediaItem {
        var content = item
        content.size = size
        content.type = type
        content.digests = digests
        return content
    }
}
