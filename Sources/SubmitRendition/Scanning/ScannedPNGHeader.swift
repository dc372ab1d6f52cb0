/// What IHDR says about the pixels.
struct ScannedPNGHeader {
    private(set) var width: Int64 = 0
    private(set) var height: Int64 = 0
    private var bitsPerPixel: Int64 = 0
    private var isInterlaced = false
    private var colour: UInt8 = 0
    /// Colours of the palette.
    private var colours = 0

    var isRead: Bool { bitsPerPixel > 0 }

    mutating func read(_ payload: [UInt8]) -> Bool {
        guard let width = payload.number(at: 0, width: 4, isBigEndian: true),
            let height = payload.number(at: 4, width: 4, isBigEndian: true), 1...0x7fff_ffff ~= width,
            1...0x7fff_ffff ~= height, payload[10] == 0, payload[11] == 0, payload[12] <= 1
        else { return false }
        let (depth, colour) = (payload[8], payload[9])
        let depths: [UInt8: (Int64, Set<UInt8>)] = [
            0: (1, [1, 2, 4, 8, 16]), 2: (3, [8, 16]), 3: (1, [1, 2, 4, 8]), 4: (2, [8, 16]), 6: (4, [8, 16]),
        ]
        guard let (channels, allowed) = depths[colour], allowed.contains(depth) else { return false }
        (self.width, self.height) = (Int64(width), Int64(height))
        self.colour = colour
        bitsPerPixel = channels * Int64(depth)
        isInterlaced = payload[12] == 1
        return true
    }

    /// Whether a picture of this kind has a use for all of such a chunk.
    mutating func mayHave(_ type: String, of length: Int) -> Bool {
        let (isGray, isIndexed, hasAlpha) = (colour & 2 == 0, colour == 3, colour & 4 != 0)
        switch type {
        case "PLTE":
            colours = length / 3
            return isIndexed && length % 3 == 0 && length / 3 <= 1 << bitsPerPixel
        case "tRNS": return isIndexed ? length <= colours : !hasAlpha && length == (isGray ? 2 : 6)
        case "bKGD": return length == (isIndexed ? 1 : isGray ? 2 : 6)
        default: return length == (isGray ? 1 : 3) + (hasAlpha ? 1 : 0)
        }
    }

    /// Bytes of a frame's lines, each with its filter in front; `nil`: too many to count.
    func unpackedSize(_ width: Int64, _ height: Int64) -> Int64? {
        guard width * height <= 1 << 40 else { return nil }
        // Adam7: the first column and line of each pass, and the steps to the next.
        let passes: [(Int64, Int64, Int64, Int64)] =
            isInterlaced
            ? [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
            : [(0, 0, 1, 1)]
        return passes.reduce(0) { sum, pass in
            let columns = (width - pass.0 + pass.2 - 1) / pass.2
            let lines = (height - pass.1 + pass.3 - 1) / pass.3
            return columns > 0 && lines > 0 ? sum + lines * (1 + (columns * bitsPerPixel + 7) / 8) : sum
        }
    }
}
