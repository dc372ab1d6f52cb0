/// What a destination takes of one kind of items.
public struct ItemLimits: Sendable, Hashable {
    /// The largest in bytes; `nil` without limit.
    public var maximumSize: Int64?
    /// The most pixels of a photo, its width times its height; `nil` without limit.
    public var maximumPixels: Int?
    /// The MIME types; `nil` for all.
    public var mimeTypes: Set<String>?

    /// Those that are given, and no others.
    public init(maximumSize: Int64? = nil, maximumPixels: Int? = nil, mimeTypes: Set<String>? = nil) {
        self.maximumSize = maximumSize
        self.maximumPixels = maximumPixels
        self.mimeTypes = mimeTypes
    }
}

extension Capabilities {
    /// What is taken of a kind of items, as far as that is a fact.
    public func limits(of kind: MediaKind) -> ItemLimits {
        ItemLimits(maximumSize: maximumSize[kind], mimeTypes: mimeTypes)
    }
}
