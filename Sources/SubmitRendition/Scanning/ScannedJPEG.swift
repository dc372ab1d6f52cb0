internal import Submit
internal import SubmitPlatform

/// A JPEG file, marker by marker (ITU-T T.81, annex B): one picture, and what decoding it takes.
struct ScannedJPEG: ScannedFormat {
    private let source: ScannedBytes
    private let allowed: AllowedMetadata
    private(set) var found = FoundTraces()
    private var offset: Int64 = 0
    private var appsSeen: Set<UInt8> = []
    private var hasXMP = false
    private var profile = ScannedICCChunks()
    private var picture = ScannedJPEGPicture()
    /// It is one of a film's pictures, of which nothing can be cut out.
    private var isFrame = false

    init(_ source: ScannedBytes, allowing allowed: AllowedMetadata) {
        self.source = source
        self.allowed = allowed
    }

    /// The traces of one of a film's pictures.
    static func traces(inFrame bytes: [UInt8]) throws(SubmitFailure) -> FoundTraces {
        var scan = ScannedJPEG(ScannedBytes(MemoryBytes(bytes)), allowing: AllowedMetadata(facts: []))
        scan.isFrame = true
        try scan.walk()
        return scan.found
    }

    mutating func walk() throws(SubmitFailure) {
        guard try source.has([0xff, 0xd8], at: 0) else { return found.add("something that is no JPEG", at: 0) }
        offset = 2
        while !found.isFull {
            let place = offset
            guard let marker = try marker() else { return }
            switch marker {
            case 0xd9: return try end()
            case 0xd8: return found.add("a second picture", at: place)
            case 0xc0...0xc3, 0xc4, 0xc9...0xcb, 0xcc, 0xda...0xdd, 0xe0...0xef, 0xfe: break
            default: return found.add("a part that is not known to tell nothing (\(Self.name(marker)))", at: place)
            }
            guard let payload = try payload() else {
                return found.add("a part that cannot be read (\(Self.name(marker)))", at: place)
            }
            let start = offset - Int64(payload.count)
            switch marker {
            case 0xe0...0xef, 0xfe: checkApplication(marker, payload, at: start, marker: place)
            default:
                if let trouble = picture.trouble(with: marker, payload) { found.add(trouble, at: place) }
                found.add(TellingWords.tracesOfLongWords(in: payload, at: start))
            }
            if marker == 0xda, try !skipPixels() { return }
        }
    }

    private static func name(_ marker: UInt8) -> String {
        switch marker {
        case 0xc4: "DHT"
        case 0xda: "SOS"
        case 0xdb: "DQT"
        case 0xdc: "DNL"
        case 0xdd: "DRI"
        case 0xe0...0xef: "APP\(marker - 0xe0)"
        default: "0x\(String(marker, radix: 16))"
        }
    }

    /// Steps over the marker that must stand here.
    private mutating func marker() throws(SubmitFailure) -> UInt8? {
        let start = offset
        guard try source.byte(at: offset) == 0xff else {
            let isEnd = offset >= source.size
            found.add(isEnd ? "a picture without its end" : "bytes between the parts of the picture", at: offset)
            return nil
        }
        // Any number of FF may stand in front of a marker (B.1.1.2). They tell nothing but their number.
        while let byte = try source.byte(at: offset), offset - start <= 1024 {
            offset += 1
            if byte != 0xff { return byte }
        }
        found.add("bytes between the parts of the picture", at: start)
        return nil
    }

    /// Steps over a segment's length and what is in it.
    private mutating func payload() throws(SubmitFailure) -> [UInt8]? {
        guard offset + 2 <= source.size else { return nil }
        let bytes = try source.bytes(in: offset..<offset + 2)
        let length = Int64(bytes[0]) << 8 | Int64(bytes[1])
        guard length >= 2, offset + length <= source.size else { return nil }
        let payload = try source.bytes(in: offset + 2..<offset + length)
        offset += length
        return payload
    }

    private mutating func checkApplication(_ marker: UInt8, _ payload: [UInt8], at start: Int64, marker place: Int64) {
        func begins(_ text: String) -> Bool { payload.starts(with: text.utf8) }
        if isFrame, payload[...].isAllZero { return }
        if picture.hasScan { return found.add("a part after the picture began (\(Self.name(marker)))", at: place) }
        switch marker {
        case 0xe0 where begins("JFIF\0"):
            checkOnce(marker, at: place)
            checkJFIF(payload, at: place)
        // Which lines are whose (QuickTime File Format, “Motion-JPEG”).
        case 0xe0 where isFrame && begins("AVI1") && 6...16 ~= payload.count:
            if payload[4] > 2 || payload[5] != 0 { found.add("a part that cannot be read (APP0)", at: place) }
        case 0xe0 where begins("JFXX\0"): found.add("a thumbnail (JFXX)", at: place)
        case 0xe1 where begins("Exif\0\0"):
            checkOnce(marker, at: place)
            found.add(ScannedEXIF.traces(in: Array(payload.dropFirst(6)), at: start + 6, allowing: allowed))
        case 0xe1 where begins("http://ns.adobe.com/xmp/extension/"): found.add("extended XMP", at: place)
        case 0xe1 where begins("http://ns.adobe.com/xap/1.0/\0"):
            if hasXMP { found.add("a part that is there twice (XMP)", at: place) }
            hasXMP = true
            found.add(ScannedXMP.traces(in: Array(payload.dropFirst(29)), at: place, telling: allowed.words))
        case 0xe1 where begins("http://ns.adobe.com/xap/"): found.add("XMP", at: place)
        case 0xe2 where begins("ICC_PROFILE\0"): profile.add(payload, at: start, &found)
        case 0xe2 where begins("MPF\0"): found.add("a second picture (MPF)", at: place)
        case 0xed where begins("Photoshop 3.0\0"): found.add("IPTC (Photoshop)", at: place)
        case 0xee where begins("Adobe"):
            checkOnce(marker, at: place)
            // Version 100 or so, flags of a filter, none, and the transform of colours (TN 5116).
            if payload.count != 12 || payload[5] != 0 || payload[9] != 0 || payload[10] != 0 || payload[11] > 2 {
                found.add("a part that is not known to tell nothing (APP14)", at: place)
            }
        case 0xfe: found.add("a comment", at: place)
        default: found.add("a part that is not known to tell nothing (\(Self.name(marker)))", at: place)
        }
    }

    private mutating func checkOnce(_ marker: UInt8, at place: Int64) {
        if !appsSeen.insert(marker).inserted {
            found.add("a part that is there twice (\(Self.name(marker)))", at: place)
        }
    }

    private mutating func checkJFIF(_ payload: [UInt8], at place: Int64) {
        // Version, unit and density, and then the sides of a thumbnail (T.871, 10.1).
        guard payload.count >= 14, payload[5] == 1, payload[7] <= 2 else {
            return found.add("a part that cannot be read (APP0)", at: place)
        }
        if payload.count > 14 || payload[12] != 0 || payload[13] != 0 { found.add("a thumbnail (JFIF)", at: place) }
    }

    /// Steps over entropy-coded data, to the marker behind it.
    private mutating func skipPixels() throws(SubmitFailure) -> Bool {
        let start = offset
        var restart: UInt8 = 0
        // Bytes that were stepped over, and stay in the window as a word may stand across its end.
        var kept = 0
        while true {
            let window = try source.window(at: offset - Int64(kept), atLeast: kept + 2)
            var place = kept
            var isEnd = false
            while place < window.count, let base = window.baseAddress {
                guard let hit = memchr(base + place, 0xff, window.count - place) else {
                    place = window.count
                    break
                }
                place = base.distance(to: UnsafeRawPointer(hit))
                guard place + 1 < window.count else { break }
                let next = window[place + 1]
                if next == 0 {
                    place += 2
                } else if 0xd0...0xd7 ~= next, picture.hasRestarts, next & 7 == restart {
                    restart = (restart + 1) & 7
                    place += 2
                } else {
                    isEnd = true
                    break
                }
            }
            found.add(
                TellingWords.tracesOfLongWords(
                    in: UnsafeRawBufferPointer(rebasing: window[..<place]), at: offset - Int64(kept)))
            let step = place - kept
            offset += Int64(step)
            if isEnd {
                found.add(try TellingWords.tracesOfText(beforeEndOf: start..<offset, in: source))
                return true
            }
            if step == 0 {
                found.add("a picture without its end", at: offset)
                return false
            }
            kept = min(place, TellingWords.longest - 1)
        }
    }

    /// The end of the picture is the end of the file.
    private mutating func end() throws(SubmitFailure) {
        if let trouble = picture.troubleAtEnd { found.add(trouble, at: offset - 2) }
        profile.check(&found)
        guard offset < source.size else { return }
        if isFrame, try source.firstNonZero(in: offset..<source.size) == nil { return }
        let head = try source.bytes(in: offset..<min(offset + 12, source.size))
        found.add(
            head.starts(with: [0xff, 0xd8])
                ? "a second picture after the picture's end"
                : head.dropFirst(4).starts(with: "ftyp".utf8)
                    ? "a video after the picture's end" : "bytes after the picture's end", at: offset)
    }
}
