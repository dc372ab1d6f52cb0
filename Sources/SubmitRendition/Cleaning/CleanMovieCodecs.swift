internal import Submit

/// The codecs of a film's tracks (`stsd`: ISO/IEC 14496-12, 8.5.2; QuickTime File Format, “Sample description atoms”).
enum CleanMovieCodecs {
    /// How samples are told apart.
    struct Sample {
        /// Which of the places of data they are at.
        var place = 1
        /// `nil` where they are not made of units.
        var units: CleanCodecSettings.Units?
        var isJPEG = false
        var isMPEG4 = false
        /// Bytes of all channels at one moment, of sound that is not compressed.
        var frame: Int?
    }

    static let pictures: Set<String> = [
        "avc1", "avc3", "hvc1", "hev1", "dvh1", "dvhe", "dva1", "dvav", "av01", "mp4v", "apcn", "apch", "apcs", "apco",
        "ap4h", "ap4x", "s263", "jpeg", "vp08", "vp09",
    ]
    private static let plainSounds: Set<String> = [
        "sowt", "twos", "lpcm", "in24", "in32", "fl32", "fl64", "raw ", "NONE", "ulaw", "alaw", "ipcm", "fpcm",
    ]
    static let sounds: Set<String> = plainSounds.union([
        "mp4a", "alac", "ac-3", "ec-3", "samr", "sawb", "Opus", "fLaC", ".mp3",
    ])

    static let rules: [String: CleanMovieHeader.Rule] = [
        "colr": .bytes(10), "pasp": .bytes(8), "clap": .bytes(32), "fiel": .bytes(2), "gama": .bytes(4),
        "btrt": .bytes(12),
        "clli": .bytes(4), "mdcv": .bytes(24), "amve": .bytes(8), "SmDm": .bytes(28), "CoLL": .bytes(8),
        "dvcC": .bytes(24), "dvvC": .bytes(24), "vpcC": .bytes(12), "chrm": .bytes(1), "hfov": .bytes(4),
        "st3d": .bytes(5),
        "sv3d": .boxes(["proj": .boxes(["prhd": .bytes(16), "equi": .bytes(20), "cbmp": .bytes(12)])]),
        "vexu": .boxes([
            "eyes": .boxes([
                "stri": .bytes(5), "hero": .bytes(5), "cams": .boxes(["blin": .bytes(8)]),
                "cmfy": .boxes(["dadj": .bytes(8)]),
            ]), "proj": .boxes(["prji": .bytes(8)]), "pack": .boxes(["pkin": .bytes(8)]),
        ]),
        "d263": .bytes(7), "damr": .bytes(9), "dac3": .bytes(3), "enda": .bytes(2), "frma": .bytes(4),
        "pcmC": .bytes(6),
        "srat": .bytes(8),
    ]

    /// - Returns: `nil` where one of them is not known.
    static func samples(
        of bytes: [UInt8], _ range: Range<Int>, isPicture: Bool
    ) throws(ReadingProblem) -> [Sample]? {
        guard range.count >= 8 else { throw .damaged("a box is too short") }
        let entries = try bytes.boxes(in: range.lowerBound + 8..<range.upperBound).boxes
        guard !entries.isEmpty, entries.allSatisfy({ (isPicture ? pictures : sounds).contains($0.name) }) else {
            return nil
        }
        guard entries.count <= 1000 else { throw .damaged("it has too many parts") }
        var samples: [Sample] = []
        for entry in entries {
            var sample = Sample(place: try bytes.number(6, 2, in: entry.content))
            let boxes = try bytes.boxes(in: settings(of: bytes, range, entry)).boxes
            for box in boxes {
                guard ["avcC", "hvcC"].contains(box.name) else { continue }
                let content = Array(bytes[box.content])
                sample.units =
                    box.name == "avcC"
                    ? try CleanCodecSettings.avc(content).units : try CleanCodecSettings.hevc(content).units
                sample.units?.hasLayers = boxes.contains { $0.name == "lhvC" }
                sample.units?.hasBrightness = boxes.contains { ["dvcC", "dvvC"].contains($0.name) }
            }
            if ["avc1", "avc3", "hvc1", "hev1", "dvh1", "dvhe", "dva1", "dvav"].contains(entry.name),
                sample.units == nil
            {
                throw .damaged("its codec has no settings")
            }
            sample.isJPEG = entry.name == "jpeg"
            sample.isMPEG4 = entry.name == "mp4v"
            if plainSounds.contains(entry.name) { sample.frame = try frame(of: bytes, range, entry) }
            samples.append(sample)
        }
        return samples
    }

    /// What QuickTime puts between a sound's settings and the boxes behind them.
    private static func version(of bytes: [UInt8], _ range: Range<Int>, _ entry: CleanBox<Int>) throws(ReadingProblem)
        -> Int
    {
        // A list of version 1 is none of QuickTime's (14496-12, 12.2.3).
        try bytes.number(0, 1, in: range) == 0 ? bytes.number(8, 2, in: entry.content) : 0
    }

    private static func settings(
        of bytes: [UInt8], _ range: Range<Int>, _ entry: CleanBox<Int>
    ) throws(ReadingProblem) -> Range<Int> {
        let start: Int
        if pictures.contains(entry.name) {
            start = 78
        } else {
            switch try version(of: bytes, range, entry) {
            case 0: start = 28
            case 1: start = 44
            case 2: start = 64
            default: throw .damaged("its sound is of an unknown version")
            }
        }
        guard start <= entry.content.count else { throw .damaged("a box is too short") }
        return entry.content.lowerBound + start..<entry.content.upperBound
    }

    private static func frame(of bytes: [UInt8], _ range: Range<Int>, _ entry: CleanBox<Int>) throws(ReadingProblem)
        -> Int
    {
        let version = try version(of: bytes, range, entry)
        let frame =
            switch version {
            case 1: try bytes.number(36, 4, in: entry.content)
            case 2: try bytes.number(56, 4, in: entry.content)
            default: try bytes.number(16, 2, in: entry.content) * ((bytes.number(18, 2, in: entry.content) + 7) / 8)
            }
        // Sound of eight bits to a number is told to be of 16 there.
        let plain =
            version == 0 && ["ulaw", "alaw"].contains(entry.name) ? try bytes.number(16, 2, in: entry.content) : frame
        guard (1...4096).contains(plain) else { throw .damaged("its sound cannot be told apart") }
        return plain
    }

    static func clean(_ header: inout CleanMovieHeader, _ range: Range<Int>) throws(ReadingProblem) {
        guard range.count >= 8 else { throw .damaged("a box is too short") }
        let entries = try header.bytes.boxes(in: range.lowerBound + 8..<range.upperBound)
        header.clear(entries.rest)
        for entry in entries.boxes {
            let start = entry.content.lowerBound
            // Who wrote it; then, of pictures, by which program.
            let settings = try settings(of: header.bytes, range, entry)
            header.clear(start..<start + 6)
            header.clear(start + 10..<start + 16)
            if pictures.contains(entry.name) {
                header.clear(start + 8..<start + 10)
                // How good it was to be, and how long.
                header.clear(start + 16..<start + 24)
                header.clear(start + 36..<start + 40)
                header.clear(start + 42..<start + 74)
            }
            try clean(&header, in: settings, depth: 0)
        }
    }

    private static func clean(_ header: inout CleanMovieHeader, in range: Range<Int>, depth: Int) throws(ReadingProblem)
    {
        let (boxes, rest) = try header.bytes.boxes(in: range)
        header.clear(rest)
        for box in boxes {
            let content = Array(header.bytes[box.content])
            switch box.name {
            case "avcC": try replace(&header, box, CleanCodecSettings.avc(content).settings)
            case "hvcC": try replace(&header, box, CleanCodecSettings.hevc(content).settings)
            case "lhvC": try replace(&header, box, CleanCodecSettings.hevc(content, headLength: 5).settings)
            case "av1C": try replace(&header, box, CleanCodecSettings.av1(content))
            case "esds": try replace(&header, box, CleanCodecSettings.descriptor(content))
            case "dfLa": try replace(&header, box, CleanCodecSettings.flac(content))
            case "alac", "dec3", "dOps", "chan", "chnl":
                // Numbers, in as many bytes as there are channels for.
                guard content.count <= 1024 else { throw .damaged("its codec has settings that are none") }
            case "colr":
                guard
                    let color = CleanHEIFProperties.color(content)
                        ?? (content.starts(with: Array("nclc".utf8)) && content.count >= 10
                            ? Array(content[..<10]) : nil),
                    color.count <= content.count
                else {
                    header.free(box)
                    continue
                }
                try replace(&header, box, color)
            case "wave" where depth == 0: try clean(&header, in: box.content, depth: 1)
            case "mp4a" where depth == 1: header.clear(box.content)
            case let name:
                guard let rule = rules[name] else {
                    header.free(box)
                    continue
                }
                try header.keep(rule, box)
                // The vendor of the codec.
                if ["d263", "damr"].contains(name) {
                    header.clear(box.content.lowerBound..<box.content.lowerBound + 4)
                }
            }
        }
    }

    /// Writes a box's content anew; what is left is a box of its own where it can be, else zeros.
    private static func replace(
        _ header: inout CleanMovieHeader, _ box: CleanBox<Int>, _ content: [UInt8]
    ) throws(ReadingProblem) {
        let rest = box.content.count - content.count
        guard rest >= 0, box.content.lowerBound - box.whole.lowerBound == 8 else {
            throw .damaged("its codec has settings that are none")
        }
        let new: [UInt8] =
            rest >= 8
            ? .box(box.name, content) + .box("free", [UInt8](repeating: 0, count: rest - 8))
            : CleanHEIF.number(box.whole.count, 4) + box.name.utf8 + content + [UInt8](repeating: 0, count: rest)
        header.bytes.replaceSubrange(box.whole, with: new)
    }
}
