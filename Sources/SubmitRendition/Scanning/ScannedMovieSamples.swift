/// Pictures or sounds that stand in a row in the file.
struct ScannedMovieChunk {
    let offset: Int64
    let first: UInt32
    let count: UInt32
    let track: UInt16
    /// Which of the track's descriptions is theirs, from zero.
    let entry: UInt16
}

/// Where the samples of a track are (14496-12, 8.7), and when they are shown (8.6).
struct ScannedMovieSamples {
    /// More take more memory than anybody has to spare.
    private static let mostChunks = 1 << 21
    /// How long the description of a group is (8.9.3, 10.1 to 10.4; 14496-15, 8.4.8).
    private static let groupSizes = ["roll": 2, "prol": 2, "rap ": 1, "sync": 1, "tele": 1, "tscl": 20]

    private let sizes: ScannedBox
    /// In bits; 0: all have the same.
    private let sizeWidth: Int
    private let fixed: Int
    private let count: Int
    private let chunks: ScannedBox
    private let groups: ScannedBox

    init?(_ tables: [String: ScannedBox], at place: Int64, _ found: inout FoundTraces) {
        guard let sizes = tables["stsz"] ?? tables["stz2"], let chunks = tables["stco"] ?? tables["co64"],
            let groups = tables["stsc"], tables["stts"] != nil, (tables["stsz"] == nil) != (tables["stz2"] == nil),
            (tables["stco"] == nil) != (tables["co64"] == nil), let count = sizes.number(at: 8, width: 4),
            let field = sizes.number(at: 4, width: 4)
        else { return nil }
        (self.sizes, self.chunks, self.groups, self.count) = (sizes, chunks, groups, count)
        fixed = sizes.type == "stsz" ? field : 0
        sizeWidth = sizes.type == "stz2" ? field : fixed == 0 ? 32 : 0
        let isRight = sizes.isZero(to: 4) && (sizes.type == "stsz" || [4, 8, 16].contains(field))
        if !isRight || !sizes.fits(12 + (count * sizeWidth + 7) / 8) {
            found.add(sizes.unreadable, at: sizes.offset)
            return nil
        }
        for table in tables.values { check(table, &found) }
    }

    private func check(_ table: ScannedBox, _ found: inout FoundTraces) {
        // How samples depend on each other is told without a number.
        guard let entries = table.type == "sdtp" ? 0 : table.number(at: 4, width: 4) else {
            return found.add(table.unreadable, at: table.offset)
        }
        let isRight: Bool
        switch table.type {
        case "stsz", "stz2": isRight = true
        case "stts", "ctts":
            var sum = 0
            let hasAll = table.fits(8 + 8 * entries) && table.flags == 0 && table.version <= 1
            if hasAll { for index in 0..<entries { sum += table.number(at: 8 + 8 * index, width: 4) ?? 0 } }
            isRight = hasAll && sum <= count
        case "cslg": isRight = table.fits(table.version == 1 ? 44 : 24) && table.version <= 1 && table.flags == 0
        case "stss", "stps":
            var (last, isRising) = (0, table.fits(8 + 4 * entries) && table.isZero(to: 4))
            // Where they are not all there, their number may be any.
            for index in 0..<(isRising ? entries : 0) where isRising {
                let sample = table.number(at: 8 + 4 * index, width: 4) ?? 0
                isRising = last < sample && sample <= count
                last = sample
            }
            isRight = isRising
        case "stsc": isRight = table.fits(8 + 12 * entries) && table.isZero(to: 4)
        case "stco": isRight = table.fits(8 + 4 * entries) && table.isZero(to: 4)
        case "co64": isRight = table.fits(8 + 8 * entries) && table.isZero(to: 4)
        case "sdtp": isRight = (table.count < 4 + count || table.fits(4 + count)) && table.isZero(to: 4)
        default: return found.add(table.unknown, at: table.offset)
        }
        if !isRight { found.add("a table that does not fit the film (\(table.type))", at: table.offset) }
    }

    /// What samples have in common: how far to roll, which are keys, which are layers; each of few numbers (8.9).
    static func checkGroups(_ box: ScannedBox, _ found: inout FoundTraces) {
        let type = String(decoding: box.content.dropFirst(4).prefix(4), as: UTF8.self)
        let isDescription = box.type == "sgpd"
        // Version 0 says not how long an entry is, and version 2 which one is meant where nothing is said.
        let place = (isDescription ? [0: 8, 1: 12, 2: 16] : [0: 8, 1: 12])[box.version]
        let size = isDescription ? groupSizes[type] : 8
        let isSaid = !isDescription || box.version == 0 || box.number(at: 8, width: 4) == size
        guard let place, let size, groupSizes[type] != nil, box.flags == 0, isSaid,
            let entries = box.number(at: place, width: 4), box.count == place + 4 + entries * size,
            !isDescription || entries <= 64
        else { return found.add(box.unknown, at: box.offset) }
    }

    func size(of sample: Int) -> Int? {
        switch sizeWidth {
        case 0: return fixed
        case 4:
            guard let pair = sizes.number(at: 12 + sample / 2, width: 1) else { return nil }
            return sample % 2 == 0 ? pair >> 4 : pair & 15
        default: return sizes.number(at: 12 + sample * sizeWidth / 8, width: sizeWidth / 8)
        }
    }

    /// How long a chunk is whose samples nobody looks into; `nil`: longer than any file.
    func length(of chunk: ScannedMovieChunk, _ entry: ScannedMovieEntry) -> Int? {
        if sizeWidth == 0 {
            // QuickTime counts sound by its moments, and says 1 for their size (“Sound sample descriptions”).
            let (bytes, moments) = fixed == 1 || entry.isPlain ? entry.packet ?? (fixed, 1) : (fixed, 1)
            if moments == 0 { return nil }
            let (length, isTooLong) = Int(chunk.count).multipliedReportingOverflow(by: bytes)
            return isTooLong ? nil : length / moments
        }
        var length = 0
        for sample in Int(chunk.first)..<Int(chunk.first) + Int(chunk.count) {
            guard let size = size(of: sample) else { return nil }
            length += size
        }
        return length
    }

    func addChunks(
        to list: inout [ScannedMovieChunk], track: Int, entries: Int, _ found: inout FoundTraces
    ) {
        let wrong = "a table that does not fit the film (stsc)"
        let width = chunks.type == "stco" ? 4 : 8
        let total = chunks.number(at: 4, width: 4) ?? 0
        let rows = groups.number(at: 4, width: 4) ?? 0
        guard chunks.fits(8 + total * width), groups.fits(8 + rows * 12), total + list.count <= Self.mostChunks
        else { return found.add("more parts than can be checked", at: chunks.offset) }
        list.reserveCapacity(list.count + total)
        var first = 0
        for row in 0..<rows {
            guard let from = groups.number(at: 8 + row * 12, width: 4),
                let each = groups.number(at: 12 + row * 12, width: 4),
                let entry = groups.number(at: 16 + row * 12, width: 4),
                let next = row + 1 < rows ? groups.number(at: 20 + row * 12, width: 4) : total + 1,
                from < next, next <= total + 1, row > 0 || from == 1, 1...max(1, entries) ~= entry
            else { return found.add(wrong, at: groups.offset) }
            for chunk in from..<next {
                // The last one may be said to have more than there are.
                let isThere = each <= count - first || chunk == total && first < count
                guard let offset = chunks.number(at: 8 + (chunk - 1) * width, width: width), isThere
                else { return found.add(wrong, at: groups.offset) }
                let each = min(each, count - first)
                list.append(
                    ScannedMovieChunk(
                        offset: Int64(offset), first: UInt32(first), count: UInt32(each), track: UInt16(track),
                        entry: UInt16(entry - 1)))
                first += each
            }
        }
        if first != count || (total > 0 && rows == 0) { found.add(wrong, at: groups.offset) }
    }
}
