internal import Submit
internal import SubmitPlatform

/// Canon's CRW, a heap of records.
enum CanonOldRawFile {
    /// By the camera's clock, in seconds since 1970 began there.
    static func captureTime(_ file: FileRegion) -> CaptureTime? {
        guard let properties = CanonHeap(file)?.heap(imageProperties), let time = properties.record(timeStamp),
            let seconds = properties.number(in: time, at: 0, width: 4), seconds > 0
        else { return nil }
        return CaptureText.time(cameraSeconds: Int64(seconds))
    }

    static func pictures(_ file: FileRegion) -> RAWPictures {
        var pictures = RAWPictures(jpegs: [], whole: nil, orientation: 1)
        guard let heap = CanonHeap(file) else { return pictures }
        pictures.jpegs = [jpgFromRaw, thumbnail].compactMap(heap.record)
        if let properties = heap.heap(imageProperties), let information = properties.record(imageInformation) {
            pictures.whole = PixelSize(
                information, at: 0, width: 4, bigEndian: file.number(at: 0, width: 2) == 0x4d4d)
            // Degrees, clockwise.
            let turned: [Int64: Int] = [90: 6, 180: 3, 270: 8]
            pictures.orientation = properties.number(in: information, at: 12, width: 4).flatMap { turned[$0] } ?? 1
        }
        return pictures
    }

    /// The format has none; what is told in its own ways besides exposure.
    static func exif(_ file: FileRegion) -> RAWEXIF {
        var exif = RAWEXIF()
        let orientation = pictures(file).orientation
        if orientation > 1 { exif.image[EXIFTag.orientation] = .short(orientation) }
        if let time = captureTime(file) { exif.photo[EXIFTag.dateTimeOriginal] = .text(text(time)) }
        // Two texts, one behind the other.
        if let names = CanonHeap(file)?.heap(imageProperties)?.heap(cameraObject)?.record(makeModel)?.bytes(64) {
            let names = names.split(separator: 0).prefix(2).map { String(decoding: $0, as: UTF8.self) }
            if names.count == 2 {
                exif.image[EXIFTag.make] = .text(names[0])
                exif.image[EXIFTag.model] = .text(names[1])
            }
        }
        return exif
    }

    private static func text(_ time: CaptureTime) -> String {
        func digits(_ number: Int, _ count: Int) -> String {
            String(repeating: "0", count: max(0, count - String(number).count)) + String(number)
        }
        let date = [digits(time.year, 4), digits(time.month, 2), digits(time.day, 2)].joined(separator: ":")
        let clock = [time.hour, time.minute, time.second].map { digits($0, 2) }.joined(separator: ":")
        return date + " " + clock
    }

    private static let imageProperties: Int64 = 0x300a
    private static let timeStamp: Int64 = 0x180e
    private static let imageInformation: Int64 = 0x1810
    private static let cameraObject: Int64 = 0x2807
    private static let makeModel: Int64 = 0x080a
    private static let jpgFromRaw: Int64 = 0x2007
    private static let thumbnail: Int64 = 0x2008
}
