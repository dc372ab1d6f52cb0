/// Where makers' notes point at a picture (https://exiftool.org/TagNames/Olympus.html, …/Minolta.html, …/Pentax.html,
/// …/Nikon.html).
enum RAWMakerNote {
    /// - Parameter bare: whether a note without a name counts, as Minolta's have none.
    static func jpegs(_ photo: TIFFDirectory, bare: Bool) -> [FileRegion] {
        guard let note = photo.value(0x927c)?.region, note.length > 16 else { return [] }
        let (file, start) = (photo.structure.region, note.start - photo.structure.region.start)
        // Nikon's is a structure of its own.
        if note.bytes(6) == Array("Nikon\0".utf8) {
            let preview = TIFFStructure(file.part(from: start + 10))?.first?.directory(0x0011)
            return preview.map(TIFFFile.jpegs) ?? []
        }
        let kind = kinds.first { note.bytes(16).starts(with: $0.name.utf8) }
        guard kind != nil || bare,
            let directory = directory(kind, at: start, in: photo.structure)
        else { return [] }
        func piece(_ directory: TIFFDirectory?, _ offset: UInt64, _ length: UInt64) -> FileRegion? {
            directory?.structure.region.piece(at: directory?.number(offset), length: directory?.number(length))
        }
        if kind?.isPentax == true { return [piece(directory, 0x0004, 0x0003)].compactMap { $0 } }
        return [
            piece(settings(directory), 0x0101, 0x0102), piece(directory, 0x0088, 0x0089),
            piece(directory, 0x1036, 0x1037), directory.value(0x0081)?.region,
        ].compactMap { $0 }
    }

    private struct Kind {
        let name: String
        /// Bytes before its directory.
        let head: Int64
        /// Where it says which byte order is its own; offsets in it count from its beginning then, else as the file's do.
        let order: Int64?
        var isPentax = false
    }

    private static let kinds = [
        Kind(name: "OLYMPUS\0", head: 12, order: 8), Kind(name: "OM SYSTEM\0", head: 16, order: 12),
        Kind(name: "OLYMP\0", head: 8, order: nil), Kind(name: "EPSON\0", head: 8, order: nil),
        Kind(name: "PENTAX \0", head: 10, order: 8, isPentax: true),
        Kind(name: "AOC\0", head: 6, order: nil, isPentax: true),
    ]

    private static func directory(_ kind: Kind?, at start: Int64, in structure: TIFFStructure) -> TIFFDirectory? {
        guard let kind, let order = kind.order else { return structure.directory(at: start + (kind?.head ?? 0)) }
        let note = structure.region.part(from: start)
        let isBigEndian = note.number(at: order, width: 2) == 0x4d4d
        return TIFFStructure(note, isBigEndian: isBigEndian, firstDirectory: kind.head).first
    }

    /// The directory of the camera's settings stands where the tag leads, or is its value.
    private static func settings(_ directory: TIFFDirectory) -> TIFFDirectory? {
        guard let value = directory.value(0x2020) else { return nil }
        guard value.type == 7, value.region.length > 4 else { return directory.directory(0x2020) }
        return directory.structure.directory(at: value.region.start - directory.structure.region.start)
    }
}
