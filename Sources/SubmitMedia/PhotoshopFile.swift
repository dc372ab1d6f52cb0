/// Photoshop's own format (“Adobe Photoshop File Formats Specification”, “Image Resources Section”).
enum PhotoshopFile {
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        PhotoMetadata(exif: resource(1058, file).flatMap { TIFFStructure(exif: $0) }, xmp: resource(1060, file))
    }

    private static func resource(_ wanted: UInt64, _ file: FileRegion) -> FileRegion? {
        guard let colors = file.number(at: 26, width: 4).map(Int64.init),
            let size = file.number(at: 30 + colors, width: 4).map(Int64.init)
        else { return nil }
        var rest = file.part(from: 34 + colors, length: size)
        for _ in 0..<1024 {
            // A name of 255 bytes may stand before its size.
            let head = rest.bytes(268)
            guard head.count > 7, let id = head.span.number(at: 4, width: 2) else { return nil }
            let place = 6 + (Int(head[6]) + 2) / 2 * 2
            guard let size = head.span.number(at: place, width: 4).map(Int64.init) else { return nil }
            if id == wanted { return rest.part(from: Int64(place) + 4, length: size) }
            rest = rest.part(from: Int64(place) + 4 + size + size % 2)
        }
        return nil
    }
}
