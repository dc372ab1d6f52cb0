/// An EXIF block (a small TIFF file), walked until each of its bytes is known to be the header's, a directory's or the
/// value's of an allowed tag.
struct ScannedEXIF {
    private let tiff: [UInt8]
    private let base: Int64
    private let allowed: AllowedMetadata
    private var isBigEndian = false
    private var used: [Range<Int>] = []
    private var found = FoundTraces()
    /// Where words stand that somebody asked to have written: they may tell what they like.
    private var asked: [Range<Int>] = []

    /// - Parameter offset: where in the file the TIFF header stands.
    static func traces(in tiff: [UInt8], at offset: Int64, allowing allowed: AllowedMetadata) -> FoundTraces {
        var scan = ScannedEXIF(tiff: tiff, base: offset, allowed: allowed)
        scan.walk()
        let named = scan.used.count > 1 && scan.used[1] == Self.name ? Self.name.upperBound : 0
        var rest = tiff
        for range in scan.asked { rest.replaceSubrange(range, with: repeatElement(0, count: range.count)) }
        scan.found.add(TellingWords.traces(in: Array(rest.dropFirst(named)), at: offset + Int64(named)))
        return scan.found
    }

    /// Where exiftool writes “ExifMeta” in WebP files, in front of the first directory.
    private static let name = 8..<16

    private init(tiff: [UInt8], base: Int64, allowed: AllowedMetadata) {
        self.tiff = tiff
        self.base = base
        self.allowed = allowed
    }

    private mutating func walk() {
        if tiff.starts(with: Array("MM\0*".utf8)) {
            isBigEndian = true
        } else if !tiff.starts(with: Array("II*\0".utf8)) {
            return add("EXIF that cannot be read", at: 0)
        }
        guard let first = number(at: 4, width: 4) else { return add("EXIF that cannot be read", at: 0) }
        used.append(0..<8)
        if first == 16, tiff[8...].starts(with: "ExifMeta".utf8) { used.append(Self.name) }
        walkDirectory(at: Int(first), .main)
        if found.list.isEmpty { checkUse() }
    }

    private mutating func walkDirectory(at start: Int, _ directory: ScannedEXIFTag.Directory) {
        guard let count = number(at: start, width: 2),
            let next = number(at: start + 2 + Int(count) * 12, width: 4)
        else { return add("EXIF that cannot be read", at: min(start, tiff.count)) }
        let end = start + 2 + Int(count) * 12
        used.append(start..<end + 4)
        if next != 0 { add(directory == .main ? "a thumbnail in EXIF" : "more EXIF than is known", at: end) }
        var seen: Set<UInt16> = []
        for entry in stride(from: start + 2, to: end, by: 12) {
            let tag = UInt16(number(at: entry, width: 2) ?? 0)
            if directory == .main, let word = ScannedEXIFTag.word(of: tag, allowed.words) {
                if !seen.insert(tag).inserted { add("an EXIF tag that is there twice", at: entry) }
                checkWord(entry, Array(word.utf8) + [0])
                continue
            }
            guard let rule = directory.rules[tag] else {
                add(ScannedEXIFTag.name(of: tag, in: directory), at: entry)
                continue
            }
            guard seen.insert(tag).inserted else {
                add("an EXIF tag that is there twice", at: entry)
                continue
            }
            if let fact = rule.fact, !allowed.contains(fact) {
                add(fact.whatInEXIF, at: entry)
                continue
            }
            checkEntry(entry, rule.content)
        }
    }

    private mutating func checkWord(_ entry: Int, _ word: [UInt8]) {
        guard number(at: entry + 2, width: 2) == 2, number(at: entry + 4, width: 4) == UInt64(word.count),
            let offset = word.count > 4 ? number(at: entry + 8, width: 4) : UInt64(entry + 8),
            tiff.count - word.count >= offset, tiff[Int(offset)...].starts(with: word)
        else { return add("a text in EXIF that nobody asked for", at: entry) }
        let place = Int(offset)..<Int(offset) + word.count
        asked.append(place)
        if word.count > 4 {
            used.append(place)
        } else if tiff[place.upperBound..<entry + 12].contains(where: { $0 != 0 }) {
            add("bytes in EXIF that belong to nothing", at: place.upperBound)
        }
    }

    private mutating func checkEntry(_ entry: Int, _ content: ScannedEXIFTag.Content) {
        guard let type = number(at: entry + 2, width: 2), let count = number(at: entry + 4, width: 4),
            content.types.contains(type), content.counts.contains(count)
        else { return add("an EXIF value of a wrong kind", at: entry) }
        let size = Int(count) * ([3: 2, 4: 4, 5: 8, 10: 8, 13: 4][type] ?? 1)
        var place = entry + 8
        if size > 4 {
            guard let offset = number(at: place, width: 4), Int(offset) + size <= tiff.count else {
                return add("EXIF that cannot be read", at: entry)
            }
            place = Int(offset)
            used.append(place..<place + size)
        } else if tiff[place + size..<place + 4].contains(where: { $0 != 0 }) {
            return add("bytes in EXIF that belong to nothing", at: place + size)
        }
        let value = Array(tiff[place..<place + size])
        switch content {
        case .pointer(let directory): walkDirectory(at: Int(number(at: place, width: 4) ?? 0), directory)
        case .number(let range):
            if let range, !range.contains(number(at: place, width: type == 3 ? 2 : 4) ?? .max) {
                add("an EXIF value of a wrong kind", at: entry)
            }
        case .ratio, .ratios: break
        case .byte(let most, _):
            if !value.allSatisfy({ $0 <= most }) { add("an EXIF value of a wrong kind", at: entry) }
        case .letter(let letters):
            if value.last != 0 || !letters.utf8.contains(value[0]) { add("an EXIF value of a wrong kind", at: entry) }
        case .version:
            if !value.allSatisfy({ 0x30...0x39 ~= $0 }) { add("an EXIF value of a wrong kind", at: entry) }
        case .components:
            if !value.allSatisfy({ $0 <= 6 }) { add("an EXIF value of a wrong kind", at: entry) }
        case .shaped(let shape):
            if !Self.has(value, shape) { add("a date in EXIF that is none", at: place) }
        case .fraction:
            if !value.dropLast().allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x20 || $0 == 0 }) || value.last != 0 {
                add("a date in EXIF that is none", at: place)
            }
        case .text(let parts): checkText(value, parts: parts, isName: false, at: place)
        case .name: checkText(value, parts: 1, isName: true, at: place)
        }
    }

    /// Whether a text is as long as `shape` and has digits where that has `0`, or blanks where nothing is known.
    private static func has(_ value: [UInt8], _ shape: String) -> Bool {
        value.count == shape.utf8.count + 1 && value.last == 0
            && zip(value, shape.utf8).allSatisfy { byte, shape in
                switch shape {
                case 0x30: 0x30...0x39 ~= byte || byte == 0x20
                case 0x2b: byte == 0x2b || byte == 0x2d || byte == 0x20
                default: byte == shape || byte == 0x20
                }
            }
    }

    private mutating func checkText(_ value: [UInt8], parts: Int, isName: Bool, at place: Int) {
        // Some cameras fill a field of fixed size with zeros. Copyright has two names, with a zero in between.
        let used = value.prefix((value.lastIndex { $0 != 0 } ?? -1) + 1)
        let texts = used.split(separator: 0, omittingEmptySubsequences: false)
        guard texts.count <= parts, texts.allSatisfy({ Self.isPrintable($0) }) else {
            return add("a text in EXIF with bytes that are no text", at: place)
        }
        for text in texts.map({ ScannedText($0) }) {
            if text.tellsPlace { add("a place in an EXIF text", at: place) }
            if isName, text.tellsDevice { add("a serial number in the camera's name in EXIF", at: place) }
        }
        if Self.hasLongFraction(used) { add("a number like that of a place in an EXIF text", at: place) }
    }

    static func isPrintable(_ text: ArraySlice<UInt8>) -> Bool {
        guard let unicode = String(validating: text, as: UTF8.self) else {
            // Cameras write “©” in Latin-1.
            return text.allSatisfy { 0x20...0x7e ~= $0 || 0xa0...0xff ~= $0 && $0 != 0xad }
        }
        return unicode.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            // What nobody sees may be there to be read by others.
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    /// Degrees are written with four digits and more behind the point; apertures and versions are not.
    static func hasLongFraction(_ text: ArraySlice<UInt8>) -> Bool {
        var digits: Int?
        for byte in text {
            if byte == 0x2e {
                digits = 0
            } else if let count = digits, 0x30...0x39 ~= byte {
                if count == 3 { return true }
                digits = count + 1
            } else {
                digits = nil
            }
        }
        return false
    }

    /// Bytes that nothing points to may be what a tag once pointed to.
    private mutating func checkUse() {
        var end = 0
        for range in used.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
            if range.lowerBound < end { return add("EXIF values that overlap", at: range.lowerBound) }
            checkGap(end..<range.lowerBound)
            end = max(end, range.upperBound)
        }
        checkGap(end..<tiff.count)
    }

    private mutating func checkGap(_ gap: Range<Int>) {
        if gap.count > 3 || tiff[gap].contains(where: { $0 != 0 }) {
            add("bytes in EXIF that belong to nothing", at: gap.lowerBound)
        }
    }

    private mutating func add(_ what: String, at place: Int) { found.add(what, at: base + Int64(place)) }

    private func number(at place: Int, width: Int) -> UInt64? {
        tiff.number(at: place, width: width, isBigEndian: isBigEndian)
    }
}

extension KeptFact {
    var whatInEXIF: String {
        switch self {
        case .date: "a date in EXIF"
        case .camera: "the camera's name in EXIF"
        case .exposure: "an exposure in EXIF"
        case .copyright: "an author or a copyright in EXIF"
        case .place: "a place in EXIF (GPS)"
        }
    }
}
