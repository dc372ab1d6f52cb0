internal import Submit

extension ISOMediaFile {
    /// The EXIF of pictures that are items of such a file (ISO/IEC 23008-12, annex A; ISO/IEC 14496-12, section 8.11).
    static func captureFinding(_ source: MediaSource) -> CaptureFinding {
        guard let items = box("meta", in: source.file)?.part(from: 4),
            let infos = box("iinf", in: items), let places = box("iloc", in: items),
            let (exif, hasOther) = exifItem(infos), let range = place(of: exif, places.bytes(mostBytes), source)
        else { return .undecided }
        // Where the structure begins, counted from behind this number.
        guard let start = source.bytes(at: range.lowerBound, 4), let skipped = start.span.number(at: 0, width: 4),
            skipped <= range.count - 4
        else { return .undecided }
        return EXIFDates.finding(
            in: TIFFStructure(source, range.lowerBound + 4 + Int(skipped)..<range.upperBound), hasOther: hasOther)
    }

    /// As much of a list as is read.
    private static let mostBytes = 64 << 10

    /// The number of the one item that is EXIF, and whether there are items of text, as XMP is; `nil` where there is not
    /// one, or a list that is not plain.
    private static func exifItem(_ infos: FileRegion) -> (item: UInt64, hasOther: Bool)? {
        let list = infos.bytes(mostBytes)
        guard list.count == infos.length, let version = list.first, version <= 1 else { return nil }
        var offset = version == 0 ? 6 : 8
        var (exif, hasOther) = (UInt64?.none, false)
        while offset < list.count {
            guard let size = list.span.number(at: offset, width: 4).map(Int.init), size >= 20,
                list.span.number(at: offset + 4, width: 4) == code("infe"),
                let version = list.span.number(at: offset + 8, width: 1), version == 2 || version == 3
            else { return nil }
            let width = version == 2 ? 2 : 4
            guard let item = list.span.number(at: offset + 12, width: width),
                let type = list.span.number(at: offset + 14 + width, width: 4)
            else { return nil }
            if type == code("Exif") {
                guard exif == nil else { return nil }
                exif = item
            }
            if type == code("mime") { hasOther = true }
            offset += size
        }
        return exif.map { ($0, hasOther) }
    }

    /// Where an item lies in the file; `nil` unless it is there in one piece.
    private static func place(of item: UInt64, _ list: [UInt8], _ source: MediaSource) -> Range<Int>? {
        let list = list.span
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
            var method: UInt64? = 0
            if version > 0 {
                method = list.number(at: offset, width: 2)
                offset += 2
            }
            let reference = list.number(at: offset, width: 2)
            let base = list.number(at: offset + 2, width: baseSize)
            offset += 2 + baseSize
            guard let extents = list.number(at: offset, width: 2) else { return nil }
            offset += 2
            if id == item {
                let start = list.number(at: offset + indexSize, width: offsetSize)
                let length = list.number(at: offset + indexSize + offsetSize, width: lengthSize)
                guard method == 0, reference == 0, extents == 1, let base, let start, let length, length >= 12,
                    let from = Int(exactly: base), let start = Int(exactly: start), let length = Int(exactly: length),
                    from <= 1 << 40, start <= 1 << 40, length <= 16 << 20
                else { return nil }
                return from + start..<from + start + length
            }
            offset += Int(extents) * (indexSize + offsetSize + lengthSize)
        }
        return nil
    }
}
