public import Submit

/// The largest JPEG that a camera put into a file of sensor data (“RAW”), beside them.
///
/// It is found by the file's headers, and by its own: it begins as a JPEG, lies in the file from end to end, and its
/// pixels are coded as anything decodes them (baseline, extended or progressive DCT of 8 bits, of one or three
/// components; ITU-T T.81, table B.1). Sensor data that are lossless JPEG are none, and neither are masks and depths. What
/// stands behind its headers is not looked at.
///
/// Read are at most 64 directories of TIFF, and 64 KiB of headers of each of at most 64 pictures, wherever offsets lead.
///
/// The formats: TIFF 6.0 and what is built on it (DNG 1.7.1; https://exiftool.org/TagNames), Olympus, Panasonic, CR3
/// (https://github.com/lclevy/canon_cr3), CRW (https://exiftool.org/canon_raw.html), RAF
/// (https://libopenraw.freedesktop.org/formats/raf), MRW and X3F.
public struct RAWPreview: Sendable, Hashable {
    /// Which bytes of the file it is.
    public let place: Range<Int64>
    /// Pixels of a row, as they are stored.
    public let width: Int
    public let height: Int
    /// How whoever shows it turns and mirrors it, 1 to 8 (Exif 2.32, section 4.6.4), as the RAW file says: the JPEG may say
    /// nothing, or anything.
    public let orientation: Int
    /// How large the picture is that the sensor data are of; `nil` where nothing tells.
    public let whole: Size?

    public struct Size: Sendable, Hashable {
        /// Pixels of a row, before any turning.
        public let width: Int
        public let height: Int
    }

    /// Whether it is as large as the picture that the sensor data are of; false where nothing tells.
    ///
    /// By the longer side, and to a tenth: cameras cut off borders of the sensor, and sides for a format such as 16:9.
    public var isFullSize: Bool {
        guard let whole else { return false }
        return max(width, height) * 10 >= max(whole.width, whole.height) * 9
    }

    /// `nil` where there is none, and for other types than `isPossible(of:)` says.
    ///
    /// Blocks its thread. Never fails: what a broken file does not tell is not there.
    ///
    /// - Parameter descriptor: the file, open for reading. Its position does not matter.
    public init?(of descriptor: CInt, type: MediaType) {
        guard let file = FileRegion(descriptor) else { return nil }
        self.init(file, type)
    }

    init?(_ file: FileRegion, _ type: MediaType) {
        guard let family = RAWFamily(type) else { return nil }
        let pictures = family.pictures(file, type)
        let found = pictures.jpegs.prefix(Self.most).compactMap(EmbeddedJPEG.init)
        guard let largest = found.max(by: { ($0.pixels, $0.region.length) < ($1.pixels, $1.region.length) }) else {
            return nil
        }
        place = largest.region.start..<largest.region.end
        (width, height) = (largest.size.width, largest.size.height)
        orientation = pictures.orientation
        whole = pictures.whole.map { Size(width: $0.width, height: $0.height) }
    }

    /// Pictures that a broken file can make it look at; cameras write three or four.
    private static let most = 64

    /// Whether a type is one of RAW files in which a JPEG is looked for.
    public static func isPossible(of type: MediaType) -> Bool { RAWFamily(type) != nil }

    /// What a RAW file tells about its picture, as a TIFF structure (Exif 2.32, section 4.5.2): description, maker, camera,
    /// dates, exposure, lens, orientation, place. `nil` where it tells nothing, and for other types than `isPossible(of:)`
    /// says.
    ///
    /// The structure is a new one, big-endian, with EXIF's own directory and that of the place where they are there, and
    /// without pictures, maker's notes and values of more than 1 KiB. Values are as they are in the file: nobody has looked
    /// at them.
    ///
    /// Blocks its thread. Never fails.
    ///
    /// - Parameter descriptor: the file, open for reading. Its position does not matter.
    public static func exif(of descriptor: CInt, type: MediaType) -> [UInt8]? {
        FileRegion(descriptor).flatMap { exif($0, type) }
    }

    static func exif(_ file: FileRegion, _ type: MediaType) -> [UInt8]? {
        RAWFamily(type)?.exif(file, type).bytes
    }
}
