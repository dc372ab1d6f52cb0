internal import Submit

/// What stands in messages beside coded pictures (ISO/IEC 14496-10 and 23008-2, annex D): drones and action cameras tell there
/// where they are.
///
/// A message stays as long as it is, so that nothing moves: its bytes become others.
struct CleanVideoMessages {
    /// Bytes that become one other byte.
    struct Change: Sendable {
        let range: Range<Int64>
        let byte: UInt8
    }

    /// What a byte is for its unit: any, one of the three that only count together, the one behind them, which is 3 at most.
    private enum Mark { case none, stays, isOne }

    /// Of how long something is buffered and when shown, how a picture is cropped, hashed, turned, and how bright it is.
    private static let harmless: Set<Int> = [0, 1, 2, 3, 6, 45, 47, 129, 130, 131, 132, 137, 144, 147, 148, 165]

    /// A unit with messages is never as long.
    private static let most = 1 << 20

    private let source: any MediaBytes
    private var window: [UInt8] = []
    private var windowStart: Int64 = 0
    private(set) var changes: [Change] = []

    init(_ source: any MediaBytes) { self.source = source }

    /// Looks at a sample: NAL units with their lengths before them (ISO/IEC 14496-15, 4.3.2).
    mutating func look(at sample: Range<Int64>, _ units: CleanCodecSettings.Units) throws(ReadingProblem) {
        var place = sample.lowerBound
        while place < sample.upperBound {
            guard sample.upperBound - place >= units.width else { throw .damaged("a picture is cut off") }
            let head = try bytes(
                place..<min(place + Int64(units.width) + 1, sample.upperBound), before: sample.upperBound)
            let length = Int64(head.bigEndian(at: 0, width: units.width))
            let unit = place + Int64(units.width)..<place + Int64(units.width) + length
            guard unit.upperBound <= sample.upperBound else { throw .damaged("a picture is cut off") }
            place = unit.upperBound
            guard length > 0 else { continue }
            let type = units.isHEVC ? head[units.width] >> 1 & 0x3f : head[units.width] & 0x1f
            guard units.isHEVC ? type == 39 || type == 40 : type == 6 else { continue }
            guard length <= Self.most else { throw .damaged("a message beside a picture is too long") }
            try look(at: bytes(unit, before: sample.upperBound), unit.lowerBound, headLength: units.isHEVC ? 2 : 1)
        }
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
                changes.append(Change(range: place + 4..<end, byte: 0))
            }
            place = end
        }
        throw .damaged("a picture is cut off")
    }

    private mutating func bytes(_ range: Range<Int64>, before end: Int64) throws(ReadingProblem) -> [UInt8] {
        if range.lowerBound < windowStart || range.upperBound > windowStart + Int64(window.count) {
            windowStart = range.lowerBound
            window = try source.whole(
                range.lowerBound..<max(range.upperBound, min(end, range.lowerBound + 2048)), of: "a picture")
        }
        return Array(window[Int(range.lowerBound - windowStart)..<Int(range.upperBound - windowStart)])
    }

    private mutating func look(at unit: [UInt8], _ start: Int64, headLength: Int) throws(ReadingProblem) {
        // Where the bytes are that count: a 3 behind two zeros does not (ISO/IEC 14496-10, 7.4.1).
        var places: [Int] = []
        var marks = [Mark](repeating: .none, count: unit.count)
        var zeros = 0
        for index in unit.indices {
            if zeros >= 2, unit[index] == 3 {
                for mark in index - 2...index { marks[mark] = .stays }
                if index + 1 < unit.count { marks[index + 1] = .isOne }
                zeros = 0
            } else {
                if index >= headLength { places.append(index) }
                zeros = unit[index] == 0 ? zeros + 1 : 0
            }
        }
        var next = 0
        func number() -> Int? {
            var number = 0
            while next < places.count {
                let byte = unit[places[next]]
                next += 1
                number += Int(byte)
                if byte != 255 { return number }
            }
            return nil
        }
        // A message is at least two bytes, and one byte ends them.
        while places.count - next > 2 || next < places.count && unit[places[next]] != 0x80 {
            let head = next
            guard let type = number(), let length = number(), length <= places.count - next else {
                // Of no message that could be told apart from the picture anything may stay.
                change(headLength..<unit.count, of: marks, start)
                return
            }
            let payload = places[next..<next + length]
            next += length
            if Self.harmless.contains(type) { continue }
            // Whatever it was, it is data of somebody that says nothing: 4 is never taken for a byte of an escape.
            if type != 4, type != 5, type < 255, marks[places[head]] == .none {
                let place = start + Int64(places[head])
                changes.append(Change(range: place..<place + 1, byte: 4))
            }
            if let first = payload.first, let last = payload.last { change(first..<last + 1, of: marks, start) }
        }
    }

    /// Makes bytes 0xff, but for those that would count for one less or one more then: three behind two zeros, and these.
    private mutating func change(_ range: Range<Int>, of marks: [Mark], _ start: Int64) {
        var run = range.lowerBound
        func end(at index: Int) {
            if run < index {
                changes.append(Change(range: start + Int64(run)..<start + Int64(index), byte: 0xff))
            }
            run = index + 1
        }
        for index in range {
            switch marks[index] {
            case .none: break
            case .stays: end(at: index)
            case .isOne:
                end(at: index)
                changes.append(Change(range: start + Int64(index)..<start + Int64(index) + 1, byte: 1))
            }
        }
        end(at: range.upperBound)
    }
}
