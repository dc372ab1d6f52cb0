/// Panasonic's RW2 and Leica's RWL (https://exiftool.org/TagNames/PanasonicRaw.html).
enum PanasonicRawFile {
    static func pictures(_ file: FileRegion) -> ([FileRegion], PixelSize?) {
        guard let image = TIFFStructure(file)?.first else { return ([], nil) }
        // `JpgFromRaw` of all, and what newer cameras write besides, which is larger.
        let jpegs = [0x002e, 0x0127].compactMap { image.value($0)?.region }
        func number(_ tag: UInt64) -> UInt64? { image.number(tag).flatMap(UInt64.init(exactly:)) }
        guard let top = number(4), let left = number(5), let bottom = number(6), let right = number(7), top < bottom,
            left < right
        else { return (jpegs, nil) }
        return (jpegs, PixelSize(right - left, bottom - top))
    }
}
