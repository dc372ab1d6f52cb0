/// The parts of a JPEG file that decoding takes, each exactly as long as what is in it, and none there for nothing.
struct ScannedJPEGPicture {
    private enum Coding { case sequential, progressive, lossless }

    private var coding: Coding?
    private var isHeightOpen = false
    private var height: UInt64 = 0
    private var restartInterval: UInt64 = 0
    private var tables: Set<UInt8> = []
    /// By component: the lowest bit that was sent of each coefficient; -1: none yet.
    private var sent: [UInt8: [Int]] = [:]
    private var hasLineCount = false

    private(set) var hasScan = false
    var hasRestarts: Bool { restartInterval > 0 }

    /// What is wrong with a segment; `nil`: nothing.
    mutating func trouble(with marker: UInt8, _ payload: [UInt8]) -> String? {
        switch marker {
        case 0xc4: isHuffman(payload) ? nil : "a table that cannot be read (DHT)"
        case 0xdb: isQuantization(payload) ? nil : "a table that cannot be read (DQT)"
        case 0xcc: isConditioning(payload) ? nil : "a table that cannot be read (DAC)"
        case 0xda: scanTrouble(payload)
        case 0xdc: lineCountTrouble(payload)
        case 0xdd: restartTrouble(payload)
        default: frameTrouble(marker, payload)
        }
    }

    /// What is missing; `nil`: nothing.
    var troubleAtEnd: String? {
        !hasScan ? "no picture at all" : isHeightOpen ? "a picture of an unknown height" : nil
    }

    /// A table that is sent again before a scan used it is data of another kind.
    private mutating func isNew(_ table: UInt8) -> Bool { tables.insert(table).inserted }

    private mutating func isQuantization(_ payload: [UInt8]) -> Bool {
        var place = 0
        while place < payload.count {
            let (precision, id) = (payload[place] >> 4, payload[place] & 15)
            guard precision <= 1, id <= 3, isNew(0x80 | id) else { return false }
            place += 1 + 64 * (Int(precision) + 1)
        }
        return place == payload.count && place > 0
    }

    private mutating func isHuffman(_ payload: [UInt8]) -> Bool {
        var place = 0
        while place < payload.count {
            guard payload.count - place >= 17 else { return false }
            let (kind, id) = (payload[place] >> 4, payload[place] & 15)
            guard kind <= 1, id <= 3, isNew(kind << 4 | id) else { return false }
            // A prefix code, with each symbol once: no other bytes pass for one.
            var room = 1
            var count = 0
            for length in payload[place + 1..<place + 17] {
                room = room * 2 - Int(length)
                count += Int(length)
                guard room >= 0 else { return false }
            }
            place += 17
            guard count <= 256, count <= payload.count - place else { return false }
            let symbols = payload[place..<place + count]
            guard Set(symbols).count == count, kind == 1 || symbols.allSatisfy({ $0 <= 16 }) else { return false }
            place += count
        }
        return place > 0
    }

    private mutating func isConditioning(_ payload: [UInt8]) -> Bool {
        guard payload.count % 2 == 0, !payload.isEmpty else { return false }
        for place in stride(from: 0, to: payload.count, by: 2) {
            let (id, value) = (payload[place], payload[place + 1])
            guard id >> 4 <= 1, id & 15 <= 3, isNew(0x40 | id) else { return false }
            guard id >> 4 == 1 ? 1...63 ~= value : value & 15 <= value >> 4 else { return false }
        }
        return true
    }

    private mutating func frameTrouble(_ marker: UInt8, _ payload: [UInt8]) -> String? {
        guard coding == nil else { return "a second picture" }
        coding =
            [0xc2, 0xca].contains(marker) ? .progressive : [0xc3, 0xcb].contains(marker) ? .lossless : .sequential
        guard payload.count >= 6, 1...4 ~= payload[5], payload.count == 6 + 3 * Int(payload[5]),
            2...16 ~= payload[0], let lines = payload.number(at: 1, width: 2, isBigEndian: true),
            let width = payload.number(at: 3, width: 2, isBigEndian: true), width > 0
        else { return "a picture that cannot be read (SOF)" }
        height = lines
        isHeightOpen = lines == 0
        for place in stride(from: 6, to: payload.count, by: 3) {
            let sampling = payload[place + 1]
            guard sent.updateValue(Array(repeating: -1, count: 64), forKey: payload[place]) == nil,
                1...4 ~= sampling >> 4, 1...4 ~= sampling & 15, payload[place + 2] <= 3
            else { return "a picture that cannot be read (SOF)" }
        }
        return nil
    }

    private mutating func lineCountTrouble(_ payload: [UInt8]) -> String? {
        guard let lines = payload.number(at: 0, width: 2, isBigEndian: true), payload.count == 2, lines > 0, hasScan,
            !hasLineCount, isHeightOpen || lines == height
        else { return "a part that cannot be read (DNL)" }
        hasLineCount = true
        isHeightOpen = false
        return nil
    }

    private mutating func restartTrouble(_ payload: [UInt8]) -> String? {
        guard let interval = payload.number(at: 0, width: 2, isBigEndian: true), payload.count == 2,
            isNew(0xff)
        else { return "a part that cannot be read (DRI)" }
        restartInterval = interval
        return nil
    }

    /// Each bit of each coefficient comes once: a second time would be a picture that the first one hides.
    private mutating func scanTrouble(_ payload: [UInt8]) -> String? {
        let trouble = "a picture that cannot be read (SOS)"
        hasScan = true
        tables = []
        guard let coding, let count = payload.first, 1...4 ~= count, payload.count == 4 + 2 * Int(count) else {
            return trouble
        }
        let (start, end) = (Int(payload[payload.count - 3]), Int(payload[payload.count - 2]))
        let (high, low) = (Int(payload[payload.count - 1] >> 4), Int(payload[payload.count - 1] & 15))
        let band: ClosedRange<Int>
        switch coding {
        case .sequential:
            guard start == 0, end == 63, high == 0, low == 0 else { return trouble }
            band = 0...63
        case .lossless:
            guard 1...7 ~= start, end == 0, high == 0 else { return trouble }
            band = 0...0
        case .progressive:
            guard start <= end, end <= 63, start > 0 ? count == 1 : end == 0, low <= 13 else { return trouble }
            band = start...end
        }
        for place in stride(from: 1, through: 2 * Int(count) - 1, by: 2) {
            let selectors = payload[place + 1]
            guard var bits = sent[payload[place]], selectors >> 4 <= 3, selectors & 15 <= 3 else { return trouble }
            for index in band {
                guard bits[index] < 0 ? high == 0 : high == bits[index] && low == high - 1 else {
                    return "a second picture (SOS)"
                }
                bits[index] = low
            }
            sent[payload[place]] = bits
        }
        return nil
    }
}
