internal import Submit
internal import SubmitPlatform

/// Canon's CRW: a heap of records, whose directories end it (“The Canon RAW (CRW) File Format”, Phil Harvey).
enum CanonOldRawFile {
    /// By the camera's clock, in seconds since 1970 began there.
    static func captureTime(_ file: FileRegion) -> CaptureTime? {
        guard let order = file.number(at: 0, width: 2) else { return nil }
        let isBigEndian = order == 0x4d4d
        func number(_ region: FileRegion, _ offset: Int64, _ width: Int) -> Int64? {
            region.number(at: offset, width: width, bigEndian: isBigEndian).map { Int64($0) }
        }
        func record(_ tag: Int64, in heap: FileRegion) -> FileRegion? {
            guard let start = number(heap, heap.length - 4, 4), let count = number(heap, start, 2) else { return nil }
            for entry in 0..<min(count, 256) {
                let place = start + 2 + entry * 10
                guard number(heap, place, 2) == tag else { continue }
                guard let length = number(heap, place + 2, 4), let offset = number(heap, place + 6, 4) else {
                    return nil
                }
                return heap.part(from: offset, length: length)
            }
            return nil
        }
        guard let start = number(file, 2, 4), let properties = record(imageProperties, in: file.part(from: start)),
            let time = record(timeStamp, in: properties), let seconds = number(time, 0, 4), seconds > 0
        else { return nil }
        var (since1970, fields) = (time_t(seconds), tm())
        guard gmtime_r(&since1970, &fields) != nil else { return nil }
        return CaptureTime(
            year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday),
            hour: Int(fields.tm_hour), minute: Int(fields.tm_min), second: Int(fields.tm_sec))
    }

    private static let imageProperties: Int64 = 0x300a
    private static let timeStamp: Int64 = 0x180e
}
