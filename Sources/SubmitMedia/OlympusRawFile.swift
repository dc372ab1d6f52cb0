/// Olympus's ORF.
enum OlympusRawFile {
    static func pictures(_ file: FileRegion, _ metadata: PhotoMetadata) -> ([FileRegion], PixelSize?) {
        let (jpegs, whole) = TIFFFile.rawPictures(file, metadata)
        return (jpegs, whole ?? PixelSize(metadata.image, 0x0100, 0x0101))
    }
}
