internal import Submit

/// AV1 as files have it: units that tell their length, the last one perhaps not (AV1 Bitstream, 5.3; AV1-ISOBMFF, 2.4).
struct ScannedCodedAV1 {
    /// Goes through all units of a picture, which they must fill.
    func check(_ picture: Range<Int64>, in data: inout ScannedCodedData) throws(SubmitFailure) {
        var place = picture.lowerBound
        while place < picture.upperBound, !data.found.isFull {
            let head = Array(try data.piece(at: place, upTo: picture.upperBound, atLeast: 11).prefix(11))
            guard let unit = Self.unit(head[...], left: picture.upperBound - place) else {
                return data.found.add("a picture that cannot be read", at: place)
            }
            let content = place + unit.start..<place + unit.end
            // What holds pixels is long, and never in memory as a whole.
            if ![3, 4, 6, 7].contains(unit.type) {
                let bytes = try data.bytes(in: content.lowerBound..<min(content.upperBound, content.lowerBound + 4096))
                if bytes.count < content.upperBound - content.lowerBound
                    || !Self.isHarmless(unit.type, bytes[...], inSetup: false)
                {
                    data.found.add("a part of the picture that is not known to tell nothing", at: place)
                }
            }
            place = content.upperBound
        }
    }

    /// Reads `av1C` (AV1-ISOBMFF, 2.3): a sequence header and perhaps how bright the picture is.
    static func checkSetup(_ setup: ScannedBox, _ found: inout FoundTraces) {
        var rest = setup.content.dropFirst(4)
        guard setup.count >= 4, setup.number(at: 0, width: 1) == 0x81 else {
            return found.add(setup.unreadable, at: setup.offset)
        }
        while !rest.isEmpty {
            guard rest.count <= 4096, let unit = unit(rest.prefix(11), left: Int64(rest.count)) else {
                return found.add(setup.unreadable, at: setup.offset)
            }
            let content = rest.prefix(Int(unit.end)).dropFirst(Int(unit.start))
            if !isHarmless(unit.type, content, inSetup: true) {
                found.add("a part of a decoder's setup that is not known to tell nothing", at: setup.offset)
            }
            rest = rest.dropFirst(Int(unit.end))
        }
    }

    private static func isHarmless(_ type: Int, _ content: ArraySlice<UInt8>, inSetup: Bool) -> Bool {
        // All ends in a bit that is set, and zeros (5.3.4).
        let used = content.prefix((content.lastIndex { $0 != 0 } ?? content.startIndex - 1) + 1 - content.startIndex)
        return switch type {
        case 1: content.count <= 64
        case 2: content.isEmpty
        // Brightness (6.7.3, 6.7.4). All other metadata is somebody's.
        case 5 where !inSetup:
            used.first == 1 && used.count == 6 && used.last == 0x80
                || used.first == 2 && used.count == 26 && used.last == 0x80
        case 15 where !inSetup: used.isEmpty || used.count == content.count && used.dropLast().isAllZero
        default: false
        }
    }

    private static func unit(
        _ head: ArraySlice<UInt8>, left: Int64
    ) -> (type: Int, start: Int64, end: Int64)? {
        guard let first = head.first, first & 0x81 == 0 else { return nil }
        var start = first & 4 == 0 ? 1 : 2
        if start == 2, head.count < 2 || head[head.startIndex + 1] & 7 != 0 { return nil }
        let type = Int(first >> 3)
        guard first & 2 != 0 else { return Int64(start) <= left ? (type, Int64(start), left) : nil }
        var length: Int64 = 0
        for index in 0..<8 {
            guard let byte = head.number(at: start, width: 1) else { return nil }
            start += 1
            length |= Int64(byte & 0x7f) << (7 * Int64(index))
            if byte & 0x80 == 0 {
                return length <= left - Int64(start) ? (type, Int64(start), Int64(start) + length) : nil
            }
        }
        return nil
    }
}
