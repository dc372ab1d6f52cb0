/// JPEG (ITU-T T.81, annex B).
enum JPEGFile {
    /// From the first of its segments that are EXIF, and the first that is XMP. IPTC is in a resource of Photoshop's.
    ///
    /// What did not fit into that one, extended XMP, is not read: dates stand in it (XMP part 3, section 1.1.3.1).
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        PhotoMetadata(
            exif: contents(file, of: exifSignature).lazy.compactMap { TIFFStructure(exif: $0) }.first { _ in true },
            xmp: contents(file, of: xmpSignature).first { _ in true }?.part(from: Int64(xmpSignature.count)),
            iptc: contents(file, of: photoshopSignature, in: 0xed).lazy.compactMap {
                PhotoshopFile.resource(PhotoshopFile.iptc, in: $0.part(from: Int64(photoshopSignature.count)))
            }.first { _ in true })
    }

    private static func contents(
        _ file: FileRegion, of signature: [UInt8], in marker: UInt8 = 0xe1
    ) -> some Sequence<FileRegion> {
        JPEGSegments(file).lazy.filter { $0.marker == marker && $0.head.starts(with: signature) }.map(\.content)
    }

    /// What an APP1 segment begins with: Exif 2.32, section 4.7.2; XMP part 3, section 1.1.3.
    private static let exifSignature = Array("Exif\0".utf8)
    private static let xmpSignature = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    /// What an APP13 segment of Photoshop's resources begins with (XMP part 3, section 1.1.3).
    private static let photoshopSignature = Array("Photoshop 3.0\0".utf8)
}
