/// The tables of a track's samples (ISO/IEC 14496-12, 8.6 and 8.7), cut to what its film uses of them: what programs leave
/// behind that becomes zeros.
struct CleanMovieTables {
    /// How many samples and chunks there are to be found by them.
    let samples: Int
    let chunks: Int

    func clean(_ tables: [String: Range<Int>], in header: inout CleanMovieHeader) throws(ReadingProblem) {
        for name in ["stsz", "stz2"] {
            guard let range = tables[name] else { continue }
            set(samples, at: 8, of: range, in: &header)
            var (width, fixed) = (32, 0)
            if name == "stz2" {
                width = try header.bytes.number(7, 1, in: range)
            } else {
                fixed = try header.bytes.number(4, 4, in: range)
            }
            let size = fixed == 0 ? (samples * width + 7) / 8 : 0
            clear(range, from: 12 + size, in: &header)
            if width == 4, !samples.isMultiple(of: 2) { header.bytes[range.lowerBound + 11 + size] &= 0xf0 }
        }
        if let range = tables["sdtp"] { clear(range, from: 4 + samples, in: &header) }
        for (name, width) in [("stco", 4), ("co64", 8)] {
            guard let range = tables[name] else { continue }
            cut(range, to: chunks, width: width, in: &header)
        }
        for name in ["stts", "ctts"] {
            guard let range = tables[name] else { continue }
            try cutRuns(range, in: &header)
        }
        for name in ["stss", "stps"] {
            guard let range = tables[name] else { continue }
            var (count, last) = (0, 0)
            for index in 0..<(try header.bytes.number(4, 4, in: range)) {
                let sample = try header.bytes.number(8 + 4 * index, 4, in: range)
                guard sample > last, sample <= samples else { break }
                (count, last) = (count + 1, sample)
            }
            cut(range, to: count, width: 4, in: &header)
        }
        if let range = tables["stsc"] { try cutChunks(range, in: &header) }
    }

    /// Runs of samples that have something in common.
    private func cutRuns(_ range: Range<Int>, in header: inout CleanMovieHeader) throws(ReadingProblem) {
        var (count, left) = (0, samples)
        for index in 0..<(try header.bytes.number(4, 4, in: range)) where left > 0 {
            let run = try header.bytes.number(8 + 8 * index, 4, in: range)
            if run > left { set(left, at: 8 + 8 * index, of: range, in: &header) }
            left -= min(run, left)
            count += 1
        }
        cut(range, to: count, width: 8, in: &header)
    }

    /// Runs of chunks that have as many samples.
    private func cutChunks(_ range: Range<Int>, in header: inout CleanMovieHeader) throws(ReadingProblem) {
        var count = 0
        for index in 0..<(try header.bytes.number(4, 4, in: range)) {
            guard try header.bytes.number(8 + 12 * index, 4, in: range) <= chunks else { break }
            count += 1
        }
        cut(range, to: count, width: 12, in: &header)
    }

    private func cut(_ range: Range<Int>, to count: Int, width: Int, in header: inout CleanMovieHeader) {
        set(count, at: 4, of: range, in: &header)
        clear(range, from: 8 + count * width, in: &header)
    }

    private func set(_ number: Int, at offset: Int, of range: Range<Int>, in header: inout CleanMovieHeader) {
        let place = range.lowerBound + offset
        header.bytes.replaceSubrange(place..<place + 4, with: CleanHEIF.number(number, 4))
    }

    private func clear(_ range: Range<Int>, from offset: Int, in header: inout CleanMovieHeader) {
        if offset < range.count { header.clear(range.lowerBound + offset..<range.upperBound) }
    }
}
