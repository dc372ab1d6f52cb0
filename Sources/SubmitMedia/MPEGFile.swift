internal import Submit

/// MPEG-1 and MPEG-2: transport streams, which AVCHD cameras write too, program streams and bare video
/// (ISO/IEC 13818-1, 13818-2, 11172-1, 11172-2).
enum MPEGFile {
    static func type(of head: Span<UInt8>, fileExtension: String) -> MediaType? {
        if let packets = packets(head) {
            let usual = packets.size == 188 ? "ts" : "m2ts"
            return .video("video/mp2t", transportExtensions.contains(fileExtension) ? fileExtension : usual)
        }
        return isProgram(head) || isVideo(head) ? .video("video/mpeg", "mpg") : nil
    }

    /// Where the packets of a transport stream begin, and the distance between them; `nil` for any other file.
    ///
    /// AVCHD and Blu-ray write four bytes of time before each packet.
    static func packets(_ head: Span<UInt8>) -> (first: Int, size: Int)? {
        if isTransport(head, first: 0, packet: 188) { return (0, 188) }
        return isTransport(head, first: 4, packet: 192) ? (4, 192) : nil
    }

    private static let transportExtensions: Set<String> = ["m2t", "m2ts", "mts", "tod", "ts"]

    private static let fewestPackets = 5

    /// Whether packets follow one another (13818-1, section 2.4.3.2).
    ///
    /// One byte marks the start of a packet. Rows of a picture or of a table may have that byte at the same distance. The packets
    /// must therefore also be numbered, start with a program table or be empty as the standard writes it.
    private static func isTransport(_ head: Span<UInt8>, first: Int, packet: Int) -> Bool {
        var (packets, following, broken, empty, hasProgramTable) = (0, 0, 0, 0, false)
        var counters: [UInt64: UInt8] = [:]
        for offset in stride(from: first, to: head.count - 187, by: packet) {
            guard head[offset] == 0x47, let stream = head.number(at: offset + 1, width: 2), stream >> 15 == 0 else {
                return false
            }
            let flags = head[offset + 3]
            // Neither adaptation field nor payload is reserved.
            guard flags & 0x30 != 0 else { return false }
            packets += 1
            let identifier = stream & 0x1fff
            if identifier == 0 { hasProgramTable = true }
            if isEmptyPacket(head, at: offset) { empty += 1 }
            guard identifier != 0x1fff, flags & 0x10 != 0 else { continue }
            let counter = flags & 0x0f
            if let last = counters.updateValue(counter, forKey: identifier) {
                if counter == (last + 1) & 0x0f { following += 1 } else { broken += 1 }
            }
        }
        return packets >= fewestPackets && following + empty + (hasProgramTable ? 1 : 0) > 4 * broken
    }

    /// Whether a packet only fills the stream (13818-1, section 2.4.3.3): the standard fixes all of its header but the number.
    ///
    /// Data that repeats those four bytes is a picture of one colour.
    private static func isEmptyPacket(_ head: Span<UInt8>, at offset: Int) -> Bool {
        guard head.number(at: offset, width: 3) == 0x471fff, head[offset + 3] & 0xf0 == 0x10 else { return false }
        return head.number(at: offset, width: 4) != head.number(at: offset + 4, width: 4)
    }

    /// A pack header and what follows it (13818-1, section 2.5.3.3; 11172-1, section 2.4.3.2).
    private static func isProgram(_ head: Span<UInt8>) -> Bool {
        guard head.number(at: 0, width: 4) == 0x1ba, let flags = head.number(at: 4, width: 1) else { return false }
        var next: Int
        if flags & 0xc4 == 0x44 {
            guard let stuffing = head.number(at: 13, width: 1), stuffing & 0xf8 == 0xf8 else { return false }
            next = 14 + Int(stuffing & 7)
        } else if flags & 0xf1 == 0x21 {
            next = 12
        } else {
            return false
        }
        guard head.number(at: next, width: 3) == 1, let code = head.number(at: next + 3, width: 1) else { return false }
        return code >= 0xb9
    }

    /// A sequence header, and a start code that may follow one (13818-2, section 6.2.2.1).
    private static func isVideo(_ head: Span<UInt8>) -> Bool {
        guard head.number(at: 0, width: 4) == 0x1b3, let size = head.number(at: 4, width: 3), size >> 12 != 0,
            size & 0xfff != 0, let rates = head.number(at: 7, width: 1), (1...14).contains(rates >> 4),
            (1...8).contains(rates & 0x0f), let marker = head.number(at: 10, width: 1), marker & 0x20 != 0
        else { return false }
        // After matrices of 64 bytes each, where it has some.
        for offset in 12..<min(12 + 160, max(12, head.count - 3)) where head.number(at: offset, width: 3) == 1 {
            return [0x00, 0xb2, 0xb5, 0xb8].contains(head[offset + 3])
        }
        return false
    }
}
