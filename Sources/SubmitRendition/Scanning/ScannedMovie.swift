internal import Submit

/// A QuickTime or MP4 film, box by box (ISO/IEC 14496-12 and -14; QuickTime File Format): pictures, sound, and what
/// playing them takes.
struct ScannedMovie: ScannedFormat {
    static let brands: Set<String> = [
        "qt  ", "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42", "mp71", "avc1",
        "hvc1", "hev1", "av01", "M4V ", "M4VH", "M4VP", "M4A ", "3gp4", "3gp5", "3gp6", "3gp7", "3gp8", "3gp9", "3gs6",
        "3gr6", "3ge6", "3ge7", "3ge9", "3gg6", "3gg9", "3gs7", "3gs9", "3g2a", "3g2b", "3g2c", "dby1", "MSNV",
    ]
    /// Those of one maker of cameras each.
    private static let makersBrands: Set<String> = ["CAEP", "caqv", "niko", "pana", "SDV ", "XAVC"]

    private let source: ScannedBytes
    private let allowed: Set<KeptFact>
    private(set) var found = FoundTraces()
    private var tracks: [ScannedMovieTrack] = []

    init(_ source: ScannedBytes, allowing allowed: AllowedMetadata) {
        self.source = source
        self.allowed = allowed.facts
    }

    mutating func walk() throws(SubmitFailure) {
        var ranges: [Range<Int64>] = []
        var movie: ScannedBox?
        for (index, box) in try ScannedFileBox.all(in: source, &found).enumerated() {
            let name = ScannedBoxHead.printable(box.type)
            switch box.type {
            case "ftyp" where index == 0:
                guard let read = try box.read(from: source, atMost: 264) else { fallthrough }
                read.checkBrands(allowed.contains(.camera) ? Self.brands.union(Self.makersBrands) : Self.brands, &found)
            case "moov" where movie == nil:
                movie = try box.read(from: source, atMost: 64 << 20)
                if movie == nil { return found.add("more parts than can be checked", at: box.offset) }
            case "mdat": ranges.append(box.content)
            case "moov", "ftyp": found.add("a part that is there twice or cannot be read (\(name))", at: box.offset)
            default: found.add("a part that is not known to tell nothing (\(name))", at: box.offset)
            }
        }
        guard let movie else { return found.add("no film at all", at: 0) }
        try check(movie)
        var data = ScannedCodedData(source, in: ranges)
        if !found.isFull { try checkSamples(in: &data) }
        found.add(data.found)
    }

    private mutating func check(_ movie: ScannedBox) throws(SubmitFailure) {
        var seen: Set<String> = []
        for box in movie.children(&found) where !found.isFull {
            if !seen.insert(box.type).inserted, box.type != "trak" {
                found.add("a part that is there twice (\(ScannedBoxHead.printable(box.type)))", at: box.offset)
            }
            switch box.type {
            case "mvhd": ScannedMovieHeader.check(box, allowed, &found)
            case "trak": tracks.append(ScannedMovieTrack(box, allowing: allowed, &found))
            case "meta": ScannedMovieFacts.check(box, allowed, &found)
            case "udta": if !box.isZero() { found.add("what somebody says of the film (udta)", at: box.offset) }
            default: found.add(box.unknown, at: box.offset)
            }
        }
        let ids = Set(tracks.map(\.id))
        if tracks.isEmpty || ids.count != tracks.count || tracks.count > 64 || !seen.contains("mvhd") {
            found.add("a film that cannot be read", at: movie.offset)
        }
        for track in tracks where !ids.isSuperset(of: track.references) {
            found.add("a track that is not there", at: movie.offset)
        }
    }

    private mutating func checkSamples(in data: inout ScannedCodedData) throws(SubmitFailure) {
        var chunks: [ScannedMovieChunk] = []
        for (index, track) in tracks.enumerated() {
            track.samples?.addChunks(to: &chunks, track: index, entries: track.entries.count, &found)
        }
        chunks.sort { $0.offset < $1.offset }
        for chunk in chunks where !data.found.isFull {
            let (track, entry) = (Int(chunk.track), Int(chunk.entry))
            guard let samples = tracks[track].samples else { continue }
            if case .opaque = tracks[track].entries[entry].codec {
                let length = samples.length(of: chunk, tracks[track].entries[entry])
                guard try claim(chunk.offset, length, in: &data) != nil else { return }
                continue
            }
            var offset = chunk.offset
            for sample in Int(chunk.first)..<Int(chunk.first) + Int(chunk.count) where !data.found.isFull {
                guard let part = try claim(offset, samples.size(of: sample), in: &data) else { return }
                if !part.isEmpty { try tracks[track].entries[entry].codec.check(part, in: &data) }
                offset = part.upperBound
            }
        }
        try data.finish()
    }

    /// `nil`, with a trace, where it is not within the data or was there before.
    private func claim(
        _ offset: Int64, _ length: Int?, in data: inout ScannedCodedData
    ) throws(SubmitFailure) -> Range<Int64>? {
        guard let length, offset <= source.size, length <= source.size - offset else {
            data.found.add("a picture or sound that is elsewhere", at: min(offset, source.size))
            return nil
        }
        let part = offset..<offset + Int64(length)
        if part.isEmpty { return part }
        return try data.claim(part) ? part : nil
    }
}

/// The heads of films and tracks, which tell when they were made (14496-12, 8.2.2, 8.3.2 and 8.4.2).
enum ScannedMovieHeader {
    static func check(_ box: ScannedBox, _ allowed: Set<KeptFact>, _ found: inout FoundTraces) {
        let isLong = box.version == 1
        let width = isLong ? 8 : 4
        let sizes = ["mvhd": (100, 112), "tkhd": (84, 96), "mdhd": (24, 36)][box.type] ?? (0, 0)
        guard box.version <= 1, box.fits(isLong ? sizes.1 : sizes.0), box.type == "tkhd" || box.flags == 0 else {
            return found.add(box.unreadable, at: box.offset)
        }
        if !allowed.contains(.date), !box.isZero(from: 4, to: 4 + 2 * width) {
            found.add("the time when the film was made (\(box.type))", at: box.offset)
        }
        // Behind times, numbers and duration; what is reserved, and what old players kept there.
        let rest = 4 + 2 * width + (box.type == "tkhd" ? 8 : 4) + width
        let reserved: [Range<Int>] =
            switch box.type {
            case "mvhd": [rest + 6..<rest + 16, rest + 52..<rest + 76]
            case "tkhd": [rest - width - 4..<rest - width, rest..<rest + 8, rest + 14..<rest + 16]
            default: []
            }
        for range in reserved where !box.isZero(from: range.lowerBound, to: range.upperBound) {
            found.add("bytes that belong to nothing (\(box.type))", at: box.offset)
        }
    }
}
