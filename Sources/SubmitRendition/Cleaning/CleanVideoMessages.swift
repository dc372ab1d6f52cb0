/// What stands in messages beside coded pictures (ITU-T H.264, annex D; H.265, annexes D and F): drones and action cameras tell
/// there where they are.
struct CleanVideoMessages {
    /// Ranges of the unit that become one other byte each; `nil`: nothing of the unit may stay.
    private(set) var overwritten: [(range: Range<Int>, byte: UInt8)]?

    /// How long those are at least and at most that stay: when a picture is buffered and shown, where one can begin, how it is
    /// turned, which colours and brightness it has, and how transparent it is.
    private static func isHarmless(_ type: Int, _ length: Int, isHEVC: Bool, keepsTimes: Bool) -> Bool {
        switch type {
        // In H.264 the time of day stands there, where there are as many bytes.
        case 1 where !isHEVC && !keepsTimes: 1...5 ~= length
        case 0, 1: 1...32 ~= length
        case 6: 1...5 ~= length
        case 45: 1...12 ~= length
        case 47: 1...5 ~= length
        case 129, 130: isHEVC && 1...16 ~= length
        case 131: isHEVC && length == 2
        case 137: length == 24
        case 144: length == 4
        case 147: length == 1
        case 148: length == 8
        case 165: isHEVC && 1...5 ~= length
        default: false
        }
    }

    /// - Parameter unit: with its head.
    init(_ unit: [UInt8], isHEVC: Bool, keepsTimes: Bool) {
        // Where the bytes are that count: a 3 behind two zeros does not (H.264, 7.4.1).
        var places: [Int] = []
        var zeros = 0
        for index in unit.indices.dropFirst(isHEVC ? 2 : 1) {
            if zeros >= 2, unit[index] == 3 {
                zeros = 0
            } else {
                places.append(index)
                zeros = unit[index] == 0 ? zeros + 1 : 0
            }
        }
        let isEscaped = places.count + (isHEVC ? 2 : 1) < unit.count
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
        var ranges: [(range: Range<Int>, byte: UInt8)] = []
        repeat {
            let head = next
            guard let type = number(), let length = number(), length <= places.count - next else { return }
            let payload = next..<next + length
            next += length
            if Self.isHarmless(type, length, isHEVC: isHEVC, keepsTimes: keepsTimes) { continue }
            // A byte that counts for two cannot be overwritten, and a name of two bytes is nobody's that is known.
            guard !isEscaped, type < 255 else { return }
            // Data of somebody, which says nothing.
            if type != 3, type != 4, type != 5 { ranges.append((places[head]..<places[head] + 1, 4)) }
            if let first = payload.first, let last = payload.last {
                ranges.append((places[first]..<places[last] + 1, 0xff))
            }
        } while next < places.count
            && !(unit[places[next]] == 0x80 && places[next...].dropFirst().allSatisfy { unit[$0] == 0 })
        // One bit ends them.
        if next < places.count { overwritten = ranges }
    }
}
