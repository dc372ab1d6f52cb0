internal import Submit

extension TIFFFile {
    /// The formats that are TIFF and nothing besides: others that are built on it have dates in places of their own.
    static func tellsByEXIF(_ type: MediaType) -> Bool {
        [
            "image/tiff", "image/x-adobe-dng", "image/x-canon-cr2", "image/x-nikon-nef", "image/x-sony-arw",
            "image/x-pentax-pef",
        ].contains(type.mime)
    }

    static func captureFinding(_ source: MediaSource) -> CaptureFinding {
        guard let size = Int(exactly: source.file.length), let structure = TIFFStructure(source, 0..<size) else {
            return .undecided
        }
        return EXIFDates.finding(in: structure, hasOther: structure.first?.has(xmp) ?? true)
    }

    /// XMP specification, part 3, section 3.
    private static let xmp: UInt64 = 700
}
