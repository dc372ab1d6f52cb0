internal import Submit

/// Which units of a coded picture stay (ITU-T H.264, 7.4.1; H.265, 7.4.2), and what becomes of the others: units that every
/// decoder steps over, as long as they were, so that nothing moves.
struct CleanVideoUnits {
    /// What becomes of a unit.
    private enum Fate {
        case stays, goes, message
        /// It belongs to a second picture, without which nobody knows what the first one is.
        case unknown
    }

    /// A unit with messages is never as long.
    private static let mostOfMessages: Int64 = 1 << 20

    private let source: any MediaBytes
    private let keepsTimes: Bool
    private var window: [UInt8] = []
    private var windowStart: Int64 = 0
    private(set) var changes: [CleanChange] = []

    /// - Parameter keepsTimes: the time of day may stay that some cameras write beside each picture.
    init(_ source: any MediaBytes, keepsTimes: Bool) { (self.source, self.keepsTimes) = (source, keepsTimes) }

    /// Looks at a sample: units with their lengths before them (ISO/IEC 14496-15, 4.3.2).
    mutating func look(at sample: Range<Int64>, _ units: CleanCodecSettings.Units) throws(ReadingProblem) {
        var place = sample.lowerBound
        let least = units.isHEVC ? 2 : 1
        while place < sample.upperBound {
            guard sample.upperBound - place >= units.width else { throw .damaged("a picture is cut off") }
            let start = place + Int64(units.width)
            let head = try bytes(place..<min(start + 3, sample.upperBound), before: sample.upperBound)
            let length = Int64(head.bigEndian(at: 0, width: units.width))
            guard length <= sample.upperBound - start, length == 0 || length >= least else {
                throw .damaged("a picture is cut off")
            }
            let unit = start..<start + length
            place = unit.upperBound
            let first = Array(head[units.width...].prefix(Int(length)))
            guard length > 0, !isPicture(first, units) else { continue }
            for part in try parts(of: unit, before: sample.upperBound) {
                let length = part.upperBound - part.lowerBound
                guard length >= least else { throw .damaged("a picture is cut off") }
                try look(atUnit: part, units, before: sample.upperBound)
            }
        }
    }

    private mutating func look(
        atUnit unit: Range<Int64>, _ units: CleanCodecSettings.Units, before end: Int64
    ) throws(ReadingProblem) {
        let length = unit.upperBound - unit.lowerBound
        let head = try bytes(unit.lowerBound..<min(unit.lowerBound + 3, unit.upperBound), before: end)
        switch fate(of: head, length, units) {
        case .stays: break
        case .goes: overwrite(unit, units)
        case .unknown: throw .damaged("its pictures have a second layer of an unknown kind")
        case .message:
            guard length <= Self.mostOfMessages else { return overwrite(unit, units) }
            let messages = CleanVideoMessages(
                try bytes(unit, before: end), isHEVC: units.isHEVC, keepsTimes: keepsTimes)
            guard let ranges = messages.overwritten else { return overwrite(unit, units) }
            for (range, byte) in ranges {
                let place = unit.lowerBound + Int64(range.lowerBound)
                changes.append(CleanChange(range: place..<place + Int64(range.count), byte: byte))
            }
        }
    }

    private func isPicture(_ head: [UInt8], _ units: CleanCodecSettings.Units) -> Bool {
        if units.isHEVC { return head[0] < 22 << 1 && fate(of: head, 3, units) == .stays }
        return head[0] & 0x80 == 0 && [1, 2, 3, 4, 5, 19].contains(head[0] & 0x1f)
    }

    /// Some cameras put several units into one, each behind a code of its own, as streams have them (H.264, annex B).
    private mutating func parts(of unit: Range<Int64>, before end: Int64) throws(ReadingProblem) -> [Range<Int64>] {
        let bytes = try bytes(unit, before: end)
        var (parts, start, index) = ([Range<Int64>](), 0, 0)
        func add(upTo end: Int) {
            var end = end
            while end > start, bytes[end - 1] == 0 { end -= 1 }
            // Zeros at the end of the last one are its own.
            if index >= bytes.count { end = bytes.count }
            if end > start { parts.append(unit.lowerBound + Int64(start)..<unit.lowerBound + Int64(end)) }
        }
        while index + 2 < bytes.count {
            if bytes[index + 2] > 1 {
                index += 3
            } else if bytes[index + 2] == 1, bytes[index] == 0, bytes[index + 1] == 0 {
                add(upTo: index)
                (start, index) = (index + 3, index + 3)
            } else {
                index += 1
            }
        }
        index = bytes.count
        add(upTo: index)
        return parts
    }

    /// Looks at a sample that is a JPEG (ISO/IEC 10918-1, B.1.1): what applications and people say in it becomes zeros.
    mutating func look(atJPEG sample: Range<Int64>) throws(ReadingProblem) {
        var place = sample.lowerBound + 2
        while sample.upperBound - place >= 4 {
            let head = try bytes(place..<min(place + 9, sample.upperBound), before: sample.upperBound)
            guard head[0] == 0xff else { throw .damaged("a picture is cut off") }
            if head[1] == 0xff {
                place += 1
                continue
            }
            // Then the pixels follow.
            if head[1] == 0xda { return }
            let end = place + 2 + Int64(head.bigEndian(at: 2, width: 2))
            guard end >= place + 4, end <= sample.upperBound else { throw .damaged("a picture is cut off") }
            // How lines and colours are to be read stays.
            let isKept = ["JFIF\0", "AVI1", "Adobe"].contains { head[4...].starts(with: $0.utf8) } && end - place <= 20
            if 0xe0...0xef ~= head[1] || head[1] == 0xfe, !isKept {
                changes.append(CleanChange(range: place + 4..<end, byte: 0))
            }
            place = end
        }
        throw .damaged("a picture is cut off")
    }

    /// Looks at a sample of MPEG-4 video (ISO/IEC 14496-2, 6.2.2): user data goes from its code to the next one.
    mutating func look(atMPEG4 sample: Range<Int64>) throws(ReadingProblem) {
        let bytes = try source.whole(sample, of: "a picture")
        var (index, start) = (0, Int?.none)
        func end(_ index: Int) {
            guard let first = start, first < index else { return }
            changes.append(
                CleanChange(range: sample.lowerBound + Int64(first)..<sample.lowerBound + Int64(index), byte: 0xff))
        }
        while index < bytes.count {
            guard bytes[index] == 0, index + 3 < bytes.count, bytes[index + 1] == 0, bytes[index + 2] == 1 else {
                index += 1
                continue
            }
            end(index)
            start = bytes[index + 3] == 0xb2 ? index + 4 : nil
            index += 4
        }
        end(bytes.count)
    }

    private mutating func bytes(_ range: Range<Int64>, before end: Int64) throws(ReadingProblem) -> [UInt8] {
        if range.lowerBound < windowStart || range.upperBound > windowStart + Int64(window.count) {
            windowStart = range.lowerBound
            window = try source.whole(
                range.lowerBound..<max(range.upperBound, min(end, range.lowerBound + 2048)), of: "a picture")
        }
        return Array(window[Int(range.lowerBound - windowStart)..<Int(range.upperBound - windowStart)])
    }

    /// - Parameter head: its first three bytes, as far as there are.
    private func fate(of head: [UInt8], _ length: Int64, _ units: CleanCodecSettings.Units) -> Fate {
        if head[0] & 0x80 != 0 { return .goes }
        guard units.isHEVC else {
            return switch head[0] & 0x1f {
            case 1...5, 7, 8, 13, 19: .stays
            case 6: .message
            case 9: length == 2 ? .stays : .goes
            case 10, 11: length == 1 ? .stays : .goes
            // What is scaled or seen from elsewhere (annexes F and G) is another picture.
            case 15, 20, 21: .unknown
            default: .goes
            }
        }
        if !units.hasLayers, head[0] & 1 != 0 || head[1] & 0xf8 != 0 { return .goes }
        return switch head[0] >> 1 {
        case 0...9, 16...21, 32...34: .stays
        case 35: length == 3 ? .stays : .goes
        case 36, 37: length == 2 ? .stays : .goes
        case 39, 40: .message
        // How Dolby Vision shows it.
        case 62:
            units.hasBrightness && head[1] & 0xf8 == 0 && head.count > 2 && head[2] == 0x19 && length <= 4096
                ? .stays : .goes
        default: .goes
        }
    }

    /// Makes it a unit of filler (H.264, 7.3.2.7; H.265, 7.3.2.8).
    private mutating func overwrite(_ unit: Range<Int64>, _ units: CleanCodecSettings.Units) {
        let head: [UInt8] = units.isHEVC ? [38 << 1, 1] : [12]
        var place = unit.lowerBound
        for byte in head {
            changes.append(CleanChange(range: place..<place + 1, byte: byte))
            place += 1
        }
        guard place < unit.upperBound else { return }
        let last = unit.upperBound - 1
        if place < last { changes.append(CleanChange(range: place..<last, byte: 0xff)) }
        changes.append(CleanChange(range: last..<last + 1, byte: 0x80))
    }
}

/// Bytes that become one other byte.
struct CleanChange: Sendable {
    let range: Range<Int64>
    let byte: UInt8
}
