/// What the box `meta` lists (ISO/IEC 14496-12, section 8.11).
struct ISOItems {
    private let file: FileRegion
    private let data: FileRegion?
    private let infos: [UInt8]
    private let places: [UInt8]

    /// As much of a list as is read: large pictures are items of 10,000 tiles.
    private static let mostBytes = 256 << 10
    /// As much of an item as is put together where it is in pieces.
    private static let mostJoined = 1 << 20

    init(_ file: FileRegion, meta: FileRegion) {
        self.file = file
        let boxes = meta.part(from: 4)
        data = ISOMediaFile.box("idat", in: boxes)
        infos = ISOMediaFile.box("iinf", in: boxes)?.bytes(Self.mostBytes) ?? []
        places = ISOMediaFile.box("iloc", in: boxes)?.bytes(Self.mostBytes) ?? []
    }

    enum Kind { case exif, xmp, other }

    /// The content of the first item of a kind.
    func content(where isWanted: (Kind) -> Bool) -> FileRegion? {
        let list = infos.span
        guard let version = list.number(at: 0, width: 1) else { return nil }
        var offset = version == 0 ? 6 : 8
        while let size = list.number(at: offset, width: 4).map(Int.init), size >= 20, size <= infos.count - offset {
            defer { offset += size }
            guard list.number(at: offset + 4, width: 4) == ISOMediaFile.code("infe"),
                let version = list.number(at: offset + 8, width: 1), version == 2 || version == 3
            else { continue }
            let width = version == 2 ? 2 : 4
            guard let item = list.number(at: offset + 12, width: width),
                let type = list.number(at: offset + 14 + width, width: 4)
            else { return nil }
            let words = infos[min(offset + 18 + width, offset + size)..<offset + size]
            if isWanted(Self.kind(type, words)) { return content(of: item) }
        }
        return nil
    }

    /// - Parameter words: its name, and the type of what is no picture.
    private static func kind(_ type: UInt64, _ words: ArraySlice<UInt8>) -> Kind {
        if type == ISOMediaFile.code("Exif") { return .exif }
        guard type == ISOMediaFile.code("mime") else { return .other }
        let mime = words.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).dropFirst().first
        return mime?.elementsEqual("application/rdf+xml".utf8) ?? false ? .xmp : .other
    }

    /// Section 8.11.3.
    private func content(of item: UInt64) -> FileRegion? {
        let list = places.span
        guard let version = list.number(at: 0, width: 1), version <= 2, let sizes = list.number(at: 4, width: 2) else {
            return nil
        }
        let (offsetSize, lengthSize) = (Int(sizes >> 12), Int(sizes >> 8 & 15))
        let (baseSize, indexSize) = (Int(sizes >> 4 & 15), version == 0 ? 0 : Int(sizes & 15))
        guard [offsetSize, lengthSize, baseSize, indexSize].allSatisfy({ [0, 4, 8].contains($0) }) else { return nil }
        let wide = version == 2 ? 4 : 2
        guard let count = list.number(at: 6, width: wide) else { return nil }
        var offset = 6 + wide
        for _ in 0..<count {
            let id = list.number(at: offset, width: wide)
            offset += wide
            let method = version == 0 ? 0 : list.number(at: offset, width: 2).map { $0 & 15 }
            offset += version == 0 ? 0 : 2
            let reference = list.number(at: offset, width: 2)
            let base = list.number(at: offset + 2, width: baseSize)
            offset += 2 + baseSize
            guard let extents = list.number(at: offset, width: 2).map(Int.init) else { return nil }
            offset += 2
            let extentSize = indexSize + offsetSize + lengthSize
            if id == item {
                guard let source = method == 0 ? file : method == 1 ? data : nil, reference == 0, let base else {
                    return nil
                }
                var pieces: [FileRegion] = []
                for extent in 0..<extents {
                    let start = offset + extent * extentSize + indexSize
                    guard let from = list.number(at: start, width: offsetSize), from < 1 << 60, base < 1 << 60,
                        let length = list.number(at: start + offsetSize, width: lengthSize), length < 1 << 60
                    else { return nil }
                    pieces.append(
                        source.part(from: Int64(base + from), length: lengthSize == 0 ? .max : Int64(length)))
                }
                return Self.joined(pieces)
            }
            offset += extents * extentSize
        }
        return nil
    }

    private static func joined(_ pieces: [FileRegion]) -> FileRegion? {
        if pieces.count <= 1 { return pieces.first }
        var bytes: [UInt8] = []
        for piece in pieces where bytes.count < mostJoined { bytes += piece.bytes(mostJoined - bytes.count) }
        return FileRegion(bytes)
    }
}
