internal import Submit

/// AVI (Microsoft's “AVI RIFF File Reference”); cameras put the date into a chunk `IDIT` of its header list.
enum AVIFile {
    static func captureTime(_ file: FileRegion) -> CaptureTime? {
        guard let header = list("hdrl", in: file.part(from: 12)), let date = chunk("IDIT", in: header) else {
            return nil
        }
        let text = String(decoding: date.bytes(64), as: UTF8.self)
        return CaptureText.time(text) ?? asctime(text)
    }

    /// `Sun Aug 31 12:15:22 2003`, as C's `asctime` writes it.
    private static func asctime(_ text: String) -> CaptureTime? {
        let months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
        let words = text.split { " \n\0".contains($0) }
        guard words.count >= 5, let month = months.firstIndex(of: words[1].uppercased()), let day = Int(words[2]),
            let year = Int(words[4])
        else { return nil }
        let clock = words[3].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3 else { return nil }
        return CaptureTime(
            year: year, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2])
    }

    private static func list(_ type: String, in region: FileRegion) -> FileRegion? {
        RIFFChunks(region).first { $0.isCalled("LIST") && $0.head.span.has(Array(type.utf8), at: 8) }?.content
            .part(from: 4)
    }

    private static func chunk(_ id: String, in region: FileRegion) -> FileRegion? {
        RIFFChunks(region).first { $0.isCalled(id) }?.content
    }
}
