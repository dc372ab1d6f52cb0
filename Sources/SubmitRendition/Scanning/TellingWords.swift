internal import Submit
internal import SubmitPlatform

/// The second net, and a dumb one: words that stand in metadata, wherever the parser thinks it is.
///
/// It knows nothing of formats, so that a mistake about them does not become a mistake here.
enum TellingWords {
    /// All in lower case, as the bytes are compared.
    private static let words: [(text: String, what: String)] = [
        ("gps", "the word “GPS”"), ("xmpmeta", "XMP"), ("http://ns.adobe.com", "XMP"), ("rdf:", "XMP"),
        ("8bim", "IPTC (Photoshop)"), ("ftyp", "a video or another picture (ftyp)"),
        ("mpf\0", "a second picture (MPF)"), ("location", "the word “location”"), ("latitude", "the word “latitude”"),
        ("longitude", "the word “longitude”"), ("exif", "more EXIF than is known"),
    ]

    /// Words no picture has by chance, of ten bytes and more: the longer the shortest, the faster the search.
    private static let longWords: [(text: String, what: String)] = [
        ("http://ns.adobe.com", "XMP"), ("<x:xmpmeta", "XMP"), ("GPSLatitude", "a place"), ("GPSLongitude", "a place"),
        ("Photoshop 3.0\0", "IPTC (Photoshop)"), ("Exif\0\0II*\0", "EXIF"), ("Exif\0\0MM\0*", "EXIF"),
    ]
    static let longest = 19

    private static let search = WordSearch(longWords.map(\.text))

    /// What parts that hold no pixels tell, in whatever case it is written.
    static func traces(in bytes: [UInt8], at offset: Int64) -> FoundTraces {
        var found = FoundTraces()
        let lower = bytes.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 }
        lower.withUnsafeBytes { lower in
            for word in words {
                if let place = first(word.text, in: lower) { found.add(word.what, at: offset + Int64(place)) }
            }
        }
        bytes.withUnsafeBytes { bytes in
            if let place = first([0xff, 0xd8, 0xff], in: bytes) {
                found.add("a second picture", at: offset + Int64(place))
            }
            if let place = placeOfISO6709(in: bytes) {
                found.add("a place (latitude and longitude)", at: offset + Int64(place))
            }
        }
        return found
    }

    /// What tables and other numbers tell: short words stand in them by chance.
    static func tracesOfLongWords(in bytes: [UInt8], at offset: Int64) -> FoundTraces {
        bytes.withUnsafeBytes { tracesOfLongWords(in: $0, at: offset) }
    }

    static func tracesOfLongWords(in bytes: UnsafeRawBufferPointer, at offset: Int64) -> FoundTraces {
        var found = FoundTraces()
        search.forEachCandidate(in: bytes) { place in
            for word in longWords {
                let text = UnsafeRawBufferPointer(rebasing: bytes[place...].prefix(word.text.utf8.count))
                if text.elementsEqual(word.text.utf8) {
                    found.add("\(word.what) among the pixels", at: offset + Int64(place))
                }
            }
        }
        return found
    }

    /// What stands among the pixels in plain words.
    static func traces(
        amongPixelsOf source: ScannedBytes, in range: Range<Int64>
    ) throws(SubmitFailure) -> FoundTraces {
        var found = try tracesOfText(beforeEndOf: range, in: source)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let window = try source.window(at: offset, atLeast: longest)
            let piece = UnsafeRawBufferPointer(
                rebasing: window.prefix(Int(min(Int64(window.count), range.upperBound - offset))))
            found.add(tracesOfLongWords(in: piece, at: offset))
            guard offset + Int64(piece.count) < range.upperBound else { break }
            // A word may stand across the end of this piece.
            offset += Int64(max(1, piece.count - longest + 1))
        }
        return found
    }

    /// Whether bytes have a text, in one byte a character or in two.
    static func has(_ text: [UInt8], inTextOf bytes: [UInt8]) -> Bool {
        bytes.filter { $0 != 0 }.withUnsafeBytes { first(text, in: $0) != nil }
    }

    /// Whether what holds pixels ends in text: whoever puts some behind the last pixel, where no decoder looks, ends
    /// there.
    ///
    /// Pixels end so once in ten million photos, and plain colours, which repeat the same few bytes, never.
    static func tracesOfText(
        beforeEndOf range: Range<Int64>, in source: ScannedBytes
    ) throws(SubmitFailure) -> FoundTraces {
        var found = FoundTraces()
        guard range.upperBound - range.lowerBound >= 32 else { return found }
        if isText(try source.bytes(in: range.upperBound - 32..<range.upperBound)) {
            found.add("a text behind the last pixel", at: range.upperBound - 32)
        }
        return found
    }

    /// Whether 32 bytes are a text.
    static func isText(_ bytes: [UInt8]) -> Bool {
        bytes.count == 32 && bytes.allSatisfy { 0x20...0x7e ~= $0 || 9...13 ~= $0 } && Set(bytes).count >= 10
    }

    static func place(of word: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? { first(word, in: bytes) }

    private static func first(_ word: String, in bytes: UnsafeRawBufferPointer) -> Int? {
        first(Array(word.utf8), in: bytes)
    }

    private static func first(_ word: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var place = 0
        while bytes.count - place >= word.count,
            let hit = memchr(base + place, CInt(word[0]), bytes.count - place - word.count + 1)
        {
            place = base.distance(to: UnsafeRawPointer(hit))
            if memcmp(hit, word, word.count) == 0 { return place }
            place += 1
        }
        return nil
    }

    /// Where `+35.1234+139.1234/` begins, or `+35+139/`: with a fraction or the slash at its end, so that no telephone
    /// number and no offset from UTC is one.
    private static func placeOfISO6709(in bytes: UnsafeRawBufferPointer) -> Int? {
        for start in bytes.indices where isSign(bytes[start]) {
            var index = start
            guard let latitude = number(in: bytes, &index, digits: 2...6), index < bytes.count, isSign(bytes[index]),
                let longitude = number(in: bytes, &index, digits: 3...7)
            else { continue }
            if latitude || longitude || index < bytes.count && bytes[index] == 0x2f {
                return start
            }
        }
        return nil
    }

    private static func isSign(_ byte: UInt8) -> Bool { byte == 0x2b || byte == 0x2d }

    /// Steps over a sign and so many digits, and tells whether they have a fraction.
    private static func number(
        in bytes: UnsafeRawBufferPointer, _ index: inout Int, digits: ClosedRange<Int>
    ) -> Bool? {
        index += 1
        let begin = index
        // One more than may be, to see that there are too many.
        while index < bytes.count, index - begin <= digits.upperBound, 0x30...0x39 ~= bytes[index] { index += 1 }
        guard digits ~= index - begin else { return nil }
        guard index + 1 < bytes.count, bytes[index] == 0x2e, 0x30...0x39 ~= bytes[index + 1] else { return false }
        index += 1
        let end = min(bytes.count, index + 20)
        while index < end, 0x30...0x39 ~= bytes[index] { index += 1 }
        return true
    }
}

/// Looks for all words at once, in steps of almost their length (Wu and Manber 1994).
private struct WordSearch {
    /// Of each word, as many bytes as the shortest has.
    private let length: Int
    /// By two bytes: how far it is at least to the end of a word's beginning.
    private var steps: [UInt8]

    /// - Parameter words: each of three bytes at least, and fewer than 256.
    init(_ words: [String]) {
        length = words.map(\.utf8.count).min() ?? 3
        steps = [UInt8](repeating: UInt8(length - 1), count: 4096)
        for word in words.map({ Array($0.utf8) }) {
            for index in 0..<length - 1 {
                let pair = Self.hash(UInt16(word[index]) | UInt16(word[index + 1]) << 8)
                steps[pair] = min(steps[pair], UInt8(length - 2 - index))
            }
        }
    }

    private static func hash(_ pair: UInt16) -> Int { Int((pair ^ pair >> 4) & 4095) }

    /// Where a word may begin: all words do at one of these places.
    func forEachCandidate(in bytes: UnsafeRawBufferPointer, _ body: (Int) -> Void) {
        steps.withUnsafeBufferPointer { steps in
            var place = 0
            while bytes.count - place >= length {
                let pair = bytes.loadUnaligned(fromByteOffset: place + length - 2, as: UInt16.self)
                let step = steps[Self.hash(UInt16(littleEndian: pair))]
                if step == 0 {
                    body(place)
                    place += 1
                } else {
                    place += Int(step)
                }
            }
        }
    }
}
