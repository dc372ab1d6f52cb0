internal import Submit

/// Where the samples of kept tracks stand (ISO/IEC 14496-12, 8.7), and what becomes of messages in them.
struct CleanMovieSamples {
    private let source: any MediaBytes
    private let data: [Range<Int64>]
    private var ranges: [Range<Int64>] = []
    private var units: CleanVideoUnits
    private static let mostChunks = 4_000_000
    private static let mostChanges = 4_000_000

    init(_ source: any MediaBytes, _ data: [Range<Int64>], keepsTimes: Bool) {
        self.source = source
        self.data = data
        units = CleanVideoUnits(source, keepsTimes: keepsTimes)
    }

    /// Of all tracks, in the order of their places, none touching another.
    ///
    /// - Throws: where two overlap: what is no picture in one could be one in the other.
    func merged() throws(ReadingProblem) -> [Range<Int64>] {
        var merged: [Range<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound < last.upperBound { throw .damaged("its samples overlap") }
            if let last = merged.last, range.lowerBound <= last.upperBound,
                // Two boxes of data touch, but for the head between them.
                data.hold(last.lowerBound..<max(last.upperBound, range.upperBound))
            {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    var changes: [CleanChange] {
        units.changes.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// How long samples are: all alike, or each.
    private struct Sizes {
        let all: Int
        let count: Int
        let width: Int
        let start: Int

        init(_ tables: [String: Range<Int>], of bytes: [UInt8]) throws(ReadingProblem) {
            if let range = tables["stsz"] {
                (all, width) = (try bytes.number(4, 4, in: range), 32)
                start = range.lowerBound + 12
                count = try bytes.number(8, 4, in: range)
                guard all > 0 || count <= (range.count - 12) / 4 else { throw .damaged("a box is too short") }
            } else if let range = tables["stz2"] {
                (all, width) = (0, try bytes.number(7, 1, in: range))
                start = range.lowerBound + 12
                count = try bytes.number(8, 4, in: range)
                guard [4, 8, 16].contains(width), count * width <= (range.count - 12) * 8 else {
                    throw .damaged("a box is too short")
                }
            } else {
                throw .damaged("a track has no samples")
            }
        }

        func size(of index: Int, in bytes: [UInt8]) -> Int {
            if all > 0 { return all }
            switch width {
            case 4: return Int(index.isMultiple(of: 2) ? bytes[start + index / 2] >> 4 : bytes[start + index / 2] & 15)
            case 8: return Int(bytes[start + index])
            case 16: return Int(bytes[start + 2 * index]) << 8 | Int(bytes[start + 2 * index + 1])
            default:
                let place = start + 4 * index
                return Int(bytes[place]) << 24 | Int(bytes[place + 1]) << 16 | Int(bytes[place + 2]) << 8
                    | Int(bytes[place + 3])
            }
        }
    }

    /// - Returns: what is used of its tables.
    mutating func add(_ track: CleanMovieHeader.Track, of bytes: [UInt8]) throws(ReadingProblem) -> CleanMovieTables {
        let sizes = try Sizes(track.tables, of: bytes)
        guard let runs = track.tables["stsc"], let places = track.tables["co64"] ?? track.tables["stco"],
            track.tables["co64"] == nil || track.tables["stco"] == nil
        else { throw .damaged("a track has no samples") }
        let width = track.tables["co64"] == nil ? 4 : 8
        let (runCount, count) = (try bytes.number(4, 4, in: runs), try bytes.number(4, 4, in: places))
        guard runCount <= (runs.count - 8) / 12, count <= (places.count - 8) / width,
            ranges.count + count <= Self.mostChunks
        else { throw .damaged("a box is too short, or it has too many parts") }
        var (run, sample, used) = (0, 0, 0)
        var total: Int64 = 0
        for chunk in 1..<count + 1 {
            // The next run begins at its chunk.
            while run < runCount, bytes.bigEndian(at: runs.lowerBound + 8 + 12 * run, width: 4) <= chunk { run += 1 }
            guard run > 0, sample < sizes.count else { break }
            let entry = runs.lowerBound + 8 + 12 * (run - 1)
            let wanted = min(bytes.bigEndian(at: entry + 4, width: 4), sizes.count - sample)
            let kind = bytes.bigEndian(at: entry + 8, width: 4) - 1
            guard track.samples.indices.contains(kind) else { throw .damaged("a track has samples of no kind") }
            let start = Int64(bytes.bigEndian(at: places.lowerBound + 8 + width * (chunk - 1), width: width))
            guard start >= 0, start <= source.size, sizes.all < 1 << 30 else {
                throw .damaged("its samples are outside of its data")
            }
            var end = start
            if sizes.all > 0 {
                // Sound that is not compressed is counted by moments, whatever size is told of them.
                end += Int64(wanted) * Int64(track.samples[kind].frame ?? sizes.all)
            } else {
                for index in sample..<sample + wanted { end += Int64(sizes.size(of: index, in: bytes)) }
            }
            (sample, used) = (sample + wanted, chunk)
            guard end > start else { continue }
            guard data.hold(start..<end) else { throw .damaged("its samples are outside of its data") }
            total += end - start
            // Those that are there several times would be looked at as often.
            guard total <= source.size else { throw .damaged("its samples overlap") }
            if let last = ranges.last, last.upperBound == start, data.hold(last.lowerBound..<end) {
                ranges[ranges.count - 1] = last.lowerBound..<end
            } else {
                ranges.append(start..<end)
            }
            try look(at: start, sample - wanted..<sample, sizes, track.samples[kind], bytes)
        }
        return CleanMovieTables(samples: sample, chunks: used)
    }

    private mutating func look(
        at start: Int64, _ samples: Range<Int>, _ sizes: Sizes, _ kind: CleanMovieCodecs.Sample, _ bytes: [UInt8]
    ) throws(ReadingProblem) {
        guard kind.isJPEG || kind.isMPEG4 || kind.units != nil else { return }
        var place = start
        for index in samples {
            let end = place + Int64(sizes.size(of: index, in: bytes))
            if let kind = kind.units { try units.look(at: place..<end, kind) }
            if kind.isJPEG, end > place { try units.look(atJPEG: place..<end) }
            if kind.isMPEG4 { try units.look(atMPEG4: place..<end) }
            guard units.changes.count <= Self.mostChanges else { throw .damaged("it has too many messages") }
            place = end
        }
    }
}
