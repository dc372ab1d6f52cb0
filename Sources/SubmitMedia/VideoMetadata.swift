internal import Submit

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
            case "video/mp2t": TransportClock.captureTime(file)
            case "video/x-ms-asf", "video/x-ms-wmv": ASFFile.captureTime(file)
            case "video/mpeg", "video/x-flv", "application/mxf", "video/x-red-r3d": nil
            default: ISOMediaFile.captureTime(file)
            }
        guard let time, (firstFilm...2100).contains(time.year) else { return nil }
        return time
    }

    /// The year of the “Roundhay Garden Scene”.
    private static let firstFilm = 1888
}
