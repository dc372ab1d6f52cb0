internal import Submit

/// Messages beside the pictures (ITU-T H.264, annex D; H.265, annexes D, F and G): cameras and drones put there what they like.
struct ScannedCodedMessages {
    /// Of when a picture is shown, how it is turned, how bright and how transparent it is; and how long each is.
    private static let harmless: [Int: ClosedRange<Int>] = [
        0: 1...32, 1: 1...32, 6: 1...6, 45: 1...16, 47: 1...8, 137: 24...24, 144: 4...4, 147: 1...1, 148: 8...8,
    ]
    /// Of HEVC alone.
    private static let harmlessInHEVC: [Int: ClosedRange<Int>] = [129: 1...16, 130: 1...16, 131: 2...2, 165: 1...8]

    let allowed: Set<KeptFact>

    init(allowing allowed: Set<KeptFact>) { self.allowed = allowed }

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
            let known = Self.harmless[type] ?? (isHEVC ? Self.harmlessInHEVC[type] : nil)
            switch type {
            case 3...5:
                // Overwritten in place, as long as it was.
                guard payload.allSatisfy({ $0 == 0xff }) else {
                    return "data of a program or camera among the pictures"
                }
            // H.264 has the time of day there, which takes six bytes.
            case 1 where !isHEVC && size > 5 && !allowed.contains(.date): return "a time among the pictures"
            case _ where known.map { $0 ~= size } == true: break
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
