internal import Submit

/// H.264 and HEVC as files have it: units with their length in front (ISO/IEC 14496-15; ITU-T H.264, 7.4.1; H.265,
/// 7.4.2).
struct ScannedCodedUnits {
    /// What a unit may be.
    private enum Role {
        case picture, parameters, message, filler
        /// All of it is its head.
        case mark(length: Int64)
    }

    let isHEVC: Bool
    let lengthSize: Int
    /// Of how bright and coloured each picture is to be shown.
    let hasDolbyVision: Bool
    var messages: ScannedCodedMessages

    /// Goes through all units of a picture, which they must fill.
    mutating func check(_ picture: Range<Int64>, in data: inout ScannedCodedData) throws(SubmitFailure) {
        var place = picture.lowerBound
        let least = isHEVC ? 2 : 1
        while place < picture.upperBound, !data.found.isFull {
            let head = try data.piece(at: place, upTo: picture.upperBound, atLeast: lengthSize + 3)
            guard head.count >= lengthSize else { return data.found.add("a picture that cannot be read", at: place) }
            let length = head[..<lengthSize].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            let start = place + Int64(lengthSize)
            guard length <= picture.upperBound - start, length == 0 || length >= least else {
                return data.found.add("a picture that cannot be read", at: place)
            }
            place = start + length
            if length == 0 { continue }
            let unit = UnsafeRawBufferPointer(rebasing: head[lengthSize...].prefix(Int(min(length, 3))))
            switch role(unit) {
            case .picture: break
            case .mark(let expected):
                if length != expected { data.found.add("a mark in the picture with more in it", at: start) }
            case .parameters:
                if length > 4096 { data.found.add("a picture that cannot be read", at: start) }
            case .filler:
                let last = max(start + Int64(least), place - 1)
                let isFilled = try data.isAll(0xff, in: start + Int64(least)..<last)
                if !(try data.isAll(0x80, in: last..<place)) || !isFilled {
                    data.found.add("bytes among the pictures", at: start)
                }
            case .message:
                guard length <= 1 << 20 else { return data.found.add("a message in the pictures", at: start) }
                let bytes = try data.bytes(in: start + Int64(least)..<place)
                if let trouble = messages.trouble(in: bytes, isHEVC: isHEVC) { data.found.add(trouble, at: start) }
            case nil: data.found.add("a part of the picture that is not known to tell nothing", at: start)
            }
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
        // Of the first layer: others are pictures that few programs show.
        guard bytes.count >= 2, bytes[0] & 1 == 0, bytes[1] & 0xf8 == 0 else { return nil }
        return switch bytes[0] >> 1 {
        case 0...9, 16...21: .picture
        case 32...34: .parameters
        case 35: .mark(length: 3)
        case 36, 37: .mark(length: 2)
        case 38: .filler
        case 39, 40: .message
        case 62 where hasDolbyVision && bytes.count > 2 && bytes[2] == 0x19: .parameters
        default: nil
        }
    }

    /// A unit out of the setup of a decoder.
    private mutating func trouble(of unit: ArraySlice<UInt8>) -> String? {
        guard unit.count >= (isHEVC ? 2 : 1) else { return "a decoder's setup that cannot be read" }
        switch role(unit.prefix(3)) {
        case .parameters where unit.count <= 4096: return nil
        case .message: return messages.trouble(in: Array(unit.dropFirst(isHEVC ? 2 : 1)), isHEVC: isHEVC)
        default: return "a part of a decoder's setup that is not known to tell nothing"
        }
    }

    /// Reads `avcC` or `hvcC`; `nil`, with a trace, where something else is in it than parameters.
    init?(
        setup: ScannedBox, hasDolbyVision: Bool, messages: ScannedCodedMessages, _ found: inout FoundTraces
    ) {
        isHEVC = setup.type == "hvcC"
        self.hasDolbyVision = hasDolbyVision
        self.messages = messages
        lengthSize = 1 + ((setup.number(at: isHEVC ? 21 : 4, width: 1) ?? 0) & 3)
        var place = isHEVC ? 23 : 6
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
            for _ in 0..<(setup.number(at: 22, width: 1) ?? 0) where trouble == nil {
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

/// Messages beside the pictures (H.264, annex D; H.265, annex D): cameras and drones put there what they like.
struct ScannedCodedMessages {
    /// Of when a picture is shown, how it is cropped, hashed and turned, and how bright it is.
    private static let harmless: Set<Int> = [0, 1, 2, 6, 45, 47, 129, 130, 131, 132, 137, 144, 147, 148, 165]

    let allowed: Set<KeptFact>

    init(allowing allowed: Set<KeptFact>) { self.allowed = allowed }

    /// Whether there is nothing but FF, and zeros as they stood where bytes were escaped: whoever overwrites them in place has
    /// to leave as many escapes as there were.
    private static func isFilled(_ payload: ArraySlice<UInt8>) -> Bool {
        var rest = payload
        while let first = rest.first {
            if first == 0xff {
                rest = rest.dropFirst()
            } else if rest.starts(with: [0, 0]) {
                rest = rest.dropFirst(2)
                if rest.first == 1 { rest = rest.dropFirst() }
            } else {
                return false
            }
        }
        return true
    }

    /// - Parameter unit: what follows a unit's head.
    mutating func trouble(in unit: [UInt8], isHEVC: Bool) -> String? {
        let unreadable = "a message in the pictures that cannot be read"
        let bytes = Self.unescaped(unit)
        var rest = bytes[...]
        repeat {
            guard let type = Self.number(&rest), let size = Self.number(&rest), size <= rest.count else {
                return unreadable
            }
            let payload = rest.prefix(size)
            rest = rest.dropFirst(size)
            let isFilled = Self.isFilled(payload)
            switch type {
            case 3 where isFilled, 4 where isFilled, 5 where isFilled: break
            // Whose it was.
            case 5 where size >= 16 && Self.isFilled(payload.dropFirst(16)): break
            case 4, 5: return "data of a program or camera among the pictures"
            // H.264 has the time of day there, which takes six bytes.
            case 1 where !isHEVC && size > 5 && !allowed.contains(.date): return "a time among the pictures"
            case _ where Self.harmless.contains(type) && size <= 64: break
            default: return "a message in the pictures that is not known to tell nothing (\(type))"
            }
            if rest.first == 0x80, rest.dropFirst().isAllZero { return nil }
        } while !rest.isEmpty
        return unreadable
    }

    /// Bytes of 255 and one that is less add up.
    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
        var number = 0
        while let byte = rest.popFirst() {
            number += Int(byte)
            if byte < 255 { return number }
        }
        return nil
    }

    /// Without the 3 that follows two zeros so that they begin no unit (H.264, 7.4.1).
    private static func unescaped(_ unit: [UInt8]) -> [UInt8] {
        var (bytes, zeros) = ([UInt8](), 0)
        bytes.reserveCapacity(unit.count)
        for byte in unit {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        return bytes
    }
}
