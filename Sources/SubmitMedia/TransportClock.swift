internal import Submit

/// The camera's clock in the H.264 video of an AVCHD film: “Modified Digital Video Pack Metadata”, a message beside the pictures
/// (ITU-T H.264, annex D.1.7; ExifTool, H264.pm).
enum TransportClock {
    static func captureTime(_ file: FileRegion) -> CaptureTime? {
        video(in: file.bytes(mostBytes)).lazy.compactMap(clock).first
    }

    /// The message is in the first picture.
    private static let mostBytes = 1 << 20

    /// The content of each video stream, without the headers of its packets (ISO/IEC 13818-1, sections 2.4.3.2 and 2.4.3.6).
    private static func video(in bytes: [UInt8]) -> [[UInt8]] {
        let list = bytes.span
        let head = list.extracting(first: MediaTypeDetector.headLength)
        guard let (first, size) = MPEGFile.packets(head) else { return [] }
        var streams: [UInt64: [UInt8]] = [:]
        for start in stride(from: first, through: bytes.count - 188, by: size) {
            guard bytes[start] == 0x47, let word = list.number(at: start + 1, width: 2) else { continue }
            let (stream, flags) = (word & 0x1fff, bytes[start + 3])
            guard flags & 0x10 != 0 else { continue }
            var content = start + 4 + (flags & 0x20 == 0 ? 0 : 1 + Int(bytes[start + 4]))
            let end = start + 188
            if word & 0x4000 != 0 {
                guard content + 9 <= end, list.number(at: content, width: 3) == 1, bytes[content + 3] >> 4 == 0xe else {
                    continue
                }
                content += 9 + Int(bytes[content + 8])
                if streams[stream] == nil { streams[stream] = [] }
            }
            if content < end { streams[stream]?.append(contentsOf: bytes[content..<end]) }
        }
        return streams.sorted { $0.key < $1.key }.map(\.value)
    }

    private static let signature: [UInt8] =
        [0x17, 0xee, 0x8c, 0x60, 0xf8, 0x4d, 0x11, 0xd9, 0x8c, 0xd6, 0x08, 0x00, 0x20, 0x0c, 0x9a, 0x66]
        + Array("MDPM".utf8)

    private static func clock(_ video: [UInt8]) -> CaptureTime? {
        let list = video.span
        let starts = 0..<max(0, video.count - signature.count)
        guard let start = starts.first(where: { list[$0] == 0x17 && list.has(signature, at: $0) }) else { return nil }
        let content = unescaped(video[(start + signature.count)...].prefix(512))
        var values: [UInt8: ArraySlice<UInt8>] = [:]
        for index in 0..<Int(content.first ?? 0) where 6 + 5 * index <= content.count {
            values[content[1 + 5 * index]] = content[2 + 5 * index..<6 + 5 * index]
        }
        // A zone, then the year and the month; the day, hour, minute and second. A byte has two decimal digits.
        guard let date = values[0x18], let time = values[0x19], let zone = date.first else { return nil }
        let numbers = (date.dropFirst() + time).map {
            $0 >> 4 < 10 && $0 & 15 < 10 ? Int($0 >> 4) * 10 + Int($0 & 15) : 99
        }
        return CaptureTime(
            year: numbers[0] * 100 + numbers[1], month: numbers[2], day: numbers[3], hour: numbers[4],
            minute: numbers[5], second: numbers[6], offset: offset(zone))
    }

    /// Half hours east of UTC with their sign. `nil` for zero, which cameras without a zone write, and for summer time, which some
    /// cameras include and others don't.
    private static func offset(_ zone: UInt8) -> Int? {
        let seconds = (Int(zone >> 1 & 15) * 60 + (zone & 1 == 0 ? 0 : 30)) * 60
        return zone & 0xc0 != 0 || seconds == 0 ? nil : zone & 0x20 == 0 ? seconds : -seconds
    }

    /// Without the 3 that is written after two zeros (ITU-T H.264, section 7.4.1).
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var (result, zeros) = ([UInt8](), 0)
        for byte in bytes {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        return result
    }
}
