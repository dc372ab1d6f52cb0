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
        if type != item.type {
            content.type = type
            content.name = type.named(item.name, insteadOf: item.type)
        }
        content.digests = digests
        return content
    }
}

extension MediaType {
    /// A file's name with this type's end instead of that of a picture or a film; the same name where that would be too long for
    /// one.
    fileprivate func named(_ name: String, insteadOf type: MediaType) -> String {
        let end = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
        let isKnown = end == type.filenameExtension || Self.ends.contains(end)
        let stem = isKnown ? name.dropLast(end.count + 1) : name[...]
        let named = "\(stem.isEmpty ? name[...] : stem).\(filenameExtension)"
        return named.utf8.count <= 255 ? named : name
    }

    /// What names of files end in that become another type: of one that is no such end, as in “2024.08.01 party”, nothing is cut.
    private static let ends: Set<String> = [
        "avif", "gif", "heic", "heif", "hif", "jfif", "jpe", "jpeg", "jpg", "m4v", "mov", "mp4", "png", "tif", "tiff",
        "webp",
    ]
}
