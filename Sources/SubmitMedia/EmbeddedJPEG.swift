/// A JPEG that is a part of another file, by its first header of a frame (ITU-T T.81, annex B.2.2).
struct EmbeddedJPEG {
    let region: FileRegion
    let size: PixelSize

    var pixels: Int { size.width * size.height }

    /// `nil` where it is none that anything decodes.
    init?(_ region: FileRegion) {
        guard region.bytes(3) == [0xff, 0xd8, 0xff], let frame = JPEGFile.frame(region),
            (0xc0...0xc2).contains(frame.marker), frame.content.number(at: 0, width: 1) == 8,
            let components = frame.content.number(at: 5, width: 1), components == 1 || components == 3,
            let size = JPEGFile.size(of: frame), size.width > 0, size.height > 0
        else { return nil }
        self.region = region
        self.size = size
    }
}
