internal import Submit

/// A track: what it is, how its pictures or sounds are coded, and where they are (14496-12, 8.3 to 8.8).
struct ScannedMovieTrack {
    static let references: Set<String> = ["fall", "folw", "sync", "auxl", "forc"]
    /// How long boxes of numbers are.
    private static let sizes: [String: Int] = [
        "vmhd": 12, "smhd": 8, "clef": 12, "prof": 12, "enof": 12, "load": 16,
    ]
    /// What may be in what.
    private static let nested: [String: Set<String>] = [
        "trak": ["tkhd", "edts", "tref", "tapt", "load", "udta", "mdia"], "edts": ["elst"],
        "tapt": ["clef", "prof", "enof"], "mdia": ["mdhd", "hdlr", "minf"],
        "minf": ["vmhd", "smhd", "hdlr", "dinf", "stbl"],
    ]

    private(set) var id = 0
    private(set) var samples: ScannedMovieSamples?
    private(set) var references: [Int] = []
    var entries: [ScannedMovieEntry] = []
    private var handler = ""

    init(_ track: ScannedBox, allowing allowed: Set<KeptFact>, _ found: inout FoundTraces) {
        walk(track, allowed, &found)
        if id == 0 || handler.isEmpty || samples == nil {
            found.add("a track that is neither picture nor sound, or one that cannot be read", at: track.offset)
        }
    }

    private mutating func walk(_ parent: ScannedBox, _ allowed: Set<KeptFact>, _ found: inout FoundTraces) {
        var seen: Set<String> = []
        // What a table holds depends on what stands in front of it in no order that is certain.
        let boxes = parent.children(&found).sorted { Self.rank($0) < Self.rank($1) }
        for box in boxes where !found.isFull {
            guard Self.nested[parent.type]?.contains(box.type) == true else {
                found.add(box.unknown, at: box.offset)
                continue
            }
            if !seen.insert(box.type).inserted { found.add("a part that is there twice (\(box.type))", at: box.offset) }
            switch box.type {
            case "edts", "tapt", "mdia", "minf": walk(box, allowed, &found)
            case "tkhd", "mdhd":
                ScannedMovieHeader.check(box, allowed, &found)
                if box.type == "tkhd" { id = box.number(at: box.version == 1 ? 20 : 12, width: 4) ?? 0 }
            case "hdlr" where parent.type == "mdia": handler = box.checkHandler(["vide", "soun"], &found)
            case "hdlr": _ = box.checkHandler(["url ", "alis"], &found)
            case "dinf": box.checkDataReferences(&found)
            case "elst":
                let size = box.version == 1 ? 20 : 12
                let entries = box.number(at: 4, width: 4) ?? .max
                if box.version > 1 || box.flags != 0 || entries > 1 << 16 || !box.fits(8 + entries * size) {
                    found.add(box.unreadable, at: box.offset)
                }
            case "tref": readReferences(box, &found)
            case "udta": if !box.isZero() { found.add("what somebody says of a track (udta)", at: box.offset) }
            case "stbl": readTables(box, allowed, &found)
            default: if !box.fits(Self.sizes[box.type] ?? .max) { found.add(box.unreadable, at: box.offset) }
            }
        }
    }

    private static func rank(_ box: ScannedBox) -> Int { ["hdlr": 0, "minf": 2, "stbl": 2][box.type] ?? 1 }

    private mutating func readReferences(_ tref: ScannedBox, _ found: inout FoundTraces) {
        for box in tref.children(&found) {
            guard Self.references.contains(box.type), box.count % 4 == 0, box.count <= 256 else {
                found.add("a track that tells something (\(ScannedBoxHead.printable(box.type)))", at: box.offset)
                continue
            }
            references += stride(from: 0, to: box.count, by: 4).compactMap { box.number(at: $0, width: 4) }
        }
    }

    private mutating func readTables(_ stbl: ScannedBox, _ allowed: Set<KeptFact>, _ found: inout FoundTraces) {
        var tables: [String: ScannedBox] = [:]
        for box in stbl.children(&found) {
            switch box.type {
            case "sgpd", "sbgp": ScannedMovieSamples.checkGroups(box, &found)
            default:
                if tables.updateValue(box, forKey: box.type) != nil {
                    found.add("a part that is there twice (\(ScannedBoxHead.printable(box.type)))", at: box.offset)
                }
            }
        }
        guard let stsd = tables.removeValue(forKey: "stsd"), stsd.isZero(from: 1, to: 4), stsd.version <= 1 else {
            return found.add("a track that cannot be read", at: stbl.offset)
        }
        let boxes = stsd.children(from: 8, &found)
        if boxes.isEmpty || boxes.count > 64 || stsd.number(at: 4, width: 4) != boxes.count {
            return found.add(stsd.unreadable, at: stsd.offset)
        }
        entries = boxes.map { ScannedMovieEntry($0, handler: handler, allowing: allowed, &found) }
        samples = ScannedMovieSamples(tables, at: stbl.offset, &found)
    }
}
