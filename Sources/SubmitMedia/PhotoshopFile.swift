/// Photoshop's own format (“Adobe Photoshop File Formats Specification”, “Image Resources Section”).
enum PhotoshopFile {
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        guard let colors = file.number(at: 26, width: 4).map(Int64.init),
            let size = file.number(at: 30 + colors, width: 4).map(Int64.init)
        else { return PhotoMetadata() }
        let resources = file.part(from: 34 + colors, length: size)
        return PhotoMetadata(
            exif: resource(1058, in: resources).flatMap { TIFFStructure(exif: $0) },
            xmp: resource(1060, in: resources), iptc: resource(iptc, in: resources))
    }

    /// The number of the resource that holds IPTC's records.
    static let iptc: UInt64 = 1028

    /// The content of the first resource with this number.
    static func resource(_ wanted: UInt64, in resources: FileRegion) -> FileRegion? {
        var rest = resources
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
