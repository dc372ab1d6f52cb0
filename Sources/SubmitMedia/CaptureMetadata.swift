internal import CMediaLibraries
internal import Glibc
public import Submit

/// When a photo or video was taken, as its own metadata tells.
///
/// Photos are read through libgexiv2 and videos through libmediainfo; each is loaded when the first file needs it. Where
/// one is not installed, its files have no date of capture and ``unavailable(for:)`` says so.
public enum CaptureMetadata {
    /// The date of capture; `nil` if the file does not tell one between the years 1826 and 2100.
    ///
    /// Blocks its thread, and others that call it with files of the same kind at the same time: the libraries allow one
    /// caller at a time. Never fails: what a broken file does not tell is not known.
    ///
    /// - Parameter descriptor: the file, open for reading. Its position does not matter.
    public static func captureTime(of descriptor: CInt, type: MediaType) -> CaptureTime? {
        switch type.kind {
        case .photo: hasNoMetadata(descriptor, type) ? nil : PhotoMetadata.captureTime(of: descriptor)
        case .video: VideoMetadata.captureTime(of: descriptor)
        case .other: nil
        }
    }

    /// Why dates of capture of this kind cannot be read on this computer: one sentence. `nil` if they can.
    public static func unavailable(for kind: MediaKind) -> String? {
        switch kind {
        case .photo:
            submit_photo_library_error().map {
                "Dates of capture in photos are not read, because \(String(cString: $0)); install libgexiv2-2."
            }
        case .video:
            submit_video_library_error().map {
                "Dates of capture in videos are not read, because \(String(cString: $0)); install libmediainfo0v5."
            }
        case .other: nil
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
    private static let turn = Locked(())

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
        turn.withLock { _ in
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

/// libmediainfo, one caller at a time.
private enum VideoMetadata {
    private static let turn = Locked(())

    /// The phone's own clock first, then what the container says, in UTC: `mvhd` of MP4, `DateUTC` of Matroska, `IDIT`
    /// of AVI.
    private static let fields = [
        "com.apple.quicktime.creationdate", "Recorded_Date", "Encoded_Date", "Mastered_Date",
    ]

    static func captureTime(of descriptor: CInt) -> CaptureTime? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        let size = Int64(status.st_size)
        return turn.withLock { _ in
            guard let video = submit_video_open(descriptor, size) else { return nil }
            defer { submit_video_close(video) }
            for field in fields {
                guard let text = submit_video_field(video, field).map({ String(cString: $0) }),
                    let time = CaptureText.time(text)
                else { continue }
                // A camera without a clock writes the beginning of its era.
                let isUnset = (time.year == 1904 || time.year == 1970) && time.month == 1 && time.day == 1
                if !isUnset { return time }
            }
            return nil
        }
    }
}
