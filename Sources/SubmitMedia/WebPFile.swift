/// WebP (RFC 9649, section 2.7.1.5).
enum WebPFile {
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        let (exif, xmp) = RIFFChunks(file.part(from: 12)).reduce(into: (FileRegion?.none, FileRegion?.none)) {
            if $0.0 == nil, $1.isCalled("EXIF") { $0.0 = $1.content }
            if $0.1 == nil, $1.isCalled("XMP ") { $0.1 = $1.content }
        }
        return PhotoMetadata(exif: exif.flatMap { TIFFStructure(exif: $0) }, xmp: xmp)
    }
}
