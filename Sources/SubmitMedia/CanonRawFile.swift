/// Canon's CR3, an ISO media file, whose directories of EXIF are structures of their own
/// (https://github.com/lclevy/canon_cr3).
enum CanonRawFile {
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        PhotoMetadata(
            image: directory("CMT1", file), photo: directory("CMT2", file), xmp: ISOMediaFile.xmp(in: file))
    }

    /// Where the photo was taken.
    static func place(_ file: FileRegion) -> TIFFDirectory? { directory("CMT4", file) }

    private static func directory(_ name: String, _ file: FileRegion) -> TIFFDirectory? {
        box(name, file).flatMap { TIFFStructure($0) }?.first
    }

    private static func box(_ name: String, _ file: FileRegion) -> FileRegion? {
        let boxes = ISOMediaFile.box("moov", in: file).flatMap { ISOMediaFile.box(uuid: canon, in: $0) }
        return boxes.flatMap { ISOMediaFile.box(name, in: $0) }
    }

    /// Each track's first sample, of which one is a JPEG, and the smaller ones.
    static func pictures(_ file: FileRegion, _ metadata: PhotoMetadata) -> ([FileRegion], PixelSize?) {
        var jpegs: [FileRegion] = []
        if let movie = ISOMediaFile.box("moov", in: file) {
            let tracks = ISOBoxes(movie).lazy.filter { $0.type == ISOMediaFile.code("trak") }.prefix(16)
            jpegs += tracks.compactMap { sample($0.content, file) }
        }
        let preview = ISOMediaFile.box(uuid: preview, in: file)
            // Behind eight bytes of a version and a count.
            .flatMap { ISOMediaFile.box("PRVW", in: $0.part(from: 8)) }
        for (box, length) in [(preview, 12 as Int64), (box("THMB", file), 8)] {
            guard let box, let size = box.number(at: length, width: 4).map(Int64.init) else { continue }
            jpegs += [box.piece(at: 16, length: size)].compactMap { $0 }
        }
        return (jpegs, PixelSize(metadata.image, 0x0100, 0x0101) ?? PixelSize(metadata.photo, 0xa002, 0xa003))
    }

    /// ISO/IEC 14496-12, sections 8.7.3 and 8.7.5.
    private static func sample(_ track: FileRegion, _ file: FileRegion) -> FileRegion? {
        let table = ["mdia", "minf", "stbl"].reduce(Optional(track)) { region, name in
            region.flatMap { ISOMediaFile.box(name, in: $0) }
        }
        guard let table, let sizes = ISOMediaFile.box("stsz", in: table), let same = sizes.number(at: 4, width: 4),
            let length = same > 0 ? same : sizes.number(at: 12, width: 4)
        else { return nil }
        let offset =
            ISOMediaFile.box("co64", in: table)?.number(at: 8, width: 8)
            ?? ISOMediaFile.box("stco", in: table)?.number(at: 8, width: 4)
        return file.piece(at: offset.flatMap(Int64.init(exactly:)), length: Int64(length))
    }

    private static let canon: [UInt8] = [
        0x85, 0xc0, 0xb6, 0x87, 0x82, 0x0f, 0x11, 0xe0, 0x81, 0x11, 0xf4, 0xce, 0x46, 0x2b, 0x6a, 0x48,
    ]
    private static let preview: [UInt8] = [
        0xea, 0xf4, 0x2b, 0x5e, 0x1c, 0x98, 0x4b, 0x88, 0xb9, 0xfb, 0xb7, 0xdc, 0x40, 0x6e, 0x4d, 0x16,
    ]
}
