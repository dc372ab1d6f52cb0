internal import Submit

/// Bitmaps of Windows and OS/2: `BITMAPFILEHEADER` and the header behind it (“Bitmap Storage”, Microsoft).
enum BMPFile {
    static func type(of head: Span<UInt8>) -> MediaType? {
        func number(_ offset: Int, _ width: Int) -> UInt64? {
            head.number(at: offset, width: width, bigEndian: false)
        }
        // Two letters are no evidence: the header has to be one.
        guard head.has(Array("BM".utf8), at: 0), let pixels = number(10, 4), let size = number(14, 4),
            headerSizes.contains(size), pixels >= 14 + size, pixels < 1 << 24
        else { return nil }
        let isOld = size == 12
        guard number(isOld ? 22 : 26, 2) == 1, let depth = number(isOld ? 24 : 28, 2) else { return nil }
        let isEmbedded = depth == 0 && size >= 40 && number(30, 4).map(embedded.contains) == true
        return isEmbedded || [1, 2, 4, 8, 16, 24, 32, 64].contains(depth) ? .photo("image/bmp", "bmp") : nil
    }

    /// The metadata of a JPEG or PNG that a bitmap holds instead of pixels. Bitmaps have no other metadata.
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        func number(_ offset: Int64) -> UInt64? { file.number(at: offset, width: 4, bigEndian: false) }
        guard let compression = number(30), embedded.contains(compression), let start = number(10) else {
            return PhotoMetadata()
        }
        let picture = file.part(from: Int64(start))
        return compression == jpeg ? JPEGFile.metadata(picture) : PNGFile.metadata(picture)
    }

    private static let jpeg: UInt64 = 4
    private static let embedded: Set<UInt64> = [jpeg, 5]

    private static let headerSizes: Set<UInt64> = [12, 16, 40, 52, 56, 64, 108, 124]
}
