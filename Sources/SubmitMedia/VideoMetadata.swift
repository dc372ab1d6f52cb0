internal import Submit
internal import SubmitPlatform

/// Dates in the containers of videos, read a few bytes at a time and never past what the file and its boxes hold.
///
/// By hand and not through libmediainfo, which reads far more than a date: some broken MP4 files of 5 kB keep its
/// version 23.04 busy without end and without bound of memory.
enum VideoMetadata {
    static func captureTime(_ file: FileRegion, type: MediaType) -> CaptureTime? {
        let time: CaptureTime? =
            switch type.mime {
            case "video/x-msvideo": AVIFile.captureTime(file)
            case "video/webm", "video/x-matroska": MatroskaFile.captureTime(file)
            case "video/mp2t", "video/mpeg", "video/x-ms-asf", "video/x-ms-wmv": nil
            default: ISOMediaFile.captureTime(file)
            }
        guard let time, (1826...2100).contains(time.year) else { return nil }
        return time
    }
}

/// A part of an open file.
struct FileRegion {
    let descriptor: CInt
    let start: Int64
    let end: Int64

    var length: Int64 { end - start }

    /// The whole file; `nil` where nothing can be found out of it.
    init?(_ descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(descriptor: descriptor, start: 0, end: Int64(status.st_size))
    }

    private init(descriptor: CInt, start: Int64, end: Int64) {
        self.descriptor = descriptor
        self.start = start
        self.end = end
    }

    /// What is left of the region from `offset` of it on, at most `length` bytes.
    func part(from offset: Int64, length: Int64 = .max) -> FileRegion {
        let from = min(start + min(max(0, offset), self.length), end)
        return FileRegion(descriptor: descriptor, start: from, end: from + min(max(0, length), end - from))
    }

    /// The first bytes, at most `count`.
    func bytes(_ count: Int) -> [UInt8] {
        let count = min(Int64(count), length)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
            initialized = max(0, pread(descriptor, buffer.baseAddress, Int(count), Int(start)))
        }
    }
}
