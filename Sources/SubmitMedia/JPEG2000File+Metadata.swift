extension JPEG2000File {
    /// In boxes whose types others than the standard made up: Adobe that of XMP, and two that of EXIF.
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        let exif = exifTypes.lazy.compactMap { ISOMediaFile.box(uuid: $0, in: file) }.first { _ in true }
        return PhotoMetadata(exif: exif.flatMap { TIFFStructure(exif: $0) }, xmp: ISOMediaFile.xmp(in: file))
    }

    private static let exifTypes = [
        Array("JpgTiffExif->JP2".utf8),
        [0x05, 0x37, 0xcd, 0xab, 0x9d, 0x0c, 0x44, 0x31, 0xa7, 0x2a, 0xfa, 0x56, 0x1f, 0x2a, 0x11, 0x3e],
    ]
}
