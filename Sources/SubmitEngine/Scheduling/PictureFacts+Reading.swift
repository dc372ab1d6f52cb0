internal import Submit
internal import SubmitCatalogue
internal import SubmitMedia
internal import SubmitStore

extension PictureFacts {
    /// What a file's own metadata tells; nothing of a file that has none, or cannot be read any more.
    ///
    /// Blocks its thread for a part of the file's beginning, mostly: it was read a moment ago.
    init(of source: GuardedFile, _ item: MediaItem) {
        self.init()
        guard item.type.kind != .other, let descriptor = source.fileDescriptor,
            let head = try? source.bytes(at: 0, count: Int(min(source.size, Self.headLength)))
        else { return }
        let found = head.withUnsafeBytes { PictureMetadata(of: descriptor, type: item.type, head: $0) }
        if let pixels = found.dimensions {
            let isTurned = pixels.orientation > 4
            (width, height) = (
                Int64(isTurned ? pixels.height : pixels.width), Int64(isTurned ? pixels.width : pixels.height)
            )
        }
        place = found.place.flatMap { CataloguePlace(latitude: $0.latitude, longitude: $0.longitude) }
        captured = item.captured ?? found.captured
    }

    /// Most photos have all of it there.
    private static let headLength: Int64 = 64 << 10
}
