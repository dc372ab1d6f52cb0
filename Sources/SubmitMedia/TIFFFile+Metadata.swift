extension TIFFFile {
    /// Of raw formats that are built on TIFF, too.
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        guard let structure = TIFFStructure(file) else { return PhotoMetadata() }
        let image = structure.first
        let found = PhotoMetadata(
            exif: structure, xmp: image?.value(EXIFTag.xmp)?.region,
            iptc: image?.value(EXIFTag.iptc)?.region
                ?? image?.value(EXIFTag.photoshop).flatMap { PhotoshopFile.resource(PhotoshopFile.iptc, in: $0.region) }
        )
        // Cameras of Panasonic and Leica write EXIF into the picture that is for looking at, at first there only.
        guard found.photo == nil, let preview = image?.value(jpgFromRaw)?.region else { return found }
        let shown = JPEGFile.metadata(preview)
        return PhotoMetadata(
            image: image ?? shown.image, photo: shown.photo, xmp: found.xmp() ?? shown.xmp(),
            iptc: found.iptc() ?? shown.iptc())
    }

    private static let jpgFromRaw: UInt64 = 0x002e
}
