internal import Submit

/// The JPEGs of a RAW file as its headers list them, not looked at yet, and what it tells about its picture.
struct RAWPictures {
    var jpegs: [FileRegion]
    var whole: PixelSize?
    var orientation: Int
}

/// RAW formats by how they keep what is beside the sensor data.
enum RAWFamily {
    /// TIFF, with nothing that is told elsewhere.
    case tiff
    case olympus, panasonic, fuji, minolta, canon, oldCanon, sigma

    init?(_ type: MediaType) {
        guard type.kind == .photo else { return nil }
        switch type.mime {
        case "image/x-olympus-orf": self = .olympus
        case "image/x-panasonic-rw2", "image/x-leica-rwl": self = .panasonic
        case "image/x-fuji-raf": self = .fuji
        case "image/x-minolta-mrw": self = .minolta
        case "image/x-canon-cr3": self = .canon
        case "image/x-canon-crw": self = .oldCanon
        case "image/x-sigma-x3f": self = .sigma
        case let mime where TIFFFile.rawTypes.contains(mime): self = .tiff
        default: return nil
        }
    }

    func pictures(_ file: FileRegion, _ type: MediaType) -> RAWPictures {
        switch self {
        case .oldCanon: return CanonOldRawFile.pictures(file)
        case .sigma: return SigmaRawFile.pictures(file)
        case .tiff, .olympus, .panasonic, .fuji, .minolta, .canon: break
        }
        let metadata = PhotoMetadata(file, type: type)
        let (jpegs, whole) =
            switch self {
            case .olympus: OlympusRawFile.pictures(file, metadata)
            case .panasonic: PanasonicRawFile.pictures(file)
            case .fuji: FujiRawFile.pictures(file)
            case .minolta: MinoltaRawFile.pictures(file, metadata)
            case .canon: CanonRawFile.pictures(file, metadata)
            default: TIFFFile.rawPictures(file, metadata)
            }
        return RAWPictures(jpegs: jpegs, whole: whole, orientation: metadata.orientation)
    }

    func exif(_ file: FileRegion, _ type: MediaType) -> RAWEXIF {
        switch self {
        case .oldCanon: CanonOldRawFile.exif(file)
        case .canon: RAWEXIF(PhotoMetadata(file, type: type), place: CanonRawFile.place(file))
        default: RAWEXIF(PhotoMetadata(file, type: type))
        }
    }
}
