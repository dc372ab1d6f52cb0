internal import Submit

/// Advanced Systems Format, which WMV is, and WMA too (“ASF Specification”, Microsoft, sections 3.1, 3.3 and 10).
enum ASFFile {
    static func type(of head: Span<UInt8>, fileExtension: String) -> MediaType? {
        guard head.has(header, at: 0), let size = head.number(at: 16, width: 8, bigEndian: false) else { return nil }
        let type = MediaType.video(
            fileExtension == "asf" ? "video/x-ms-asf" : "video/x-ms-wmv", fileExtension == "asf" ? "asf" : "wmv")
        var offset = 30
        while offset < head.count, let length = head.number(at: offset + 16, width: 8, bigEndian: false), length >= 24 {
            if head.has(streamProperties, at: offset), head.has(video, at: offset + 24) { return type }
            guard length < UInt64(head.count) else { break }
            offset += Int(length)
        }
        // What describes the streams may lie behind the beginning.
        return size > UInt64(head.count) && ["asf", "wmv"].contains(fileExtension) ? type : nil
    }

    /// `Creation Date` of the file properties (section 3.2), by the clock here.
    static func captureTime(_ file: FileRegion) -> CaptureTime? {
        guard let size = file.number(at: 16, width: 8, bigEndian: false), size < 1 << 62 else { return nil }
        let header = file.part(from: 0, length: Int64(size))
        var offset: Int64 = 30
        for _ in 0..<mostObjects {
            guard let length = header.number(at: offset + 16, width: 8, bigEndian: false), (24..<1 << 62) ~= length
            else {
                return nil
            }
            if header.bytes(at: offset, 16) == fileProperties { return creationDate(header.part(from: offset)) }
            offset += Int64(length)
        }
        return nil
    }

    private static func creationDate(_ properties: FileRegion) -> CaptureTime? {
        guard let date = properties.number(at: 48, width: 8, bigEndian: false), date < 1 << 62,
            let flags = properties.number(at: 88, width: 4, bigEndian: false)
        else { return nil }
        // The date of a recording that was not finished is not valid.
        if flags & broadcast != 0 { return nil }
        // Units of 100 ns since 1601.
        let seconds = Int64(date) / 10_000_000 - 11_644_473_600
        return seconds < firstOfFormat ? nil : CaptureTime(secondsSince1970: seconds)
    }

    /// More than a broken file should make us look at: other programs write some ten.
    private static let mostObjects = 256
    private static let broadcast: UInt64 = 1

    /// 1995: nothing wrote this format before.
    private static let firstOfFormat: Int64 = 788_918_400
    private static let fileProperties: [UInt8] = [
        0xa1, 0xdc, 0xab, 0x8c, 0x47, 0xa9, 0xcf, 0x11, 0x8e, 0xe4, 0x00, 0xc0, 0x0c, 0x20, 0x53, 0x65,
    ]
    private static let header: [UInt8] = [
        0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0x00, 0xaa, 0x00, 0x62, 0xce, 0x6c,
    ]
    private static let streamProperties: [UInt8] = [
        0x91, 0x07, 0xdc, 0xb7, 0xb7, 0xa9, 0xcf, 0x11, 0x8e, 0xe6, 0x00, 0xc0, 0x0c, 0x20, 0x53, 0x65,
    ]
    private static let video: [UInt8] = [
        0xc0, 0xef, 0x19, 0xbc, 0x4d, 0x5b, 0xcf, 0x11, 0xa8, 0xfd, 0x00, 0x80, 0x5f, 0x5c, 0x44, 0x2b,
    ]
}
