internal import Submit

/// TIFF 6.0 and the raw formats built on it.
enum TIFFFile {
    static func type(of head: Span<UInt8>, fileExtension: String) -> MediaType? {
        let isBigEndian: Bool
        switch head.number(at: 0, width: 2) {
        case 0x4949: isBigEndian = false
        case 0x4d4d: isBigEndian = true
        default: return nil
        }
        switch head.number(at: 2, width: 2, bigEndian: isBigEndian) {
        case 42: break
        case 43: return .photo("image/tiff", "tif")
        // JPEG XR has TIFF's directories (ITU-T T.832, annex A).
        case 0x01bc where !isBigEndian: return .photo("image/jxr", "jxr")
        case 0x55 where !isBigEndian:
            return fileExtension == "rwl"
                ? .photo("image/x-leica-rwl", "rwl") : .photo("image/x-panasonic-rw2", "rw2")
        default: return nil
        }
        if head.has(Array("CR\u{2}".utf8), at: 8) { return .photo("image/x-canon-cr2", "cr2") }
        if head.has(Array("IIII".utf8), at: 8) || head.has(Array("MMMM".utf8), at: 8) {
            return .photo("image/x-phaseone-iiq", "iiq")
        }
        if isDNG(head, bigEndian: isBigEndian) { return .photo("image/x-adobe-dng", "dng") }
        if let mime = rawFormats[fileExtension] { return .photo(mime, fileExtension) }
        return .photo("image/tiff", "tif")
    }

    /// The first directory has the tag `DNGVersion` (DNG 1.7.1, chapter 4).
    private static func isDNG(_ head: Span<UInt8>, bigEndian: Bool) -> Bool {
        guard let directory = head.number(at: 4, width: 4, bigEndian: bigEndian).map(Int.init),
            let entries = head.number(at: directory, width: 2, bigEndian: bigEndian).map(Int.init)
        else { return false }
        for entry in 0..<entries {
            guard let tag = head.number(at: directory + 2 + entry * 12, width: 2, bigEndian: bigEndian) else { break }
            if tag == 0xc612 { return true }
        }
        return false
    }

    /// Raw formats whose beginning is TIFF's, whatever tells them apart.
    static let rawTypes = Set(rawFormats.values).union(["image/x-canon-cr2"])

    /// Raw formats that look like any TIFF at the beginning, by extension.
    private static let rawFormats = [
        "3fr": "image/x-hasselblad-3fr",
        "arw": "image/x-sony-arw",
        "dcr": "image/x-kodak-dcr",
        "dng": "image/x-adobe-dng",
        "erf": "image/x-epson-erf",
        "fff": "image/x-hasselblad-fff",
        "iiq": "image/x-phaseone-iiq",
        "kdc": "image/x-kodak-kdc",
        "mef": "image/x-mamiya-mef",
        "mos": "image/x-leaf-mos",
        "nef": "image/x-nikon-nef",
        "nrw": "image/x-nikon-nrw",
        "pef": "image/x-pentax-pef",
        "rwl": "image/x-leica-rwl",
        "sr2": "image/x-sony-sr2",
        "srw": "image/x-samsung-srw",
    ]
}
