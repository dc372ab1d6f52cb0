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
        if let time = xmp?.original ?? xmp?.created { return time }
        let iptc = iptc().map(IPTCDates.init)
        if let time = iptc?.created { return time }
        let later =
            time(EXIFTag.dateTimeDigitized, photo, offset: EXIFTag.offsetTimeDigitized) ?? xmp?.digitized
            ?? iptc?.digitized ?? created() ?? time(EXIFTag.dateTime, image, offset: EXIFTag.offsetTime)
        // The day on which the photo was taken counts more than the time at which it was scanned or edited.
        guard let day = xmp?.createdDay ?? iptc?.createdDay else { return later }
        if let later, (later.year, later.month, later.day) == (day.year, day.month, day.day) { return later }
        return day
    }

    /// Offsets from UTC stand in EXIF's own directory, whichever the date is in.
    private func time(_ date: UInt64, _ directory: TIFFDirectory?, offset: UInt64? = nil) -> CaptureTime? {
        guard let text = directory?.text(date) else { return nil }
        return CaptureText.time(text, offset: offset.flatMap { photo?.text($0) })
    }
}
