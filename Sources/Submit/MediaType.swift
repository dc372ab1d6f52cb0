/// What a media item is: its kind, its MIME type and the extension people expect on it.
public struct MediaType: Sendable, Hashable {
    /// The coarse kind that destinations set limits for.
    public var kind: MediaKind
    /// A MIME type, lower case, without parameters: `image/jpeg`.
    public var mime: String
    /// The usual file extension, lower case, without the dot: `jpg`. Empty for ``other``.
    public var filenameExtension: String

    /// - Parameters:
    ///   - mime: lower case, without parameters.
    ///   - filenameExtension: lower case, without the dot.
    public init(kind: MediaKind, mime: String, filenameExtension: String) {
        self.kind = kind
        self.mime = mime
        self.filenameExtension = filenameExtension
    }

    /// Neither a photo nor a video, accepted because the user asked for any file.
    public static let other = MediaType(kind: .other, mime: "application/octet-stream", filenameExtension: "")
}

/// The coarse kind of a media item.
public enum MediaKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// A still picture, those in the raw formats of cameras included.
    case photo
    /// A moving picture.
    case video
    /// A file that is neither: a sound that a camera recorded, or anything else that was accepted on request.
    case other
}
