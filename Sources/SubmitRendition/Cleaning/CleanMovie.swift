internal import Submit

/// QuickTime and MP4 (QuickTime File Format; ISO/IEC 14496-12 and 14496-14): nothing moves. What is not known to be picture or
/// sound becomes zeros, in boxes that say so (`free`, 14496-12, 8.1.2) or in between the samples.
enum CleanMovie {
    /// More than the tables of any film have.
    private static let most: Int64 = 64 << 20
    /// Likewise of what the copy is made of.
    private static let mostPieces = 8_000_000

    /// Bytes of a list of brands that no file has reason to be longer than.
    private static let mostBrands = 256

    /// Of what a file is, without who made the camera.
    static let brands: Set<String> = [
        "qt  ", "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42", "mp71", "avc1",
        "hvc1", "hev1", "av01", "dby1", "M4V ", "M4VH", "M4VP", "3gp4", "3gp5", "3gp6", "3gp7", "3gp8", "3gp9", "3ge6",
        "3ge7", "3ge9", "3gg6", "3gg9", "3gs6", "3gs7", "3gs9", "3gr6", "3g2a", "3g2b", "3g2c",
    ]

    static func pieces(_ source: any MediaBytes, _ kept: KeptMetadata) throws(ReadingProblem) -> CopiedPieces {
        // What stands behind the last box is cut off.
        let boxes = try source.boxes()
        guard !boxes.contains(where: { ["moof", "styp", "sidx"].contains($0.name) }) else {
            throw .damaged("it is cut into fragments")
        }
        let headers = boxes.filter { $0.name == "moov" }
        guard headers.count == 1, let header = headers.first else { throw .damaged("it has no header, or several") }
        guard header.whole.upperBound - header.whole.lowerBound <= most else {
            throw .damaged("its header is too long")
        }
        let data = boxes.filter { $0.name == "mdat" }.map(\.content)
        var tracks = CleanMovieHeader(try source.table(header.content), kept.facts)
        try tracks.clean()
        var samples = CleanMovieSamples(source, data, keepsTimes: kept.facts.contains(.date))
        for track in tracks.tracks { try samples.add(track, of: tracks.bytes).clean(track.tables, in: &tracks) }

        var pieces = CopiedPieces()
        let kept = try samples.merged()
        let changes = samples.changes
        var (next, change) = (0, 0)
        for box in boxes {
            let head = box.whole.lowerBound..<box.content.lowerBound
            switch box.name {
            case "ftyp" where box.whole.lowerBound == 0 && box.content.count <= Self.mostBrands:
                pieces.add(head)
                pieces.add(try brands(source.whole(box.content, of: "its header")))
            // Of a longer list the first ones say enough.
            case "ftyp" where box.whole.lowerBound == 0 && head.count == 8 && box.content.count <= 1 << 16:
                let first = box.content.lowerBound..<box.content.lowerBound + Int64(Self.mostBrands)
                let rest = box.content.upperBound - first.upperBound
                guard rest >= 8 else { throw .damaged("its header is of an unknown length") }
                pieces.add(.box("ftyp", try brands(source.whole(first, of: "its header"))))
                pieces.add(.box("free", [UInt8](repeating: 0, count: Int(rest) - 8)))
            case "moov":
                pieces.add(head)
                pieces.add(tracks.bytes)
            case "mdat":
                pieces.add(head)
                var place = box.content.lowerBound
                while next < kept.count, kept[next].upperBound <= box.content.upperBound {
                    pieces.add(0, count: kept[next].lowerBound - place)
                    let first = change
                    while change < changes.count, changes[change].range.lowerBound < kept[next].upperBound {
                        change += 1
                    }
                    pieces.add(kept[next], with: changes[first..<change])
                    guard pieces.count <= mostPieces else { throw .damaged("it has too many parts") }
                    place = kept[next].upperBound
                    next += 1
                }
                pieces.add(0, count: box.content.upperBound - place)
            default:
                pieces.add(head.lowerBound..<head.lowerBound + 4)
                pieces.add(Array("free".utf8))
                pieces.add(head.lowerBound + 8..<head.upperBound)
                pieces.add(0, count: box.content.upperBound - box.content.lowerBound)
            }
        }
        return pieces
    }

    /// Zeros stand for none, as QuickTime writes them itself.
    private static func brands(_ content: [UInt8]) throws(ReadingProblem) -> [UInt8] {
        guard content.count >= 8 else { throw .damaged("a box is too short") }
        var brands = [UInt8](repeating: 0, count: content.count)
        var first: [UInt8]?
        for place in stride(from: 0, to: content.count - 3, by: 4) where place != 4 {
            let name = Array(content[place..<place + 4])
            guard Self.brands.contains(String(decoding: name, as: UTF8.self)) else { continue }
            first = first ?? name
            brands.replaceSubrange(place..<place + 4, with: name)
        }
        // Makers' own ones say no more than those they go with.
        brands.replaceSubrange(0..<4, with: first ?? Array("isom".utf8))
        return brands
    }
}

extension MediaBytes {
    /// All bytes of a longer range.
    fileprivate func table(_ range: Range<Int64>) throws(ReadingProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        var place = range.lowerBound
        while place < range.upperBound {
            let end = min(range.upperBound, place + 1 << 22)
            bytes += try whole(place..<end, of: "its header")
            place = end
        }
        return bytes
    }
}
