/// Minolta's MRW: blocks, one of which is TIFF (http://www.dalibor.cz/software/minolta-raw-mrw-file-format).
enum MinoltaRawFile {
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        block("\0TTW", file).map { PhotoMetadata(exif: TIFFStructure($0), xmp: nil) } ?? PhotoMetadata()
    }

    static func pictures(_ file: FileRegion, _ metadata: PhotoMetadata) -> ([FileRegion], PixelSize?) {
        var jpegs = metadata.photo.map { RAWMakerNote.jpegs($0, bare: true) } ?? []
        if let image = metadata.image { jpegs += TIFFFile.jpegs(image) }
        // Behind the camera's version and the size of its sensor.
        return (jpegs, PixelSize(block("\0PRD", file), at: 12, width: 2, heightFirst: true))
    }

    private static func block(_ name: String, _ file: FileRegion) -> FileRegion? {
        var rest = file.part(from: 8)
        for _ in 0..<16 {
            let head = rest.bytes(8)
            guard let size = head.span.number(at: 4, width: 4).map(Int64.init) else { break }
            if head.span.has(Array(name.utf8), at: 0) { return rest.part(from: 8, length: size) }
            rest = rest.part(from: 8 + size)
        }
        return nil
    }
}
