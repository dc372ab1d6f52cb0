/// Tags that are read (Exif 2.32, sections 4.6.3 to 4.6.5; TIFF 6.0, section 8; XMP part 3, section 3.2.3).
enum EXIFTag {
    static let make: UInt64 = 0x010f
    static let model: UInt64 = 0x0110
    static let dateTime: UInt64 = 0x0132
    static let orientation: UInt64 = 0x0112
    static let xmp: UInt64 = 0x02bc
    /// IPTC's records, and Photoshop's resources, of which one is IPTC's (XMP part 3, section 3.2.3).
    static let iptc: UInt64 = 0x83bb
    static let photoshop: UInt64 = 0x8649
    static let exifDirectory: UInt64 = 0x8769
    static let placeDirectory: UInt64 = 0x8825
    static let dateTimeOriginal: UInt64 = 0x9003
    static let dateTimeDigitized: UInt64 = 0x9004
    static let offsetTime: UInt64 = 0x9010
    static let offsetTimeOriginal: UInt64 = 0x9011
    static let offsetTimeDigitized: UInt64 = 0x9012
}
