internal import Submit

/// When a photo was taken, by what its own bytes say plainly.
enum CaptureFinding: Equatable {
    /// `nil`: it tells none.
    case told(CaptureTime?)
    /// Whoever knows all of the formats has to look.
    case undecided
}

/// The dates of EXIF (Exif 2.32, sections 4.6.3 and 4.6.5), as far as they alone decide.
enum EXIFDates {
    /// - Parameter hasOther: the photo may tell dates in another way, too, which counts before some of these.
    static func finding(in structure: TIFFStructure?, hasOther: Bool) -> CaptureFinding {
        guard let image = structure?.first else { return .undecided }
        let photo: TIFFDirectory?
        switch image.directory(exifDirectory) {
        case .missing: photo = nil
        case .odd: return .undecided
        case .found(let directory): photo = directory
        }
        // Best first, as where anyone looks for the date of capture.
        let places: [(directory: TIFFDirectory?, date: UInt64, offset: UInt64?)] = [
            (photo, dateTimeOriginal, offsetTimeOriginal), (image, dateTimeOriginal, nil),
            (photo, dateTimeDigitized, offsetTimeDigitized), (image, dateTime, offsetTime),
        ]
        for (index, place) in places.enumerated() {
            if index == 2, hasOther { return .undecided }
            switch time(in: place.directory, place.date, photo, place.offset) {
            case .missing: continue
            case .odd: return .undecided
            case .found(let time): return .told(time)
            }
        }
        return .told(nil)
    }

    private static func time(
        in directory: TIFFDirectory?, _ date: UInt64, _ offsets: TIFFDirectory?, _ offset: UInt64?
    ) -> TIFFDirectory.Value<CaptureTime> {
        guard let directory else { return .missing }
        switch directory.text(date) {
        case .missing: return .missing
        case .odd: return .odd
        case .found(let date):
            var east: String?
            if let offset, let offsets {
                switch offsets.text(offset) {
                case .missing: break
                case .odd: return .odd
                case .found(let text): east = text
                }
            }
            return CaptureText.time(date, offset: east).map(TIFFDirectory.Value.found) ?? .missing
        }
    }

    private static let exifDirectory: UInt64 = 0x8769
    private static let dateTime: UInt64 = 0x0132
    private static let dateTimeOriginal: UInt64 = 0x9003
    private static let dateTimeDigitized: UInt64 = 0x9004
    private static let offsetTime: UInt64 = 0x9010
    private static let offsetTimeOriginal: UInt64 = 0x9011
    private static let offsetTimeDigitized: UInt64 = 0x9012
}
