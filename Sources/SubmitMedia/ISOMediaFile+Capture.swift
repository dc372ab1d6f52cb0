internal import Submit

extension ISOMediaFile {
    /// The phone's own clock (`com.apple.quicktime.creationdate`, QuickTime File Format, “Metadata”) where it is there,
    /// else `creation_time` of the movie header, which is in UTC (ISO/IEC 14496-12, section 8.2.2), by the clock here.
    ///
    /// Some cameras write their own clock there, against the standard, and nothing in the file tells which do.
    static func captureTime(_ file: FileRegion) -> CaptureTime? {
        guard let movie = box("moov", in: file) else { return nil }
        return appleCreationDate(in: movie) ?? box("udta", in: movie).flatMap(appleCreationDate)
            ?? movieCreationTime(movie)
    }

    private static func movieCreationTime(_ movie: FileRegion) -> CaptureTime? {
        guard let header = box("mvhd", in: movie)?.bytes(12) else { return nil }
        let isLong = header.first == 1
        // Seconds since 1904. Cameras without a clock write 0, or the first second of 1970.
        guard let since1904 = header.span.number(at: 4, width: isLong ? 8 : 4), since1904 < 1 << 40 else { return nil }
        let seconds = Int64(since1904) - 2_082_844_800
        return since1904 == 0 || seconds == 0 ? nil : CaptureTime(secondsSince1970: seconds)
    }

    private static func appleCreationDate(in parent: FileRegion) -> CaptureTime? {
        appleValue("com.apple.quicktime.creationdate", in: parent).flatMap { CaptureText.time($0) }
    }

    /// Of QuickTime's metadata. Telephones put it right into the movie, others into its user data.
    static func appleValue(_ wanted: String, in parent: FileRegion) -> String? {
        guard var metadata = box("meta", in: parent) else { return nil }
        // ISO's `meta` begins with a version, QuickTime's does not.
        if box("keys", in: metadata) == nil { metadata = metadata.part(from: 4) }
        guard let keys = box("keys", in: metadata), let list = box("ilst", in: metadata) else { return nil }
        var index: UInt64 = 0
        var rest = keys.part(from: 8)
        while let size = rest.bytes(4).span.number(at: 0, width: 4), size >= 8, index < ISOBoxes.most {
            index += 1
            let key = rest.part(from: 8, length: Int64(size) - 8).bytes(64)
            if key == Array(wanted.utf8) {
                guard let value = box(code: index, in: list).flatMap({ box("data", in: $0) }) else { return nil }
                return String(decoding: value.part(from: 8).bytes(64), as: UTF8.self)
            }
            rest = rest.part(from: Int64(size))
        }
        return nil
    }
}
