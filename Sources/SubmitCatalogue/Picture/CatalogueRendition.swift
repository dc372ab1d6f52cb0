/// Bytes that were made of an original, for a copy.
public struct CatalogueRendition: Sendable, Hashable {
    /// SHA-256.
    public var digest: [UInt8]
    /// Its MIME type.
    public var type: String
    /// Bytes.
    public var size: Int64

    /// A rendition of these bytes.
    public init(digest: [UInt8], type: String, size: Int64) {
        (self.digest, self.type, self.size) = (digest, type, size)
    }
}
