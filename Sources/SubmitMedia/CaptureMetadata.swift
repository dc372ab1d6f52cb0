internal import CMediaLibraries
internal import Foundation
public import Submit
internal import SubmitConcurrency
internal import SubmitPlatform

/// When a photo or video was taken, as its own metadata tells.
///
/// Photos are read through libgexiv2, which is loaded when the first one needs it. Where it is not installed, photos have
/// no date of capture and ``unavailable`` says so.
public enum CaptureMetadata {
    /// The date of capture; `nil` if the file does not tell one between the years 1826 and 2100.
    ///
    /// By the camera's clock where the file tells it. What a video tells only in UTC, a clock of this machine's zone (`TZ`)
    /// is taken to have shown.
    ///
    /// Blocks its thread, and for photos other callers too: the library allows one at a time. Never fails: what a
    /// broken file does not tell is not known.
    ///
    /// - Parameter descriptor: the file, open for reading. Its position does not matter.
    public static func captureTime(of descriptor: CInt, type: MediaType) -> CaptureTime? {
        switch type.kind {
        case .photo: hasNoMetadata(descriptor, type) ? nil : PhotoMetadata.captureTime(of: descriptor)
        case .video: VideoMetadata.captureTime(of: descriptor, type: type)
        case .other: nil
        }
    }

    /// Why photos' dates of capture cannot be read on this computer: one sentence. `nil` if they can.
    public static var unavailable: String? {
        submit_photo_library_error().map {
            "Dates of capture in photos are not read, because \(String(cString: $0)); install libgexiv2-2."
        }
    }

    /// Many pictures from chats and screens have no metadata: a look at the beginning saves the library's work.
    private static func hasNoMetadata(_ descriptor: CInt, _ type: MediaType) -> Bool {
        guard type.mime == "image/jpeg" else { return false }
        return withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { head in
            let count = max(0, pread(descriptor, head.baseAddress, head.count, 0))
            return head[..<count].withMemoryRebound(to: UInt8.self) { JPEGFile.hasNoMetadata($0.span) }
        }
    }
}

/// libgexiv2, one caller at a time: the XMP toolkit below it is not made for threads.
private enum PhotoMetadata {
    private static let turn = NSLock()

    /// Where a date of capture may stand, best first, with the tag of its offset from UTC.
    private static let tags: [(date: String, offset: String?)] = [
        ("Exif.Photo.DateTimeOriginal", "Exif.Photo.OffsetTimeOriginal"),
        ("Exif.Image.DateTimeOriginal", nil),
        ("Xmp.exif.DateTimeOriginal", nil),
        ("Xmp.photoshop.DateCreated", nil),
        ("Exif.Photo.DateTimeDigitized", "Exif.Photo.OffsetTimeDigitized"),
        ("Xmp.xmp.CreateDate", nil),
        ("Exif.Image.DateTime", "Exif.Photo.OffsetTime"),
    ]

    static func captureTime(of descriptor: CInt) -> CaptureTime? {
        turn.withLock {
            // By its descriptor: the name may be anything, even a URL that the library would fetch.
            guard let photo = submit_photo_open("/proc/self/fd/\(descriptor)") else { return nil }
            defer { submit_photo_close(photo) }
            func text(_ tag: String) -> String? { submit_photo_tag(photo, tag).map { String(cString: $0) } }
            for (date, offset) in tags {
                if let date = text(date), let time = CaptureText.time(date, offset: offset.flatMap(text)) {
                    return time
                }
            }
            return nil
        }
    }
}
