internal import Submit
internal import SubmitPlatform

/// JPEG (ITU-T T.81, annex B): tables, frame and scans are copied, up to the first end of image.
struct CleanJPEG {
    private let source: any MediaBytes
    /// What is wanted of segments before the picture.
    private var density: [UInt8]?
    private var transform: UInt8?
    private var exif: [UInt8]?
    private var profile: [Int: [UInt8]] = [:]
    private var profileCount = 0
    private var profileIsSound = true
    private var tables: [Range<Int64>] = []
    private var hasFrame = false
    private var kept: Int64 = 0

    /// More tables than any picture needs.
    private static let mostBeforeScans: Int64 = 16 << 20

    static func pieces(_ source: any MediaBytes, _ kept: KeptMetadata) throws(ReadingProblem) -> CopiedPieces {
        var photo = CleanJPEG(source)
        let scans = try photo.readToScans()
        var pieces = photo.head(kept)
        try photo.addScans(from: scans, to: &pieces)
        return pieces
    }

    /// The TIFF structure of its EXIF.
    static func exif(of source: any MediaBytes) throws(ReadingProblem) -> [UInt8]? {
        var photo = CleanJPEG(source)
        _ = try photo.readToScans()
        return photo.exif
    }

    private init(_ source: any MediaBytes) { self.source = source }

    // MARK: Before the picture

    /// - Returns: where the first scan's header begins, with its marker.
    private mutating func readToScans() throws(ReadingProblem) -> Int64 {
        guard try source.whole(0..<min(2, source.size), of: "the file") == [0xff, 0xd8] else {
            throw .damaged("it does not begin as a JPEG")
        }
        var offset: Int64 = 2
        while true {
            let (marker, start) = try marker(at: try junkEnd(from: offset))
            if marker == 0xda {
                guard hasFrame else { throw .damaged("it has a scan and no frame") }
                return start
            }
            let segment = try segment(at: start)
            try take(marker, segment)
            offset = segment.upperBound
        }
    }

    /// Where the next marker begins: what stands before it is nobody's, and is left out. Every reader does the same.
    private func junkEnd(from start: Int64) throws(ReadingProblem) -> Int64 {
        var offset = start
        while try source.whole(offset..<offset + 1, of: "a marker") != [0xff] {
            offset += 1
            guard offset - start < 4096 else { throw .damaged("something stands between its segments") }
        }
        return offset
    }

    /// The marker at an offset, fill bytes before it passed, and where its own FF is.
    private func marker(at offset: Int64) throws(ReadingProblem) -> (UInt8, Int64) {
        var offset = offset
        // Most have none; of very many each byte is not read by itself.
        var count: Int64 = 2
        while true {
            let end = max(offset + 2, min(offset + count, source.size))
            let bytes = try source.whole(offset..<end, of: "a marker")
            guard bytes[0] == 0xff else { throw .damaged("something stands between its segments") }
            if let place = bytes.firstIndex(where: { $0 != 0xff }) {
                if bytes[place] == 0 { throw .damaged("something stands between its segments") }
                return (bytes[place], offset + Int64(place) - 1)
            }
            // The last of them may be the marker's own.
            offset = end - 1
            count = min(count * 4, 64 << 10)
        }
    }

    /// All of a segment that begins with a marker at an offset, the marker included.
    private func segment(at start: Int64) throws(ReadingProblem) -> Range<Int64> {
        let length = try source.whole(start + 2..<start + 4, of: "a segment").bigEndian(at: 0, width: 2)
        let end = start + 2 + Int64(length)
        guard length >= 2, end <= source.size else { throw .damaged("a segment goes beyond its end") }
        return start..<end
    }

    private mutating func take(_ marker: UInt8, _ segment: Range<Int64>) throws(ReadingProblem) {
        switch marker {
        case 0xc4, 0xcc, 0xdb, 0xdd:
            // Tables of both codings, quantization, and how often there is a restart.
            try keep(segment)
        case 0xc0...0xc3, 0xc9...0xcb:
            let frame = try source.whole(segment.lowerBound + 4..<segment.upperBound, of: "the frame")
            guard !hasFrame, frame.count >= 6, frame.bigEndian(at: 3, width: 2) > 0,
                frame.count == 6 + 3 * Int(frame[5])
            else { throw .damaged("its frame is none") }
            hasFrame = true
            try keep(segment)
        case 0xe0...0xef, 0xfe:
            try note(marker, try source.whole(segment.lowerBound + 4..<segment.upperBound, of: "a segment"))
        default: throw .damaged("it has the marker \(Hexadecimal.text(of: [0xff, marker]))")
        }
    }

    private mutating func keep(_ segment: Range<Int64>) throws(ReadingProblem) {
        kept += segment.upperBound - segment.lowerBound
        guard kept <= Self.mostBeforeScans else { throw .damaged("it has too many tables") }
        tables.append(segment)
    }

    /// What is written anew of a segment of an application: JFIF (ITU-T T.871, 10.1), Exif 2.32 (4.7.2), ICC.1:2022 (B.4) and
    /// Adobe's (T.872, 6.5.3).
    private mutating func note(_ marker: UInt8, _ content: [UInt8]) throws(ReadingProblem) {
        func begins(_ text: String) -> Bool { content.starts(with: Array(text.utf8)) }
        switch marker {
        case 0xe0 where begins("JFIF\0") && content.count >= 14 && density == nil && content[7] <= 2:
            density = Array(content[7..<12])
        case 0xe1 where begins("Exif\0") && content.count > 6 && exif == nil: exif = Array(content[6...])
        case 0xe2 where begins("ICC_PROFILE\0") && content.count > 14:
            kept += Int64(content.count)
            guard kept <= Self.mostBeforeScans else { throw .damaged("its colour profile is too large") }
            let (number, count) = (Int(content[12]), Int(content[13]))
            profileIsSound = profileIsSound && profile[number] == nil && [0, count].contains(profileCount)
            profile[number] = Array(content[14...])
            profileCount = count
        case 0xee where begins("Adobe") && content.count >= 12 && transform == nil: transform = content[11]
        default: break
        }
    }

    private func head(_ kept: KeptMetadata) -> CopiedPieces {
        var pieces = CopiedPieces()
        func add(_ marker: UInt8, _ content: [UInt8]) {
            var segment: [UInt8] = [0xff, marker]
            segment.append(bigEndian: content.count + 2, width: 2)
            pieces.add(segment + content)
        }
        pieces.add([0xff, 0xd8])
        if let density { add(0xe0, Array("JFIF\0".utf8) + [1, 2] + density + [0, 0]) }
        if let exif = kept.exif(besides: exif) { add(0xe1, Array("Exif\0\0".utf8) + exif) }
        if let xmp = kept.xmp { add(0xe1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp) }
        if let transform { add(0xee, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform]) }
        let numbers = profile.keys.sorted()
        if profileIsSound, numbers == Array(1...max(1, profileCount)),
            let clean = CleanColorProfile.bytes(numbers.flatMap { profile[$0] ?? [] })
        {
            let size = 65_519
            let count = (clean.count + size - 1) / size
            for number in 0..<count {
                add(
                    0xe2,
                    Array("ICC_PROFILE\0".utf8) + [UInt8(number + 1), UInt8(count)]
                        + clean[(number * size)..<min(clean.count, (number + 1) * size)])
            }
        }
        for table in tables { pieces.add(table) }
        return pieces
    }

    // MARK: The picture

    private func addScans(from start: Int64, to pieces: inout CopiedPieces) throws(ReadingProblem) {
        var offset = start
        var marker: UInt8 = 0xda
        while true {
            switch marker {
            case 0xd9:
                pieces.add(offset..<offset + 2)
                return
            case 0xda, 0xc4, 0xcc, 0xdb, 0xdd, 0xdc:
                let segment = try segment(at: offset)
                pieces.add(segment)
                if marker == 0xda {
                    let end = try endOfScan(from: segment.upperBound)
                    pieces.add(segment.upperBound..<end)
                    offset = end
                } else {
                    offset = segment.upperBound
                }
            case 0xe0...0xef, 0xfe: offset = try segment(at: offset).upperBound
            default: throw .damaged("it has the marker \(Hexadecimal.text(of: [0xff, marker])) in its picture")
            }
            (marker, offset) = try self.marker(at: offset)
        }
    }

    /// Where the next marker is that is no restart: within the coded bytes each FF is followed by 00.
    private func endOfScan(from start: Int64) throws(ReadingProblem) -> Int64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var offset = start
        while true {
            let count: Int
            do throws(SubmitFailure) {
                count = try source.read(into: buffer, at: offset)
            } catch {
                throw .failed(error)
            }
            guard count >= 2, let base = buffer.baseAddress else {
                throw .damaged("it ends in the midst of its picture")
            }
            var place = 0
            while place + 1 < count, let hit = memchr(base + place, 0xff, count - 1 - place) {
                place = base.distance(to: UnsafeMutableRawPointer(hit))
                switch buffer[place + 1] {
                case 0x00, 0xd0...0xd7: place += 2
                // A fill byte, or the marker after it.
                case 0xff: place += 1
                default: return try unfilled(offset + Int64(place), notBefore: start)
                }
            }
            // The last byte may be the FF of a pair.
            offset += Int64(place >= count ? count : count - 1)
        }
    }

    /// Fill bytes before a marker are not of the scan.
    private func unfilled(_ marker: Int64, notBefore start: Int64) throws(ReadingProblem) -> Int64 {
        var (offset, count) = (marker, Int64(1))
        while offset > start {
            let bytes = try source.whole(max(start, offset - count)..<offset, of: "the picture")
            if let place = bytes.lastIndex(where: { $0 != 0xff }) { return offset - Int64(bytes.count - 1 - place) }
            offset -= Int64(bytes.count)
            count = min(count * 4, 64 << 10)
        }
        return offset
    }
}
