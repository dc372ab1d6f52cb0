public import Submit
internal import SubmitPlatform

/// The end that a photo or film lacks: it was cut off, by a copy that broke or by a camera that lost power.
public enum MissingEnd: String, Sendable, Hashable, CaseIterable, Codable {
    /// A JPEG without its end marker.
    case jpeg
    /// A PNG without its last chunk.
    case png
    /// A HEIC, AVIF, MP4, MOV or CR3 with a box that ends beyond the file.
    case isoMedia = "iso-media"
    /// A WebP or AVI that says it is longer than it is.
    case riff
    /// A TIFF or raw photo whose picture begins beyond the file's end.
    case tiff

    /// What a look at a file's structure finds.
    public enum Finding: Sendable, Hashable {
        /// Nothing shows that anything is missing.
        case whole
        /// The end is missing.
        case missing(MissingEnd)
        /// It is missing unless a JPEG's end marker, `ff d9`, stands somewhere from an offset on.
        case markerSought(from: Int64)
    }

    /// Looks whether a file ends before its format says so. Reads a few bytes of it, and never all.
    ///
    /// Bytes behind a picture's end are usual: cameras store films, previews and facts there.
    ///
    /// - Parameters:
    ///   - descriptor: the file, open for reading. Its position does not matter.
    ///   - head: the file's first bytes, as many as were read already.
    public static func look(at descriptor: CInt, type: MediaType, head: UnsafeRawBufferPointer) -> Finding {
        guard let file = FileRegion(descriptor, head: head) else { return .whole }
        return look(at: file, type)
    }

    static func look(at file: FileRegion, _ type: MediaType) -> Finding {
        switch type.mime {
        case "image/jpeg": return jpeg(file)
        case "image/png": return png(file) ? .whole : .missing(.png)
        case "image/webp", "video/x-msvideo", "audio/wav": return riff(file) ? .whole : .missing(.riff)
        case _ where TIFFStructure(file) != nil: return tiff(file) ? .whole : .missing(.tiff)
        default: return isoMedia(file) ? .whole : .missing(.isoMedia)
        }
    }

    /// So much of a file's end is searched at once for what ends it.
    private static let tailLength: Int64 = 64 << 10

    // MARK: JPEG (ITU-T T.81, annex B.1.1)

    private static func jpeg(_ file: FileRegion) -> Finding {
        if file.bytes(at: file.length - 2, 2) == [0xff, 0xd9] { return .whole }
        guard let scan = scan(of: file) else { return .whole }
        if scan >= file.length { return .missing(.jpeg) }
        // An end marker before the picture's data is that of the thumbnail.
        let start = max(scan, file.length - tailLength)
        let tail = file.part(from: start).bytes(Int(tailLength))
        if tail.withUnsafeBytes({ holds($0, isNoneOfPictures) }) { return .whole }
        return start == scan ? .missing(.jpeg) : .markerSought(from: scan)
    }

    /// Where the picture's data begin, behind all segments before them: the file's length or more if it ends before.
    ///
    /// - Returns: `nil` where its segments are not as they should be.
    private static func scan(of file: FileRegion) -> Int64? {
        var offset: Int64 = 2
        for _ in 0..<4096 {
            guard let head = file.bytes(at: offset, 4) else { return file.length }
            guard head[0] == 0xff else { return nil }
            switch head[1] {
            case 0xff: offset += 1
            case 0x01, 0xd0...0xd8: offset += 2
            case 0xda: return offset
            case 0x00, 0xd9: return nil
            default:
                let length = Int64(head[2]) << 8 | Int64(head[3])
                guard length >= 2 else { return nil }
                offset += 2 + length
            }
        }
        return nil
    }

    /// Whether a JPEG's end marker stands in some bytes.
    public static func holdsMarker(_ bytes: UnsafeRawBufferPointer) -> Bool { holds(bytes) { $0 == 0xd9 } }

    /// Whether no picture's data has a marker: the data of a JPEG that was cut off end with codes, restarts, and the tables and scans
    /// of a progressive one (ITU-T T.81, table B.1).
    ///
    /// A film or preview that a camera appended shows its first such bytes early. Nothing more has to be searched then.
    private static func isNoneOfPictures(_ marker: UInt8) -> Bool {
        switch marker {
        case 0x00, 0xc4, 0xcc, 0xd0...0xd7, 0xda...0xdd, 0xe0...0xef, 0xfe, 0xff: false
        default: true
        }
    }

    private static func holds(_ bytes: UnsafeRawBufferPointer, _ isWanted: (UInt8) -> Bool) -> Bool {
        guard let start = bytes.baseAddress else { return false }
        var offset = 0
        while offset < bytes.count - 1, let place = memchr(start + offset, 0xff, bytes.count - 1 - offset) {
            offset = UnsafeRawPointer(place) - start + 1
            if isWanted(bytes[offset]) { return true }
        }
        return false
    }

    // MARK: PNG (ISO/IEC 15948, section 5.3)

    private static func png(_ file: FileRegion) -> Bool {
        if file.bytes(at: file.length - 8, 4) == Array("IEND".utf8) { return true }
        var offset: Int64 = 8
        for _ in 0..<65536 {
            guard let head = file.bytes(at: offset, 8), let size = head.span.number(at: 0, width: 4) else {
                return false
            }
            let end = offset + 12 + Int64(size)
            if end > file.length { return false }
            if head.span.has(Array("IEND".utf8), at: 4) { return true }
            offset = end
        }
        return true
    }

    // MARK: ISO base media (ISO/IEC 14496-12, section 4.2)

    /// Other bytes than these are none of a box that anybody has to have: programs append what they like.
    private static let boxes: Set<UInt64> = Set(
        [
            "ftyp", "styp", "moov", "moof", "mdat", "mfra", "sidx", "meta", "free", "skip", "wide", "uuid", "udta",
            "pnot", "PICT", "jp2h", "jp2c", "jxlc", "jxlp", "Exif", "xml ", "jumb", "mpvd",
        ].map { ISOMediaFile.code($0) })

    private static func isoMedia(_ file: FileRegion) -> Bool {
        var offset: Int64 = 0
        for _ in 0..<Int(ISOBoxes.most) {
            guard let head = file.bytes(at: offset, 8), let type = head.span.number(at: 4, width: 4),
                boxes.contains(type), var size = head.span.number(at: 0, width: 4)
            else { return true }
            // Up to the end of the file, wherever that is.
            if size == 0 { return true }
            if size == 1 {
                guard let long = file.number(at: offset + 8, width: 8) else { return false }
                size = long
            }
            guard size >= 8 else { return true }
            if size > UInt64(file.length - offset) { return false }
            offset += Int64(size)
        }
        return true
    }

    // MARK: RIFF

    private static func riff(_ file: FileRegion) -> Bool {
        var offset: Int64 = 0
        // An AVI of more than 1 GB has several (OpenDML).
        for _ in 0..<1024 {
            guard let head = file.bytes(at: offset, 8), head.span.has(Array("RIFF".utf8), at: 0),
                let size = head.span.number(at: 4, width: 4, bigEndian: false),
                // Whoever writes into a pipe does not know it.
                size != 0, size < 0x7fff_ffff
            else { return true }
            let end = offset + 8 + Int64(size)
            // Some leave out the byte that makes the last chunk's length even.
            if end > file.length + 1 { return false }
            offset = end + Int64(size % 2)
        }
        return true
    }

    // MARK: TIFF 6.0

    /// Whether each picture begins within the file. Its length is often written wrong, and says nothing.
    private static func tiff(_ file: FileRegion) -> Bool {
        guard let structure = TIFFStructure(file) else { return true }
        if structure.firstDirectory >= file.length { return false }
        for directory in TIFFDirectories(structure) {
            // StripOffsets and TileOffsets of many strips: the last one is the farthest.
            for tag: UInt64 in [0x0111, 0x0144] {
                guard let value = directory.value(tag) else { continue }
                let offsets = directory.numbers(tag, most: min(value.count, 1 << 16))
                if let last = offsets.max(), last >= file.length, last < UInt32.max { return false }
            }
        }
        return true
    }
}
