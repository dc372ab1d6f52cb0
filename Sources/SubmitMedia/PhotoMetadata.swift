internal import Submit

/// Where a photo's metadata stands, read no further than it is asked about.
struct PhotoMetadata {
    /// What EXIF calls IFD0 and TIFF the first directory (Exif 2.32, section 4.5.4).
    var image: TIFFDirectory?
    /// EXIF's own directory.
    var photo: TIFFDirectory?
    /// The packet of XMP. It may stand far from all else.
    var xmp: () -> FileRegion?
    /// IPTC's records.
    var iptc: () -> FileRegion?
    /// When the file's own format says that the picture was made.
    var created: () -> CaptureTime?

    init(
        image: TIFFDirectory? = nil, photo: TIFFDirectory? = nil,
        xmp: @autoclosure @escaping () -> FileRegion? = nil, iptc: @autoclosure @escaping () -> FileRegion? = nil,
        created: @autoclosure @escaping () -> CaptureTime? = nil
    ) {
        self.image = image
        self.photo = photo
        self.xmp = xmp
        self.iptc = iptc
        self.created = created
    }

    init(
        exif: TIFFStructure?, xmp: @autoclosure @escaping () -> FileRegion?,
        iptc: @autoclosure @escaping () -> FileRegion? = nil,
        created: @autoclosure @escaping () -> CaptureTime? = nil
    ) {
        let image = exif?.first
        self.init(
            image: image, photo: image?.directory(EXIFTag.exifDirectory), xmp: xmp(), iptc: iptc(), created: created())
    }
}

extension PhotoMetadata {
    /// Nothing for formats that have none, or keep it in ways of their own that nobody reads here.
    init(_ file: FileRegion, type: MediaType) {
        self =
            switch type.mime {
            case "image/jpeg": JPEGFile.metadata(file)
            case "image/png": PNGFile.metadata(file)
            case "image/webp": WebPFile.metadata(file)
            case "image/gif": GIFFile.metadata(file)
            case "image/bmp": BMPFile.metadata(file)
            case "image/heic", "image/heif", "image/avif": ISOMediaFile.pictureMetadata(file)
            case "image/jxl": JPEGXLFile.metadata(file)
            case "image/jp2", "image/jpx", "image/jpm": JPEG2000File.metadata(file)
            case "image/vnd.adobe.photoshop": PhotoshopFile.metadata(file)
            case "image/x-canon-cr3": CanonRawFile.metadata(file)
            case "image/x-fuji-raf": FujiRawFile.metadata(file)
            case "image/x-minolta-mrw": MinoltaRawFile.metadata(file)
            case "image/x-sigma-x3f": SigmaRawFile.metadata(file)
            default: TIFFFile.metadata(file)
            }
    }
}
