/// The settings of codecs, without what else can stand in them.
enum CleanCodecSettings {
    /// How a sample is cut into NAL units.
    struct Units: Sendable {
        /// Of the number before each of them.
        let width: Int
        let isHEVC: Bool
        /// There is a second picture for the other eye.
        var hasLayers = false
        /// There is how bright it is to be shown.
        var hasBrightness = false
    }

    /// `avcC` (ISO/IEC 14496-15, 5.3.3): the parameter sets.
    static func avc(_ bytes: [UInt8]) throws(ReadingProblem) -> (settings: [UInt8], units: Units) {
        let whole = bytes.indices
        var settings = Array(bytes.prefix(5))
        var place = 5
        func sets(_ mask: Int, _ types: Set<UInt8>) throws(ReadingProblem) {
            let count = try bytes.number(place, 1, in: whole) & mask
            settings.append(bytes[place])
            place += 1
            for _ in 0..<count {
                let unit = try unit(of: bytes, at: &place)
                guard types.contains(unit[2] & 0x1f) else { throw .damaged("its codec has settings that are none") }
                settings += unit
            }
        }
        try sets(0x1f, [7, 15])
        try sets(0xff, [8])
        // High profiles have four bytes more, which many writers leave out.
        if [100, 110, 122, 144, 244, 44, 118, 128, 134, 138, 139].contains(bytes[1]), bytes.count - place >= 4 {
            settings += bytes[place..<place + 3]
            place += 3
            try sets(0xff, [13])
        }
        return (settings, Units(width: Int(bytes[4] & 3) + 1, isHEVC: false))
    }

    /// `hvcC` (ISO/IEC 14496-15, 8.3.3): the parameter sets. Cameras put messages beside them, in their own words.
    static func hevc(_ bytes: [UInt8], headLength: Int = 22) throws(ReadingProblem) -> (settings: [UInt8], units: Units)
    {
        let whole = bytes.indices
        let count = try bytes.number(headLength, 1, in: whole)
        var (arrays, kept) = ([UInt8](), 0)
        var place = headLength + 1
        for _ in 0..<count {
            let head = try bytes.number(place, 3, in: whole)
            var array = Array(bytes[place..<place + 3])
            place += 3
            for _ in 0..<head & 0xffff {
                let unit = try unit(of: bytes, at: &place)
                guard Int(unit[2] >> 1 & 0x3f) == head >> 16 & 0x3f else {
                    throw .damaged("its codec has settings that are none")
                }
                array += unit
            }
            if (32...34).contains(head >> 16 & 0x3f), head & 0xffff > 0 {
                arrays += array
                kept += 1
            }
        }
        return (
            Array(bytes.prefix(headLength)) + [UInt8(kept)] + arrays,
            Units(width: Int(bytes[headLength - 1] & 3) + 1, isHEVC: true)
        )
    }

    /// A NAL unit with its length before it.
    private static func unit(of bytes: [UInt8], at place: inout Int) throws(ReadingProblem) -> [UInt8] {
        let length = try bytes.number(place, 2, in: bytes.indices)
        guard length >= 1, length <= bytes.count - place - 2 else { throw .damaged("a box is too short") }
        defer { place += 2 + length }
        return Array(bytes[place..<place + 2 + length])
    }

    /// `av1C` (AV1 Codec ISO Media File Format Binding, 2.3): the sequence header.
    static func av1(_ bytes: [UInt8]) throws(ReadingProblem) -> [UInt8] {
        guard bytes.count >= 4 else { throw .damaged("a box is too short") }
        var settings = Array(bytes[..<4])
        var place = 4
        while place < bytes.count {
            let start = place
            let head = bytes[start]
            // Each has to tell its size (AV1 specification, 5.3).
            guard head & 0x82 == 2 else { throw .damaged("its codec has settings that are none") }
            place += head & 4 == 0 ? 1 : 2
            var (length, shift) = (0, 0)
            while true {
                guard place < bytes.count, shift <= 28 else { throw .damaged("a box is too short") }
                length |= Int(bytes[place] & 0x7f) << shift
                shift += 7
                place += 1
                if bytes[place - 1] < 0x80 { break }
            }
            guard length <= bytes.count - place else { throw .damaged("a box is too short") }
            place += length
            if head >> 3 & 15 == 1 { settings += bytes[start..<place] }
        }
        return settings
    }

    /// `esds` (ISO/IEC 14496-14, 5.6; 14496-1, 7.2.6): the decoder's settings, written anew with lengths of one byte where
    /// they fit and four where not.
    static func descriptor(_ bytes: [UInt8]) throws(ReadingProblem) -> [UInt8] {
        var place = 4
        let outer = try descriptor(3, of: bytes, at: &place, before: bytes.count)
        let flags = try bytes.number(2, 1, in: outer)
        guard flags & 0x40 == 0 else { throw .damaged("its sound or picture is in another file") }
        var inner = outer.lowerBound + 3 + (flags & 0x80 == 0 ? 0 : 2) + (flags & 0x20 == 0 ? 0 : 2)
        guard inner <= outer.upperBound else { throw .damaged("a box is too short") }
        let decoder = try descriptor(4, of: bytes, at: &inner, before: outer.upperBound)
        guard decoder.count >= 13 else { throw .damaged("a box is too short") }
        var settings = Array(bytes[decoder.prefix(13)])
        var place5 = decoder.lowerBound + 13
        if place5 < decoder.upperBound, bytes[place5] == 5 {
            let own = try descriptor(5, of: bytes, at: &place5, before: decoder.upperBound)
            let decoder = CleanSoundSettings.withoutComment(withoutUserData(Array(bytes[own])), settings[0])
            settings += [5] + length(decoder.count) + decoder
        }
        let head = Array(bytes[outer.lowerBound..<outer.lowerBound + 2])
        var content = head + [0, 4]
        content += length(settings.count) + settings + [6, 1, 2]
        return bytes[..<4] + [3] + length(content.count) + content
    }

    private static func length(_ count: Int) -> [UInt8] {
        count < 0x80
            ? [UInt8(count)] : [21, 14, 7].map { UInt8(count >> $0 & 0x7f) | 0x80 } + [UInt8(count & 0x7f)]
    }

    private static func descriptor(
        _ tag: UInt8, of bytes: [UInt8], at place: inout Int, before end: Int
    ) throws(ReadingProblem) -> Range<Int> {
        guard place < end, bytes[place] == tag else { throw .damaged("its codec has settings that are none") }
        place += 1
        var (length, count) = (0, 0)
        repeat {
            guard place < end, count < 4 else { throw .damaged("a box is too short") }
            length = length << 7 | Int(bytes[place] & 0x7f)
            count += 1
            place += 1
        } while bytes[place - 1] >= 0x80
        guard length <= end - place else { throw .damaged("a box is too short") }
        defer { place += length }
        return place..<place + length
    }

    /// The headers of MPEG-4 video (ISO/IEC 14496-2, 6.2.2): user data stands between them.
    private static func withoutUserData(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        var isUserData = false
        var index = 0
        while index < bytes.count {
            if index + 3 < bytes.count, bytes[index..<index + 3] == [0, 0, 1] {
                isUserData = bytes[index + 3] == 0xb2
                index += 4
            } else {
                if isUserData { bytes[index] = 0xff }
                index += 1
            }
        }
        return bytes
    }

    /// `dfLa` (Encapsulation of FLAC in ISO Base Media File Format, 3.3.2): the first block, which tells how to decode.
    static func flac(_ bytes: [UInt8]) throws(ReadingProblem) -> [UInt8] {
        guard bytes.count >= 42, bytes[4] & 0x7f == 0, bytes.bigEndian(at: 5, width: 3) == 34 else {
            throw .damaged("its codec has settings that are none")
        }
        return Array(bytes[..<4]) + [0x80] + Array(bytes[5..<42])
    }
}
