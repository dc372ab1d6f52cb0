internal import Submit

extension MatroskaFile {
    /// `DateUTC` of the segment's information (RFC 9559, section 5.1.2), by the clock here.
    static func captureTime(_ file: FileRegion) -> CaptureTime? {
        guard let header = child(headerID, of: file, through: 1), header.end < file.end,
            let segment = child(0x1853_8067, of: file, through: 4),
            let information = child(0x1549_a966, of: segment, through: 4096),
            let date = child(0x4461, of: information, through: 256)?.bytes(8).span.number(at: 0, width: 8)
        else { return nil }
        // Nanoseconds since 2001, and cameras without a clock write 0. No recorder wrote this format before 1970.
        let seconds = Int64(bitPattern: date) / 1_000_000_000 + 978_307_200
        return date == 0 || seconds <= 0 ? nil : CaptureTime(secondsSince1970: seconds)
    }

    private static let headerID: UInt64 = 0x1a45_dfa3

    /// The content of the first element with this identifier among the first `most`.
    private static func child(_ id: UInt64, of parent: FileRegion, through most: Int) -> FileRegion? {
        var rest = parent
        for _ in 0..<most {
            let head = rest.bytes(12)
            guard let idWidth = width(in: head.span, at: 0), idWidth <= 4,
                let found = head.span.number(at: 0, width: idWidth), let element = length(in: head.span, at: idWidth)
            else { return nil }
            // All ones: a live recording, whose length is unknown; it goes on to the end.
            let isUnknown = element.value == (1 << (7 * (element.content - idWidth))) - 1
            let content = rest.part(from: Int64(element.content), length: isUnknown ? .max : Int64(element.value))
            if found == id { return content }
            if isUnknown { return nil }
            rest = rest.part(from: Int64(element.content) + Int64(element.value))
        }
        return nil
    }
}
