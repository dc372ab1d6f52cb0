/// JPEG XL in its container (ISO/IEC 18181-2, section 9). Metadata that is packed with Brotli (`brob`) is not read.
enum JPEGXLFile {
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        PhotoMetadata(
            exif: ISOMediaFile.box("Exif", in: file).flatMap { TIFFStructure(exif: $0) },
            xmp: ISOMediaFile.box("xml ", in: file))
    }
}
