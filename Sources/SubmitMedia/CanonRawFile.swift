/// Canon's CR3, an ISO media file, whose directories of EXIF are structures of their own
/// (https://github.com/lclevy/canon_cr3).
enum CanonRawFile {
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        let boxes = ISOMediaFile.box("moov", in: file).flatMap { ISOMediaFile.box(uuid: canon, in: $0) }
        func first(_ name: String) -> TIFFDirectory? {
            boxes.flatMap { ISOMediaFile.box(name, in: $0) }.flatMap { TIFFStructure($0) }?.first
        }
        return PhotoMetadata(image: first("CMT1"), photo: first("CMT2"), xmp: ISOMediaFile.xmp(in: file))
    }

    private static let canon: [UInt8] = [
        0x85, 0xc0, 0xb6, 0x87, 0x82, 0x0f, 0x11, 0xe0, 0x81, 0x11, 0xf4, 0xce, 0x46, 0x2b, 0x6a, 0x48,
    ]
}
