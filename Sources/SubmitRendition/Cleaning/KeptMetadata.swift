/// What a clean copy tells: facts of the photo itself, or of the one that its pixels were made of, and words of people.
struct KeptMetadata: Sendable {
    let facts: Set<KeptFact>
    /// The EXIF of the photo that the pixels were made of.
    var original: [UInt8]?
    /// They are upright, and in sRGB, whatever that says.
    var isUpright = true
    var words = PhotoWords.none

    /// A new TIFF structure with what stays; `nil` where nothing does.
    ///
    /// - Parameters:
    ///   - own: that of the photo which is copied.
    ///   - isTurned: something else than EXIF says how the photo is turned, so that EXIF must not.
    func exif(besides own: [UInt8]?, isTurned: Bool = false) -> [UInt8]? {
        if let original {
            return KeptEXIF(original, facts, words, without: isUpright ? KeptEXIF.ofPixels : []).bytes
        }
        return KeptEXIF(own ?? [], facts, words, without: isTurned ? [KeptEXIF.orientation] : []).bytes
    }

    /// The words as XMP; `nil` where there are none.
    var xmp: [UInt8]? { WrittenXMP.packet(words) }
}
