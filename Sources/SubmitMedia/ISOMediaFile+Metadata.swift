extension ISOMediaFile {
    /// Of pictures whose metadata are items (ISO/IEC 23008-12, annex A).
    static func pictureMetadata(_ file: FileRegion) -> PhotoMetadata {
        let items = box("meta", in: file).map { ISOItems(file, meta: $0) }
        return PhotoMetadata(
            exif: items?.content { $0 == .exif }.flatMap { TIFFStructure(exif: $0) },
            xmp: items?.content { $0 == .xmp } ?? xmp(in: file),
            // A sequence of pictures has a movie's header.
            created: box("moov", in: file).flatMap(movieCreationTime))
    }
}
