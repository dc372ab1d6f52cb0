package import Submit

/// What a photo or video tells of itself, read once: when and where it was taken, and how large it is.
package struct PictureMetadata: Sendable, Hashable {
    /// When it was taken; as ``CaptureMetadata`` reads it.
    package var captured: CaptureTime?
    /// Where it was taken.
    package var place: CapturePlace?
    /// Its pixels, as they are stored.
    package var dimensions: MediaDimensions?

    /// Blocks its thread, and never fails: what a broken file does not tell is not known.
    ///
    /// - Parameters:
    ///   - descriptor: the file, open for reading. Its position does not matter.
    ///   - head: the file's first bytes, as many as were read already.
    package init(of descriptor: CInt, type: MediaType, head: UnsafeRawBufferPointer) {
        guard let file = FileRegion(descriptor, head: head) else { return }
        switch type.kind {
        case .photo:
            let metadata = PhotoMetadata(file, type: type)
            captured =
                type.mime == "image/x-canon-crw" ? CaptureMetadata.captureTime(file, type) : metadata.captureTime
            place = metadata.place
            dimensions = MediaDimensions(file, type, metadata)
        case .video:
            captured = CaptureMetadata.captureTime(file, type)
            place = CapturePlace(file, type)
        case .other: break
        }
    }
}
