/// Minolta's MRW: blocks, one of which is TIFF (http://www.dalibor.cz/software/minolta-raw-mrw-file-format).
enum MinoltaRawFile {
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        var rest = file.part(from: 8)
        for _ in 0..<16 {
            let head = rest.bytes(8)
            guard let size = head.span.number(at: 4, width: 4).map(Int64.init) else { break }
            if head.span.has(Array("\0TTW".utf8), at: 0) {
                return PhotoMetadata(exif: TIFFStructure(rest.part(from: 8, length: size)), xmp: nil)
            }
            rest = rest.part(from: 8 + size)
        }
        return PhotoMetadata()
    }
}
