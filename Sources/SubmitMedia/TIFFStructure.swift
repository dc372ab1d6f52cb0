/// A region in which offsets are counted from its own beginning: what TIFF 6.0 calls the file. BigTIFF's numbers are
/// wider.
struct TIFFStructure {
    let region: FileRegion
    let isBigEndian: Bool
    let isBigTIFF: Bool
    let firstDirectory: Int64

    /// Classic TIFF's, and what Olympus (`RO`, `RS`), Panasonic (`U`) and JPEG XR write instead.
    private static let versions: Set<UInt64> = [42, 0x4f52, 0x5352, 0x55, 0x01bc]

    /// `nil` where no header stands at its beginning (TIFF 6.0, section 2).
    init?(_ region: FileRegion) {
        let header = region.bytes(16)
        switch header.span.number(at: 0, width: 2) {
        case 0x4949: isBigEndian = false
        case 0x4d4d: isBigEndian = true
        default: return nil
        }
        guard let version = header.span.number(at: 2, width: 2, bigEndian: isBigEndian) else { return nil }
        isBigTIFF = version == 43
        guard isBigTIFF || Self.versions.contains(version),
            let first = header.span.number(
                at: isBigTIFF ? 8 : 4, width: isBigTIFF ? 8 : 4, bigEndian: isBigEndian
            ).flatMap(Int64.init(exactly:))
        else { return nil }
        self.region = region
        firstDirectory = first
    }

    /// One that has no header of its own, or a maker's.
    init(_ region: FileRegion, isBigEndian: Bool, firstDirectory: Int64) {
        self.region = region
        self.isBigEndian = isBigEndian
        isBigTIFF = false
        self.firstDirectory = firstDirectory
    }

    /// The first directory; `nil` where it is not whole.
    var first: TIFFDirectory? { directory(at: firstDirectory) }

    /// No program writes more tags into a directory.
    private static let mostEntries: UInt64 = 1024

    func directory(at offset: Int64) -> TIFFDirectory? {
        let width = isBigTIFF ? 8 : 2
        guard let start = region.bytes(at: offset, width),
            let count = start.span.number(at: 0, width: width, bigEndian: isBigEndian), count <= Self.mostEntries,
            let entries = region.bytes(at: offset + Int64(width), Int(count) * TIFFDirectory.entrySize(in: self))
        else { return nil }
        return TIFFDirectory(
            structure: self, entries: entries, end: offset + Int64(width) + Int64(entries.count))
    }
}

extension TIFFStructure {
    /// What other formats keep as EXIF: the structure itself, or behind JPEG's signature (Exif 2.32, section 4.7.2), or
    /// behind a number that says how far away it is (ISO/IEC 23008-12, annex A.2.1). Programs mistake one for another.
    init?(exif region: FileRegion) {
        let head = region.bytes(10)
        if let structure = TIFFStructure(region) {
            self = structure
        } else if head.span.has(Self.signature, at: 0) {
            self.init(region.part(from: 6))
        } else if head.span.has(Self.signature, at: 4) {
            self.init(region.part(from: 10))
        } else if let skipped = head.span.number(at: 0, width: 4) {
            self.init(region.part(from: 4 + Int64(skipped)))
        } else {
            return nil
        }
    }

    private static let signature = Array("Exif\0".utf8)
}
