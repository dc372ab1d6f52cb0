internal import Submit

/// The binary formats of Netpbm, of which each begins with its numbers as text: PBM, PGM and PPM
/// (https://netpbm.sourceforge.net/doc/).
enum PortableAnymapFile {
    static func type(of head: Span<UInt8>) -> MediaType? {
        guard head.number(at: 0, width: 1) == 0x50, let kind = head.number(at: 1, width: 1),
            (0x34...0x36).contains(kind)
        else { return nil }
        // Two letters are no evidence: the size and the greatest value have to follow.
        var (offset, numbers) = (2, [Int]())
        let wanted = kind == 0x34 ? 2 : 3
        while numbers.count < wanted {
            let start = offset
            while offset < head.count, [0x20, 0x09, 0x0a, 0x0d].contains(head[offset]) || head[offset] == 0x23 {
                // A comment ends with its line.
                if head[offset] == 0x23 { while offset < head.count, head[offset] != 0x0a { offset += 1 } }
                if offset < head.count { offset += 1 }
            }
            var (number, digits) = (0, 0)
            while offset < head.count, (0x30...0x39).contains(head[offset]), digits < 8 {
                (number, digits) = (number * 10 + Int(head[offset] - 0x30), digits + 1)
                offset += 1
            }
            guard offset > start + digits, digits > 0, number > 0 else { return nil }
            numbers.append(number)
        }
        guard offset < head.count, [0x20, 0x09, 0x0a, 0x0d].contains(head[offset]),
            numbers.count == 2 || numbers[2] < 65536
        else { return nil }
        switch kind {
        case 0x34: return .photo("image/x-portable-bitmap", "pbm")
        case 0x35: return .photo("image/x-portable-graymap", "pgm")
        default: return .photo("image/x-portable-pixmap", "ppm")
        }
    }
}
