internal import Submit

extension ISOMediaFile {
    /// The camera's own clock if the film has it: Apple's `com.apple.quicktime.creationdate` (QuickTime File Format, “Metadata”),
    /// the texts of the user data, then XMP. Otherwise `creation_time` of the movie header, which is in UTC (ISO/IEC 14496-12,
    /// section 8.2.2), by the clock here.
    ///
    /// Some cameras write their own clock there, against the standard, and nothing in the file tells which do.
    static func captureTime(_ file: FileRegion) -> CaptureTime? {
        guard let movie = box("moov", in: file) else { return nil }
        let user = box("udta", in: movie)
        return appleCreationDate(in: movie) ?? user.flatMap(appleCreationDate) ?? user.flatMap(userCreationDate)
            ?? xmpDate(file, user) ?? movieCreationTime(movie)
    }

    /// When the movie header says that the film was made.
    static func movieCreationTime(_ movie: FileRegion) -> CaptureTime? {
        guard let header = box("mvhd", in: movie)?.bytes(12) else { return nil }
        let isLong = header.first == 1
        // Seconds since 1904.
        guard let since1904 = header.span.number(at: 4, width: isLong ? 8 : 4), since1904 < 1 << 40 else { return nil }
        let seconds = Int64(since1904) - secondsFrom1904To1970
        // Cameras without a clock write 0, or the first second of 1970.
        if seconds >= 0 { return seconds == 0 ? nil : CaptureTime(secondsSince1970: seconds) }
        // No program wrote this header before there was QuickTime: this one counted from 1970.
        return since1904 >= secondsFrom1970ToQuickTime ? CaptureTime(secondsSince1970: Int64(since1904)) : nil
    }

    private static let secondsFrom1904To1970: Int64 = 2_082_844_800
    /// Until 2 December 1991.
    private static let secondsFrom1970ToQuickTime: UInt64 = 691_632_000

    private static func appleCreationDate(in parent: FileRegion) -> CaptureTime? {
        appleValue("com.apple.quicktime.creationdate", in: parent).flatMap { CaptureText.time($0) }
    }

    /// `date` of Samsung's and FLIR's cameras, a bare text; `©day`, whose length and language stand before it (QuickTime File
    /// Format, “User data atoms”).
    private static func userCreationDate(in user: FileRegion) -> CaptureTime? {
        [(code("date"), 0 as Int64), (0xa964_6179, 4)].lazy.compactMap { type, start in
            box(code: type, in: user).flatMap {
                CaptureText.time(String(decoding: $0.part(from: start).bytes(64), as: UTF8.self))
            }
        }.first
    }

    /// XMP is in a box of its own, or in QuickTime's user data (XMP part 3, sections 1.2.3 and 1.2.6).
    private static func xmpDate(_ file: FileRegion, _ user: FileRegion?) -> CaptureTime? {
        let dates = (xmp(in: file) ?? user.flatMap { box("XMP_", in: $0) }).flatMap(XMPDates.init)
        return dates?.original ?? dates?.created ?? dates?.digitized
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
