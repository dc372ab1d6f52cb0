public import Submit

/// When a photo or video was taken, as its own metadata tells.
public enum CaptureMetadata {
    /// The date of capture; `nil` if the file does not tell one between the years 1826 and 2100.
    ///
    /// By the camera's clock where the file tells it. What a video tells only in UTC, a clock of this machine's zone (`TZ`)
    /// is taken to have shown.
    ///
    /// Blocks its thread. Never fails: what a broken file does not tell is not known.
    ///
    /// - Parameters:
    ///   - descriptor: the file, open for reading. Its position does not matter.
    ///   - head: the file's first bytes, as many as were read already; 64 KiB and more spare most photos another reading.
    public static func captureTime(
        of descriptor: CInt, type: MediaType,
        head: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) -> CaptureTime? {
        type.kind == .other ? nil : FileRegion(descriptor, head: head).flatMap { captureTime($0, type) }
    }

    static func captureTime(_ file: FileRegion, _ type: MediaType) -> CaptureTime? {
        switch type.mime {
        case _ where type.kind == .video: VideoMetadata.captureTime(file, type: type)
        // The one format of photos whose date is neither EXIF nor XMP.
        case "image/x-canon-crw": CanonOldRawFile.captureTime(file)
        default: PhotoMetadata(file, type: type).captureTime
        }
    }
}
