internal import Submit

/// What stands in `moov` (ISO/IEC 14496-12, 8.2 to 8.8; QuickTime File Format, “Movie atoms”), with zeros where nothing is known
/// to belong to picture and sound.
struct CleanMovieHeader {
    /// A track that is kept.
    struct Track {
        var number = 0
        /// Its tables, by their names.
        var tables: [String: Range<Int>] = [:]
        var samples: [CleanMovieCodecs.Sample] = []
    }

    /// What stays of a box.
    indirect enum Rule: Sendable {
        /// So many bytes; fewer are there only where it is damaged.
        case bytes(Int)
        /// As many entries of so many bytes as the number before them says.
        case table(head: Int, width: Int)
        case boxes([String: Rule])
    }

    var bytes: [UInt8]
    private(set) var tracks: [Track] = []
    let facts: Set<KeptFact>

    init(_ bytes: [UInt8], _ facts: Set<KeptFact>) {
        self.bytes = bytes
        self.facts = facts
    }

    mutating func clean() throws(ReadingProblem) {
        let (boxes, rest) = try bytes.boxes(in: bytes.indices)
        guard !boxes.contains(where: { $0.name == "mvex" }) else { throw .damaged("it is cut into fragments") }
        guard !boxes.contains(where: { $0.name == "cmov" }) else { throw .damaged("its header is compressed") }
        clear(rest)
        var all: [(box: CleanBox<Int>, parts: [String: Range<Int>])] = []
        for box in boxes where box.name == "trak" { all.append((box, try parts(of: box.content))) }
        guard all.count <= 256 else { throw .damaged("it has too many tracks") }
        // Pictures of chapters are no part of the film.
        var chapters: Set<Int> = []
        for (_, parts) in all {
            for reference in try references(of: parts) where reference.name == "chap" {
                chapters.formUnion(numbers(in: reference.content))
            }
        }
        var kept: Set<Int> = []
        var (handlers, lost) = (Set<String>(), Set<String>())
        for (box, parts) in all {
            guard let handler = try handler(parts), let number = try number(parts), !chapters.contains(number) else {
                free(box)
                continue
            }
            guard let track = try track(number, handler, parts) else {
                lost.insert(handler)
                free(box)
                continue
            }
            handlers.insert(handler)
            kept.insert(number)
            tracks.append(track)
        }
        guard handlers.contains("vide") else { throw .damaged("it has no picture of a known kind") }
        // A film that fell silent would be another one.
        guard handlers.contains("soun") || !lost.contains("soun") else {
            throw .damaged("it has no sound of a known kind")
        }
        for box in boxes {
            switch box.name {
            case "mvhd": try cleanTimes(box.content, rates: 6, gap: 10, rest: 36, zeros: 24, last: 4)
            case "meta":
                let meta = CleanMovieMeta(bytes, box.content, facts).box(ofSize: box.whole.count)
                if let meta { bytes.replaceSubrange(box.whole, with: meta) } else { free(box) }
            case "trak":
                let parts = try bytes.boxes(in: box.content)
                // One that went has none any more.
                if bytes[box.whole.lowerBound + 4] == 0x74 {
                    clear(parts.rest)
                    try cleanTrack(parts.boxes, kept)
                }
            default: free(box)
            }
        }
    }

    // MARK: Tracks

    /// The boxes of a track that tell which one it is.
    private func parts(of range: Range<Int>) throws(ReadingProblem) -> [String: Range<Int>] {
        var parts: [String: Range<Int>] = [:]
        for box in try bytes.boxes(in: range).boxes {
            guard parts.updateValue(box.content, forKey: box.name) == nil || !["tkhd", "mdia"].contains(box.name) else {
                throw .damaged("a track has two headers")
            }
        }
        return parts
    }

    private func handler(_ parts: [String: Range<Int>]) throws(ReadingProblem) -> String? {
        guard let media = parts["mdia"], let handler = try self.parts(of: media)["hdlr"], handler.count >= 12 else {
            throw .damaged("a track has no header")
        }
        let name = name(at: handler.lowerBound + 8)
        return ["vide", "soun"].contains(name) ? name : nil
    }

    private func name(at place: Int) -> String { String(decoding: bytes[place..<place + 4], as: UTF8.self) }

    private func number(_ parts: [String: Range<Int>]) throws(ReadingProblem) -> Int? {
        guard let head = parts["tkhd"] else { throw .damaged("a track has no header") }
        return try bytes.number(bytes.number(0, 1, in: head) == 0 ? 12 : 20, 4, in: head)
    }

    private func references(of parts: [String: Range<Int>]) throws(ReadingProblem) -> [CleanBox<Int>] {
        guard let range = parts["tref"] else { return [] }
        return try bytes.boxes(in: range).boxes
    }

    private func numbers(in range: Range<Int>) -> [Int] {
        stride(from: range.lowerBound, to: range.upperBound - 3, by: 4).map { bytes.bigEndian(at: $0, width: 4) }
    }

    /// `nil` where its codec is not known, so that it goes.
    private func track(_ number: Int, _ handler: String, _ parts: [String: Range<Int>]) throws(ReadingProblem) -> Track?
    {
        guard let media = parts["mdia"], let info = try self.parts(of: media)["minf"],
            let list = try self.parts(of: info)["stbl"]
        else { throw .damaged("a track has no samples") }
        let tables = try self.parts(of: list)
        guard let entries = tables["stsd"], let data = try self.parts(of: info)["dinf"],
            let places = try self.parts(of: data)["dref"]
        else { throw .damaged("a track has no samples") }
        guard
            let samples = try CleanMovieCodecs.samples(of: bytes, entries, isPicture: handler == "vide")
        else { return nil }
        // Each place has to be this file (8.7.2).
        guard places.count >= 8 else { throw .damaged("a box is too short") }
        let known = try bytes.boxes(in: places.lowerBound + 8..<places.upperBound).boxes
        for place in known {
            guard try bytes.number(3, 1, in: place.content) & 1 == 1 else {
                throw .damaged("its sound or picture is in another file")
            }
        }
        guard samples.allSatisfy({ (1...max(1, known.count)).contains($0.place) }) else {
            throw .damaged("its sound or picture is in another file")
        }
        return Track(number: number, tables: tables, samples: samples)
    }

    /// Tracks that take each other's place, or go together.
    static let references: Set<String> = ["folw", "fall", "sync"]
    private static let aperture: Rule = .boxes(["clef": .bytes(12), "prof": .bytes(12), "enof": .bytes(12)])

    private mutating func cleanTrack(_ boxes: [CleanBox<Int>], _ kept: Set<Int>) throws(ReadingProblem) {
        for box in boxes {
            switch box.name {
            case "tkhd": try cleanTimes(box.content, rates: 0, gap: 0, rest: 52, zeros: 0, last: 0, isTrack: true)
            case "edts":
                let edits = try bytes.boxes(in: box.content)
                clear(edits.rest)
                for edit in edits.boxes {
                    if edit.name == "elst" {
                        let width = try bytes.number(0, 1, in: edit.content) == 0 ? 12 : 20
                        try keep(.table(head: 8, width: width), edit)
                    } else {
                        free(edit)
                    }
                }
            case "tapt": try keep(Self.aperture, box)
            case "tref":
                let references = try bytes.boxes(in: box.content)
                clear(references.rest)
                for reference in references.boxes {
                    let numbers = numbers(in: reference.content)
                    let isKept =
                        Self.references.contains(reference.name)
                        && numbers.count * 4 == reference.content.count && kept.isSuperset(of: numbers)
                    if !isKept { free(reference) }
                }
            case "mdia": try cleanMedia(box.content)
            default: free(box)
            }
        }
    }

    private mutating func cleanMedia(_ range: Range<Int>) throws(ReadingProblem) {
        let parts = try bytes.boxes(in: range)
        clear(parts.rest)
        for box in parts.boxes {
            switch box.name {
            case "mdhd":
                try cleanTimes(box.content, rates: 0, gap: 0, rest: 0, zeros: 0, last: 0)
                // Nobody's language: “und”.
                let place = bytes[box.content.lowerBound] == 0 ? 20 : 32
                guard box.content.count >= place + 4 else { throw .damaged("a box is too short") }
                bytes.replaceSubrange(
                    box.content.lowerBound + place..<box.content.lowerBound + place + 2, with: [0x55, 0xc4])
            case "hdlr": try keep(.bytes(12), box)
            case "minf":
                let information = try bytes.boxes(in: box.content)
                clear(information.rest)
                for box in information.boxes {
                    switch box.name {
                    case "vmhd": try keep(.bytes(12), box)
                    case "smhd": try keep(.bytes(8), box)
                    case "hdlr":
                        try keep(.bytes(12), box)
                        // What finds data in a file of one's own is known by any of these.
                        if !["url ", "alis"].contains(name(at: box.content.lowerBound + 8)) {
                            rename(at: box.content.lowerBound + 8, "alis")
                        }
                    case "dinf": try cleanPlaces(box.content)
                    case "stbl": try cleanTables(box.content)
                    default: free(box)
                    }
                }
            default: free(box)
            }
        }
    }

    private mutating func cleanPlaces(_ range: Range<Int>) throws(ReadingProblem) {
        let parts = try bytes.boxes(in: range)
        clear(parts.rest)
        for box in parts.boxes {
            guard box.name == "dref" else {
                free(box)
                continue
            }
            guard box.content.count >= 8 else { throw .damaged("a box is too short") }
            let places = try bytes.boxes(in: box.content.lowerBound + 8..<box.content.upperBound)
            clear(places.rest)
            for place in places.boxes {
                try keep(.bytes(4), place)
                if !["url ", "alis"].contains(place.name) { rename(at: place.whole.lowerBound + 4, "alis") }
            }
        }
    }

    /// 8.6 and 8.7.
    private mutating func cleanTables(_ range: Range<Int>) throws(ReadingProblem) {
        let tables: [String: Rule] = [
            "stts": .table(head: 8, width: 8), "ctts": .table(head: 8, width: 8), "stss": .table(head: 8, width: 4),
            "stps": .table(head: 8, width: 4), "stsc": .table(head: 8, width: 12), "stco": .table(head: 8, width: 4),
            "co64": .table(head: 8, width: 8),
        ]
        let parts = try bytes.boxes(in: range)
        clear(parts.rest)
        var count = 0
        for box in parts.boxes where ["stsz", "stz2"].contains(box.name) {
            count = try bytes.number(8, 4, in: box.content)
        }
        for box in parts.boxes {
            switch box.name {
            case "stsd": try CleanMovieCodecs.clean(&self, box.content)
            case "stsz":
                try keep(.bytes(12 + (bytes.number(4, 4, in: box.content) == 0 ? count * 4 : 0)), box)
            case "stz2":
                let width = try bytes.number(7, 1, in: box.content)
                try keep(.bytes(12 + (count * width + 7) / 8), box)
            case "sdtp": try keep(.bytes(min(box.content.count, 4 + count)), box)
            case "cslg": try keep(.bytes(bytes.number(0, 1, in: box.content) == 0 ? 24 : 44), box)
            case let name:
                if let rule = tables[name] { try keep(rule, box) } else { free(box) }
            }
        }
    }

    // MARK: Making zeros

    /// `mvhd`, `tkhd` and `mdhd` begin alike: when it was made and changed, a number, how long it takes.
    private mutating func cleanTimes(
        _ range: Range<Int>, rates: Int, gap: Int, rest: Int, zeros: Int, last: Int, isTrack: Bool = false
    ) throws(ReadingProblem) {
        let width = try bytes.number(0, 1, in: range) == 0 ? 4 : 8
        let start = range.lowerBound
        // A track's number is followed by four bytes that are for nothing.
        var place = 4 + 2 * width + 4 + (isTrack ? 4 : 0) + width
        let length = place + (isTrack ? 60 : rates + gap + rest + zeros + last)
        guard range.count >= length else { throw .damaged("a box is too short") }
        if !facts.contains(.date) { clear(start + 4..<start + 4 + 2 * width) }
        if isTrack {
            clear(start + place - width - 4..<start + place - width)
            clear(start + place..<start + place + 8)
            clear(start + place + 14..<start + place + 16)
            place += 8 + rest
        } else {
            place += rates
            clear(start + place..<start + place + gap)
            place += gap + rest
            clear(start + place..<start + place + zeros)
            place += zeros + last
        }
        clear(start + place..<range.upperBound)
    }

    mutating func keep(_ rule: Rule, _ box: CleanBox<Int>) throws(ReadingProblem) {
        switch rule {
        case .bytes(let count):
            guard count <= box.content.count else { throw .damaged("a box is too short") }
            clear(box.content.lowerBound + count..<box.content.upperBound)
        case .table(let head, let width):
            try keep(.bytes(head + width * bytes.number(head - 4, 4, in: box.content)), box)
        case .boxes(let rules): try keep(rules, in: box.content)
        }
    }

    mutating func keep(_ rules: [String: Rule], in range: Range<Int>) throws(ReadingProblem) {
        let (boxes, rest) = try bytes.boxes(in: range)
        clear(rest)
        for box in boxes {
            if let rule = rules[box.name] { try keep(rule, box) } else { free(box) }
        }
    }

    private mutating func rename(at place: Int, _ name: String) {
        bytes.replaceSubrange(place..<place + 4, with: Array(name.utf8))
    }

    mutating func free(_ box: CleanBox<Int>) {
        bytes.replaceSubrange(box.whole.lowerBound + 4..<box.whole.lowerBound + 8, with: Array("free".utf8))
        clear(box.content)
    }

    mutating func clear(_ range: Range<Int>) {
        if range.isEmpty { return }
        bytes.withUnsafeMutableBytes { bytes in
            _ = UnsafeMutableRawBufferPointer(rebasing: bytes[range]).initializeMemory(as: UInt8.self, repeating: 0)
        }
    }
}
