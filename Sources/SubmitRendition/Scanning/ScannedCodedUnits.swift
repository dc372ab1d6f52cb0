internal import Submit

/// H.264 and HEVC as files have it: units with their length in front (ISO/IEC 14496-15; ITU-T H.264, 7.4.1; H.265,
/// 7.4.2).
struct ScannedCodedUnits {
    /// What a unit may be.
    private enum Role {
        case picture, parameters, message, filler
        /// Of how bright and coloured a picture is to be shown.
        case brightness
        /// All of it is its head.
        case mark(length: Int64)
    }

    /// What a film says besides of how it is packed.
    struct Kind {
        /// Of how bright and coloured each picture is to be shown.
        var hasDolbyVision = false
        /// A second picture for the other eye (14496-15, 9).
        var hasLayers = false
    }

    let isHEVC: Bool
    let lengthSize: Int
    private let kind: Kind
    var messages: ScannedCodedMessages

    /// Goes through all units of a picture, which they must fill.
    mutating func check(_ picture: Range<Int64>, in data: inout ScannedCodedData) throws(SubmitFailure) {
        var place = picture.lowerBound
        while place < picture.upperBound, !data.found.isFull {
            let head = try data.piece(at: place, upTo: picture.upperBound, atLeast: lengthSize)
            guard head.count >= lengthSize else { return data.found.add("a picture that cannot be read", at: place) }
            let length = head[..<lengthSize].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            let start = place + Int64(lengthSize)
            guard length <= picture.upperBound - start else {
                return data.found.add("a picture that cannot be read", at: place)
            }
            place = start + length
            guard length > 0 else { continue }
            guard let parts = try parts(of: start..<place, in: &data) else {
                return data.found.add("a picture that cannot be read", at: start)
            }
            for part in parts { try checkUnit(part, in: &data) }
        }
    }

    /// A unit may be several, each behind a code that else no unit has in it (H.264, annex B); zeros may stand before it.
    private func parts(
        of unit: Range<Int64>, in data: inout ScannedCodedData
    ) throws(SubmitFailure) -> [Range<Int64>]? {
        var (parts, start, place) = ([Range<Int64>](), unit.lowerBound, unit.lowerBound)
        while place < unit.upperBound {
            let piece = try data.piece(at: place, upTo: unit.upperBound, atLeast: 3)
            guard piece.count >= 3 else { break }
            if let code = TellingWords.place(of: [0, 0, 1], in: piece) {
                let zeros = piece[..<code].reversed().prefix { $0 == 0 }.count
                let end = place + Int64(code - zeros)
                if end > start { parts.append(start..<end) }
                place += Int64(code + 3)
                start = place
                if parts.count > 4096 { return nil }
            } else {
                place += Int64(piece.count - 2)
                if place + 2 >= unit.upperBound { break }
            }
        }
        if start < unit.upperBound { parts.append(start..<unit.upperBound) }
        return parts
    }

    private mutating func checkUnit(_ range: Range<Int64>, in data: inout ScannedCodedData) throws(SubmitFailure) {
        let (start, place, least) = (range.lowerBound, range.upperBound, Int64(isHEVC ? 2 : 1))
        let length = place - start
        guard length >= least else { return data.found.add("a picture that cannot be read", at: start) }
        switch role(Array(try data.piece(at: start, upTo: place, atLeast: Int(min(3, length))).prefix(3))) {
        case .picture:
            // Whoever puts a text there and calls it a picture begins or ends with it.
            let ends = [start + least..<start + least + 32, place - 32..<place]
            for range in ends where length >= least + 32 {
                if TellingWords.isText(try data.bytes(in: range)) {
                    data.found.add("a text among the pictures", at: range.lowerBound)
                }
            }
        case .mark(let expected):
            if length != expected { data.found.add("a mark in the picture with more in it", at: start) }
        case .brightness:
            if length > 4096 { data.found.add("a picture that cannot be read", at: start) }
        case .parameters:
            guard length <= 4096 else { return data.found.add("a picture that cannot be read", at: start) }
            if !areKnown(try data.bytes(in: range)) {
                data.found.add("settings among the pictures that are not known to tell nothing", at: start)
            }
        case .filler:
            let last = max(start + least, place - 1)
            let isFilled = try data.isAll(0xff, in: start + least..<last)
            if !(try data.isAll(0x80, in: last..<place)) || !isFilled {
                data.found.add("bytes among the pictures", at: start)
            }
        case .message:
            guard length <= 1 << 20 else { return data.found.add("a message in the pictures", at: start) }
            let bytes = try data.bytes(in: start + least..<place)
            if let trouble = messages.trouble(in: bytes, isHEVC: isHEVC) { data.found.add(trouble, at: start) }
        case nil: data.found.add("a part of the picture that is not known to tell nothing", at: start)
        }
    }

    private func role(_ unit: some Collection<UInt8>) -> Role? {
        let bytes = Array(unit)
        guard bytes[0] & 0x80 == 0 else { return nil }
        if !isHEVC {
            return switch bytes[0] & 0x1f {
            case 1...5, 19: .picture
            case 6: .message
            case 7, 8, 13: .parameters
            case 9: .mark(length: 2)
            case 10, 11: .mark(length: 1)
            case 12: .filler
            default: nil
            }
        }
        // Where nothing else is said there is one layer.
        guard bytes.count >= 2, kind.hasLayers || bytes[0] & 1 == 0 && bytes[1] & 0xf8 == 0 else { return nil }
        return switch bytes[0] >> 1 {
        case 0...9, 16...21: .picture
        case 32...34: .parameters
        case 35: .mark(length: 3)
        case 36, 37: .mark(length: 2)
        case 38: .filler
        case 39, 40: .message
        case 62 where kind.hasDolbyVision && bytes[1] & 0xf8 == 0 && bytes.count > 2 && bytes[2] == 0x19: .brightness
        default: nil
        }
    }

    private func areKnown(_ unit: some Collection<UInt8>) -> Bool {
        isHEVC ? ScannedHEVCParameters.areKnown(unit) : ScannedAVCParameters.areKnown(unit)
    }

    /// A unit out of the setup of a decoder.
    private mutating func trouble(of unit: ArraySlice<UInt8>) -> String? {
        guard unit.count >= (isHEVC ? 2 : 1) else { return "a decoder's setup that cannot be read" }
        switch role(unit.prefix(3)) {
        case .parameters where unit.count <= 4096:
            return areKnown(unit) ? nil : "settings of a decoder that are not known to tell nothing"
        case .message: return messages.trouble(in: Array(unit.dropFirst(isHEVC ? 2 : 1)), isHEVC: isHEVC)
        default: return "a part of a decoder's setup that is not known to tell nothing"
        }
    }

    /// Reads `avcC`, `hvcC` or `lhvC`; `nil`, with a trace, where something else is in it than parameters.
    init?(setup: ScannedBox, _ kind: Kind, messages: ScannedCodedMessages, _ found: inout FoundTraces) {
        isHEVC = setup.type != "avcC"
        self.kind = kind
        self.messages = messages
        // Behind the size of lengths, HEVC has how many lists follow.
        let sizePlace = setup.type == "hvcC" ? 21 : 4
        lengthSize = 1 + ((setup.number(at: sizePlace, width: 1) ?? 0) & 3)
        var place = sizePlace + 2
        var trouble: String? = lengthSize == 3 || setup.version != 1 ? setup.unreadable : nil
        func readUnits(_ count: Int?, _ body: (ArraySlice<UInt8>) -> String?) {
            guard let count else { return trouble = setup.unreadable }
            for _ in 0..<count where trouble == nil {
                guard let length = setup.number(at: place, width: 2), place + 2 + length <= setup.count else {
                    return trouble = setup.unreadable
                }
                trouble = body(setup.content.dropFirst(place + 2).prefix(length))
                place += 2 + length
            }
        }
        func readByte() -> Int? {
            place += 1
            return setup.number(at: place - 1, width: 1)
        }
        var reader = self
        if isHEVC {
            for _ in 0..<(setup.number(at: sizePlace + 1, width: 1) ?? 0) where trouble == nil {
                place += 1
                let count = setup.number(at: place, width: 2)
                place += 2
                readUnits(count) { reader.trouble(of: $0) }
            }
        } else {
            readUnits(setup.number(at: 5, width: 1).map { $0 & 0x1f }) { reader.trouble(of: $0) }
            readUnits(readByte()) { reader.trouble(of: $0) }
            if trouble == nil, place < setup.count {
                // Colours and depth of the higher profiles, and what belongs to it.
                place += 3
                readUnits(readByte()) { reader.trouble(of: $0) }
            }
        }
        self.messages = reader.messages
        if trouble == nil, place > setup.count || !setup.isZero(from: place) { trouble = setup.unreadable }
        found.add(TellingWords.tracesOfLongWords(in: Array(setup.content), at: setup.start))
        if let trouble {
            found.add(trouble, at: setup.offset)
            return nil
        }
    }
}
