internal import CMediaLibraries
internal import Foundation
public import Submit
internal import SubmitConcurrency
internal import SubmitPlatform

/// When a photo or video was taken, as its own metadata tells.
///
/// Photos whose EXIF says it plainly are read here; others through libgexiv2, which is loaded when the first one needs it.
/// Where it is not installed, those have no date of capture and ``unavailable`` says so.
public enum CaptureMetadata {
    /// The date of capture; `nil` if the file does not tell one between the years 1826 and 2100.
    ///
    /// By the camera's clock where the file tells it. What a video tells only in UTC, a clock of this machine's zone (`TZ`)
    /// is taken to have shown.
    ///
    /// Blocks its thread, and for photos that need the library other callers too: it allows one at a time. Never fails:
    /// what a broken file does not tell is not known.
    ///
    /// - Parameters:
    ///   - descriptor: the file, open for reading. Its position does not matter.
    ///   - head: the file's first bytes, as many as were read already; 64 KiB and more spare most photos another reading.
    public static func captureTime(
        of descriptor: CInt, type: MediaType,
        head: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) -> CaptureTime? {
        guard type.kind != .other, let file = FileRegion(descriptor) else { return nil }
        if type.kind == .video { return VideoMetadata.captureTime(file, type: type) }
        switch finding(MediaSource(head: head, file: file), type) {
        case .told(let time): return time
        case .undecided: return PhotoMetadata.captureTime(of: descriptor)
        }
    }

    /// Why the library for photos whose dates are not plain cannot be used on this computer: one sentence. `nil` if it can.
    public static var unavailable: String? {
        submit_photo_library_error().map {
            "Dates of capture are not read in photos of rarer formats, because \(String(cString: $0)); "
                + "install libgexiv2-2."
        }
    }

    /// What a photo says plainly.
    static func finding(_ source: MediaSource, _ type: MediaType) -> CaptureFinding {
        switch type.mime {
        case "image/jpeg": JPEGFile.captureFinding(source)
        case "image/heic", "image/heif", "image/avif": ISOMediaFile.captureFinding(source)
        case _ where TIFFFile.tellsByEXIF(type): TIFFFile.captureFinding(source)
        default: .undecided
        }
    }
}

/// libgexiv2, one caller at a time: the XMP toolkit below it is not made for threads.
enum PhotoMetadata {
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
