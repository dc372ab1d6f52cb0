package import Submit

/// How large a photo is.
package struct MediaDimensions: Sendable, Hashable {
    /// Pixels of a row, as they are stored.
    package let width: Int
    package let height: Int
    /// How whoever shows it turns and mirrors it, 1 to 8 (Exif 2.32, section 4.6.4).
    package let orientation: Int

    /// By the file's headers; `nil` where they do not tell, and for others than JPEG, PNG, WebP, GIF, TIFF, HEIF.
    ///
    /// - Parameters:
    ///   - descriptor: the file, open for reading. Its position does not matter.
    ///   - head: the file's first bytes, as many as were read already.
    package init?(
        of descriptor: CInt, type: MediaType,
        head: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        guard let file = FileRegion(descriptor, head: head) else { return nil }
        self.init(file, type)
    }

    /// The orientation that a decoder must be told: that of a PNG. 1 for other types, whose decoders read it themselves.
    ///
    /// - Parameters:
    ///   - descriptor: the file, open for reading. Its position does not matter.
    ///   - mime: the type of the photo by its content.
    package static func untoldOrientation(of descriptor: CInt, mime: String) -> Int {
        guard mime == "image/png" else { return 1 }
        return FileRegion(descriptor).map { PNGFile.metadata($0).orientation } ?? 1
    }

    /// Whether a TIFF has channels that are neither colour nor transparency, such as a spot colour or near infrared (TIFF 6.0,
    /// section 18).
    ///
    /// Decoders take the last channel for transparency.
    package static func hasOtherChannels(_ descriptor: CInt, mime: String) -> Bool {
        guard mime == "image/tiff", let image = FileRegion(descriptor).flatMap({ TIFFStructure($0) })?.first,
            let value = image.value(0x0152)
        else { return false }
        let extra = image.numbers(0x0152, most: min(value.count, 16))
        return extra != [1] && extra != [2]
    }

    /// Whether a PNG has several pictures that are shown one after another (W3C PNG, third edition, section 11.3.6): decoders that
    /// know PNG's second edition see the first alone.
    package static func isAnimatedPNG(_ descriptor: CInt) -> Bool {
        guard let file = FileRegion(descriptor) else { return false }
        for chunk in PNGChunks(file) {
            if chunk.type == ISOMediaFile.code("acTL") { return true }
            if chunk.type == ISOMediaFile.code("IDAT") { return false }
        }
        return false
    }

    init?(_ file: FileRegion, _ type: MediaType) { self.init(file, type, PhotoMetadata(file, type: type)) }

    /// - Parameter metadata: that of the file.
    init?(_ file: FileRegion, _ type: MediaType, _ metadata: @autoclosure () -> PhotoMetadata) {
        switch type.mime {
        case "image/jpeg": self.init(JPEGFile.size(file), turned: metadata().orientation)
        case "image/png": self.init(PNGFile.size(file), turned: metadata().orientation)
        case "image/webp": self.init(WebPFile.size(file), turned: metadata().orientation)
        case "image/gif": self.init(GIFFile.size(file), turned: 1)
        case "image/tiff": self.init(TIFFFile.size(file), turned: metadata().orientation)
        case "image/heic", "image/heif", "image/avif":
            let picture = ISOPicture(file)
            self.init(picture?.size, turned: picture?.orientation ?? 1)
        default: return nil
        }
    }

    private init?(_ size: PixelSize?, turned orientation: Int) {
        guard let size, size.width > 0, size.height > 0 else { return nil }
        (width, height, self.orientation) = (size.width, size.height, orientation)
    }
}

struct PixelSize: Equatable {
    let width: Int
    let height: Int

    init?(_ width: UInt64?, _ height: UInt64?) {
        guard let width = width.flatMap(Int.init(exactly:)), let height = height.flatMap(Int.init(exactly:)) else {
            return nil
        }
        (self.width, self.height) = (width, height)
    }
}

extension PhotoMetadata {
    /// What is none counts as upright.
    var orientation: Int {
        guard let number = image?.number(EXIFTag.orientation), (1...8).contains(number) else { return 1 }
        return Int(number)
    }
}

extension JPEGFile {
    static func size(_ file: FileRegion) -> PixelSize? { frame(file).flatMap(size(of:)) }

    /// The first header of a frame (ITU-T T.81, annex B.2.2): of all markers of a frame three are none.
    static func frame(_ file: FileRegion) -> JPEGSegments.Segment? {
        JPEGSegments(file).first {
            (0xc0...0xcf).contains($0.marker) && ![0xc4, 0xc8, 0xcc].contains($0.marker)
        }
    }

    static func size(of frame: JPEGSegments.Segment) -> PixelSize? {
        PixelSize(frame.content.number(at: 3, width: 2), frame.content.number(at: 1, width: 2))
    }
}

extension PNGFile {
    /// `IHDR` (ISO/IEC 15948, section 11.2.2).
    static func size(_ file: FileRegion) -> PixelSize? {
        guard file.number(at: 12, width: 4) == ISOMediaFile.code("IHDR") else { return nil }
        return PixelSize(file.number(at: 16, width: 4), file.number(at: 20, width: 4))
    }
}

extension GIFFile {
    /// The logical screen.
    static func size(_ file: FileRegion) -> PixelSize? {
        PixelSize(
            file.number(at: 6, width: 2, bigEndian: false), file.number(at: 8, width: 2, bigEndian: false))
    }
}

extension WebPFile {
    /// RFC 9649, sections 2.5 to 2.7 and 3.4; RFC 6386, section 9.1.
    static func size(_ file: FileRegion) -> PixelSize? {
        guard let chunk = RIFFChunks(file.part(from: 12)).first(where: { _ in true }) else { return nil }
        func number(_ offset: Int64, _ width: Int) -> UInt64? {
            chunk.content.number(at: offset, width: width, bigEndian: false)
        }
        if chunk.isCalled("VP8X") { return PixelSize(number(4, 3).map { $0 + 1 }, number(7, 3).map { $0 + 1 }) }
        if chunk.isCalled("VP8 "), chunk.content.number(at: 3, width: 3) == 0x9d012a {
            return PixelSize(number(6, 2).map { $0 & 0x3fff }, number(8, 2).map { $0 & 0x3fff })
        }
        guard chunk.isCalled("VP8L"), number(0, 1) == 0x2f, let bits = number(1, 4) else { return nil }
        return PixelSize((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1)
    }
}

extension TIFFFile {
    /// TIFF 6.0, section 3.
    static func size(_ file: FileRegion) -> PixelSize? {
        let image = TIFFStructure(file)?.first
        func number(_ tag: UInt64) -> UInt64? { image?.number(tag).flatMap(UInt64.init(exactly:)) }
        return PixelSize(number(0x0100), number(0x0101))
    }
}
