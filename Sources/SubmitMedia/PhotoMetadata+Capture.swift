internal import Submit

extension PhotoMetadata {
    /// By the best of the dates that are there, as where anyone looks for the date of capture.
    var captureTime: CaptureTime? {
        if let time = time(EXIFTag.dateTimeOriginal, photo, offset: EXIFTag.offsetTimeOriginal)
            ?? time(EXIFTag.dateTimeOriginal, image)
        {
            return time
        }
        let xmp = xmp().flatMap(XMPDates.init)
        return xmp?.original ?? xmp?.created
            ?? time(EXIFTag.dateTimeDigitized, photo, offset: EXIFTag.offsetTimeDigitized)
            ?? xmp?.digitized
            ?? time(EXIFTag.dateTime, image, offset: EXIFTag.offsetTime)
    }

    /// Offsets from UTC stand in EXIF's own directory, whichever the date is in.
    private func time(_ date: UInt64, _ directory: TIFFDirectory?, offset: UInt64? = nil) -> CaptureTime? {
        guard let text = directory?.text(date) else { return nil }
        return CaptureText.time(text, offset: offset.flatMap { photo?.text($0) })
    }
}
