internal import Submit

/// PNG (ISO/IEC 15948).
enum PNGFile {
    /// EXIF stands in a chunk of its own, with old programs in a text; XMP always in one (XMP part 3, section 1.1.5).
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        var exif: FileRegion?
        var texts: [PNGText] = []
        for (type, content) in PNGChunks(file) {
            if exif == nil, type == ISOMediaFile.code("eXIf") { exif = content }
            if texts.count < 16, let text = PNGText(type, content), text.canHoldMetadata { texts.append(text) }
        }
        func profile(_ name: String) -> FileRegion? { texts.first { $0.keyword == PNGText.profile + name }?.profile }
        let found = texts
        return PhotoMetadata(
            exif: (exif ?? profile("exif") ?? profile("APP1")).flatMap { TIFFStructure(exif: $0) },
            xmp: found.first { $0.keyword == PNGText.xmp }?.text
                ?? found.first { $0.keyword == PNGText.profile + "xmp" }?.profile,
            iptc: found.first { $0.keyword == PNGText.profile + "iptc" }?.profile.map {
                PhotoshopFile.resource(PhotoshopFile.iptc, in: $0) ?? $0
            },
            created: found.lazy.filter { PNGText.creationTimes.contains($0.keyword) }.compactMap(\.time).first)
    }
}
