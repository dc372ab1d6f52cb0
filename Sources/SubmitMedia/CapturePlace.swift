package import Submit

/// Where a photo or video was taken, as its own metadata tells.
package struct CapturePlace: Sendable, Hashable {
    /// Degrees north of the equator, -90 to 90.
    package let latitude: Double
    /// Degrees east of Greenwich, -180 to 180.
    package let longitude: Double

    /// `nil` for what is no place on Earth; 0, 0 is what devices write that do not know.
    init?(latitude: Double, longitude: Double) {
        guard abs(latitude) <= 90, abs(longitude) <= 180, latitude != 0 || longitude != 0 else { return nil }
        (self.latitude, self.longitude) = (latitude, longitude)
    }

    /// `nil` where the file does not tell. Blocks its thread, and never fails: what a broken file does not tell is not known.
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

    init?(_ file: FileRegion, _ type: MediaType) {
        let found: CapturePlace? =
            switch type.kind {
            case .photo: PhotoMetadata(file, type: type).place
            case .video: ISOMediaFile.place(file)
            case .other: nil
            }
        guard let found else { return nil }
        self = found
    }

    /// `+53.5436+009.9666/`, perhaps with a height behind it (ISO 6709, annex H).
    init?(iso6709 text: String) {
        var numbers: [Double] = []
        var rest = Substring(text)
        while numbers.count < 2, let sign = rest.first, sign == "+" || sign == "-" {
            let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber || $0 == "." }
            guard let number = Self.degrees(digits, isLatitude: numbers.isEmpty) else { return nil }
            numbers.append(sign == "-" ? -number : number)
            rest = rest.dropFirst(1 + digits.count)
        }
        guard numbers.count == 2 else { return nil }
        self.init(latitude: numbers[0], longitude: numbers[1])
    }

    /// Degrees, or degrees and minutes, or those and seconds, by how many digits there are.
    private static func degrees(_ digits: Substring, isLatitude: Bool) -> Double? {
        let whole = digits.prefix { $0 != "." }
        guard let number = Double(digits) else { return nil }
        switch whole.count - (isLatitude ? 2 : 3) {
        case ...0: return number
        case 1, 2: return (number / 100).rounded(.down) + number.truncatingRemainder(dividingBy: 100) / 60
        default:
            let minutes = (number / 100).rounded(.down)
            return (minutes / 100).rounded(.down) + minutes.truncatingRemainder(dividingBy: 100) / 60
                + number.truncatingRemainder(dividingBy: 100) / 3600
        }
    }
}

extension PhotoMetadata {
    /// EXIF's directory of the place (Exif 2.32, section 4.6.6).
    var place: CapturePlace? {
        guard let directory = image?.directory(EXIFTag.placeDirectory),
            let latitude = degrees(directory, 2, reference: 1, negative: "S"),
            let longitude = degrees(directory, 4, reference: 3, negative: "W")
        else { return nil }
        return CapturePlace(latitude: latitude, longitude: longitude)
    }

    private func degrees(_ directory: TIFFDirectory, _ tag: UInt64, reference: UInt64, negative: String) -> Double? {
        let parts = directory.fractions(tag, most: 3)
        // Of which one is nothing, as some write 0/0, the rest tells no place that is right.
        guard parts.count == 3, parts[0] <= 180, parts[1] < 60.1, parts[2] < 60.1,
            let side = directory.text(reference)?.first
        else { return nil }
        let degrees = parts[0] + parts[1] / 60 + parts[2] / 3600
        return side.uppercased() == negative ? -degrees : degrees
    }
}

extension ISOMediaFile {
    /// `com.apple.quicktime.location.ISO6709` of telephones, or `©xyz` of the user data, of others.
    static func place(_ file: FileRegion) -> CapturePlace? {
        guard let movie = box("moov", in: file) else { return nil }
        let user = box("udta", in: movie)
        let text =
            appleValue("com.apple.quicktime.location.ISO6709", in: movie)
            ?? user.flatMap { appleValue("com.apple.quicktime.location.ISO6709", in: $0) }
            ?? user.flatMap { box(code: 0xa978_797a, in: $0) }.map {
                // Its length and language stand before it.
                String(decoding: $0.part(from: 4).bytes(64), as: UTF8.self)
            }
        return text.flatMap(CapturePlace.init(iso6709:))
    }
}
