internal import Submit

/// AVI (Microsoft's “AVI RIFF File Reference”); cameras put the date into a chunk `IDIT` of its header list.
enum AVIFile {
    static func captureTime(_ file: FileRegion) -> CaptureTime? {
        guard let header = list("hdrl", in: file.part(from: 12)), let date = chunk("IDIT", in: header) else {
            return nil
        }
        let text = String(decoding: date.bytes(64), as: UTF8.self)
        return CaptureText.time(text) ?? CaptureText.timeWithNamedMonth(text)
    }

    private static func list(_ type: String, in region: FileRegion) -> FileRegion? {
        RIFFChunks(region).first { $0.isCalled("LIST") && $0.head.span.has(Array(type.utf8), at: 8) }?.content
            .part(from: 4)
    }

    private static func chunk(_ id: String, in region: FileRegion) -> FileRegion? {
        RIFFChunks(region).first { $0.isCalled(id) }?.content
    }
}
