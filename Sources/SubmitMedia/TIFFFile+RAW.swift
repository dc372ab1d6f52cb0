extension TIFFFile {
    /// The JPEGs in a RAW file's directories, and how large its picture is.
    static func rawPictures(_ file: FileRegion, _ metadata: PhotoMetadata) -> ([FileRegion], PixelSize?) {
        guard let structure = TIFFStructure(file) else { return ([], nil) }
        var jpegs = metadata.photo.map { RAWMakerNote.jpegs($0, bare: false) } ?? []
        var sensor: PixelSize?
        for directory in TIFFDirectories(structure) {
            jpegs += Self.jpegs(directory)
            guard isSensorData(directory) else { continue }
            let size = PixelSize(cropped: directory) ?? PixelSize(directory, 0x0100, 0x0101)
            if let size, size.pixels > sensor?.pixels ?? 0 { sensor = size }
        }
        return (jpegs, PixelSize.whole(metadata, sensor: sensor))
    }

    /// What a directory's tags lead to: a JPEG as EXIF's thumbnail is one, or a strip that is a JPEG.
    static func jpegs(_ directory: TIFFDirectory) -> [FileRegion] {
        let file = directory.structure.region
        var found: [FileRegion] = []
        if let jpeg = file.piece(at: directory.number(0x0201), length: directory.number(0x0202)) { found.append(jpeg) }
        // Old JPEG, and new (TIFF Technical Note 2). Tables that stand elsewhere make the strip none by itself.
        guard let compression = directory.number(0x0103), compression == 6 || compression == 7,
            directory.value(0x015b) == nil, directory.value(0x0111)?.count == 1, isForLooking(directory),
            let strip = file.piece(at: directory.number(0x0111), length: directory.number(0x0117))
        else { return found }
        return found + [strip]
    }

    /// Grey, RGB or YCbCr, and neither a mask nor a depth (TIFF 6.0, section 8; DNG 1.7.1, chapter 4, `NewSubFileType`).
    private static func isForLooking(_ directory: TIFFDirectory) -> Bool {
        [1, 2, 6].contains(directory.number(0x0106) ?? 6) && [0, 1, 0x10001].contains(directory.number(0x00fe) ?? 0)
    }

    /// A colour filter's, or of linear sensors, in full.
    private static func isSensorData(_ directory: TIFFDirectory) -> Bool {
        [32803, 34892].contains(directory.number(0x0106)) && (directory.number(0x00fe) ?? 0) == 0
    }
}

extension PixelSize {
    /// Sides that no RAW file reaches are broken.
    private init?(sides width: Int64?, _ height: Int64?) {
        guard let width, let height, (1...1 << 20).contains(width), (1...1 << 20).contains(height) else { return nil }
        self.init(UInt64(width), UInt64(height))
    }

    init?(_ directory: TIFFDirectory?, _ width: UInt64, _ height: UInt64) {
        self.init(sides: directory?.number(width), directory?.number(height))
    }

    /// What of the sensor data is the picture (DNG 1.7.1, `DefaultCropSize`).
    fileprivate init?(cropped directory: TIFFDirectory) {
        let sides = directory.numbers(0xc620, most: 2)
        self.init(sides: sides.first, sides.last)
    }

    /// The two numbers of `width` bytes at `offset`, the height first or the width.
    init?(_ region: FileRegion?, at offset: Int64, width: Int, bigEndian: Bool = true, heightFirst: Bool = false) {
        let numbers = [offset, offset + Int64(width)].map {
            region?.number(at: $0, width: width, bigEndian: bigEndian).flatMap(Int64.init(exactly:))
        }
        self.init(sides: numbers[heightFirst ? 1 : 0], numbers[heightFirst ? 0 : 1])
    }

    var pixels: Int { width * height }

    /// EXIF tells the picture, sensor data may have borders. What is far smaller is another picture's.
    static func whole(_ metadata: PhotoMetadata, sensor: PixelSize?) -> PixelSize? {
        guard let told = PixelSize(metadata.photo, 0xa002, 0xa003) else { return sensor }
        guard let sensor else { return told }
        return told.width * 10 >= sensor.width * 9 && told.height * 10 >= sensor.height * 9 ? told : sensor
    }
}
