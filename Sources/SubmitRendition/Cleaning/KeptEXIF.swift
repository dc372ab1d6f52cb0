/// The values of EXIF that a clean copy keeps, read from a TIFF structure and written as a new one (Exif 2.32, 4.6).
///
/// What is not exactly what its tag should be is left out: no value brings anything along that nobody asked for.
struct KeptEXIF {
    /// What a value has to be.
    fileprivate enum Form {
        case date, zone, digits, text, day
        /// A text that is the name of a kind of device.
        case name
        /// A whole number of 16 bits, and which; the first of several.
        case short(ClosedRange<Int>)
        case rational, signedRational
        /// Three, such as degrees, minutes and seconds.
        case rationals
        /// One of these letters.
        case letter(String)
        /// A byte, and the most that it may be.
        case byte(UInt8)
        /// The version of what tells the place.
        case version
    }

    /// Which list an entry stands in.
    fileprivate enum Directory {
        case first, inner, place
    }

    private struct Rule {
        let tag: Int
        let directory: Directory
        let form: Form
        /// `nil`: it always stays.
        let fact: KeptFact?
    }

    private static let rules: [Rule] = [
        Rule(tag: 0x010f, directory: .first, form: .name, fact: .camera),
        Rule(tag: 0x0110, directory: .first, form: .name, fact: .camera),
        Rule(tag: 0x0112, directory: .first, form: .short(2...8), fact: nil),
        Rule(tag: 0x0132, directory: .first, form: .date, fact: .date),
        Rule(tag: 0x013b, directory: .first, form: .text, fact: .copyright),
        Rule(tag: 0x8298, directory: .first, form: .text, fact: .copyright),
        Rule(tag: 0x829a, directory: .inner, form: .rational, fact: .exposure),
        Rule(tag: 0x829d, directory: .inner, form: .rational, fact: .exposure),
        Rule(tag: 0x8822, directory: .inner, form: .short(0...255), fact: .exposure),
        Rule(tag: 0x8827, directory: .inner, form: .short(0...0xffff), fact: .exposure),
        Rule(tag: 0x8830, directory: .inner, form: .short(0...255), fact: .exposure),
        Rule(tag: 0x9003, directory: .inner, form: .date, fact: .date),
        Rule(tag: 0x9004, directory: .inner, form: .date, fact: .date),
        Rule(tag: 0x9010, directory: .inner, form: .zone, fact: .date),
        Rule(tag: 0x9011, directory: .inner, form: .zone, fact: .date),
        Rule(tag: 0x9012, directory: .inner, form: .zone, fact: .date),
        Rule(tag: 0x9204, directory: .inner, form: .signedRational, fact: .exposure),
        Rule(tag: 0x9207, directory: .inner, form: .short(0...255), fact: .exposure),
        Rule(tag: 0x9209, directory: .inner, form: .short(0...255), fact: .exposure),
        Rule(tag: 0x920a, directory: .inner, form: .rational, fact: .exposure),
        Rule(tag: 0x9290, directory: .inner, form: .digits, fact: .date),
        Rule(tag: 0x9291, directory: .inner, form: .digits, fact: .date),
        Rule(tag: 0x9292, directory: .inner, form: .digits, fact: .date),
        Rule(tag: 0xa001, directory: .inner, form: .short(0...0xffff), fact: nil),
        Rule(tag: 0xa402, directory: .inner, form: .short(0...255), fact: .exposure),
        Rule(tag: 0xa403, directory: .inner, form: .short(0...255), fact: .exposure),
        Rule(tag: 0xa405, directory: .inner, form: .short(0...0xffff), fact: .exposure),
        Rule(tag: 0xa433, directory: .inner, form: .name, fact: .camera),
        Rule(tag: 0xa434, directory: .inner, form: .name, fact: .camera),
        Rule(tag: 0, directory: .place, form: .version, fact: .place),
        Rule(tag: 1, directory: .place, form: .letter("NS"), fact: .place),
        Rule(tag: 2, directory: .place, form: .rationals, fact: .place),
        Rule(tag: 3, directory: .place, form: .letter("EW"), fact: .place),
        Rule(tag: 4, directory: .place, form: .rationals, fact: .place),
        Rule(tag: 5, directory: .place, form: .byte(1), fact: .place),
        Rule(tag: 6, directory: .place, form: .rational, fact: .place),
        Rule(tag: 7, directory: .place, form: .rationals, fact: .place),
        Rule(tag: 16, directory: .place, form: .letter("TM"), fact: .place),
        Rule(tag: 17, directory: .place, form: .rational, fact: .place),
        Rule(tag: 29, directory: .place, form: .day, fact: .place),
    ]

    /// How the pixels that it stands beside are turned.
    static let orientation = 0x0112
    /// What is true of the pixels that it stands beside: orientation and colour space.
    static let ofPixels: Set<Int> = [orientation, 0xa001]

    /// A value as it is written: its type's number, how many there are, and their bytes, big-endian.
    private struct Entry {
        let tag: Int
        let type: Int
        let count: Int
        let bytes: [UInt8]
    }

    private var first: [Entry] = []
    private var inner: [Entry] = []
    private var place: [Entry] = []

    /// - Parameter others: tags that go besides.
    init(_ tiff: [UInt8], _ facts: Set<KeptFact>, _ words: PhotoWords = .none, without others: Set<Int> = []) {
        defer { write(words) }
        guard let structure = Structure(tiff) else { return }
        let directory = structure.directory(at: structure.start)
        func pointed(by tag: Int) -> [Int: Field] {
            // Programs write the offset of a directory as a number, or as one of that type of TIFF (Technical Note 1, `IFD`).
            guard let pointer = directory[tag],
                let offset = [4, 13].lazy.compactMap({ structure.numbers(pointer, type: $0, most: 1)?.first }).first
            else {
                return [:]
            }
            return structure.directory(at: offset)
        }
        let (innerDirectory, placeDirectory) = (pointed(by: 0x8769), pointed(by: 0x8825))
        for rule in Self.rules {
            if let fact = rule.fact, !facts.contains(fact) { continue }
            if rule.directory != .place, others.contains(rule.tag) { continue }
            let fields =
                switch rule.directory {
                case .first: directory
                case .inner: innerDirectory
                case .place: placeDirectory
                }
            guard let field = fields[rule.tag], let entry = structure.entry(rule.tag, field, rule.form) else {
                continue
            }
            switch rule.directory {
            case .first: first.append(entry)
            case .inner: inner.append(entry)
            case .place: place.append(entry)
            }
        }
    }

    /// What people say counts before what the camera did.
    private mutating func write(_ words: PhotoWords) {
        for (tag, word) in [(0x010e, words.caption), (0x013b, words.creator), (0x8298, words.copyright)] {
            guard let word else { continue }
            first.removeAll { $0.tag == tag }
            let text = Array(word.utf8) + [0]
            first.append(Entry(tag: tag, type: 2, count: text.count, bytes: text))
        }
    }

    /// A new TIFF structure with them; `nil` where there are none.
    var bytes: [UInt8]? {
        if first.isEmpty, inner.isEmpty, place.isEmpty { return nil }
        let version = Entry(tag: 0x9000, type: 7, count: 4, bytes: Array("0232".utf8))
        let others = [(0x8769, inner.isEmpty ? [] : inner + [version]), (0x8825, place)].filter { !$0.1.isEmpty }
        var start = 8 + Self.size(of: first) + 12 * others.count
        var (main, rest) = (first, [UInt8]())
        for (tag, entries) in others {
            var offset: [UInt8] = []
            offset.append(bigEndian: start, width: 4)
            main.append(Entry(tag: tag, type: 4, count: 1, bytes: offset))
            rest += Self.directory(entries, at: start)
            start += Self.size(of: entries)
        }
        return Array("MM\0*".utf8) + [0, 0, 0, 8] + Self.directory(main, at: 8) + rest
    }

    /// Bytes of a directory with the values that do not stand in it.
    private static func size(of entries: [Entry]) -> Int {
        entries.reduce(6 + 12 * entries.count) { $0 + ($1.bytes.count > 4 ? ($1.bytes.count + 1) & ~1 : 0) }
    }

    private static func directory(_ entries: [Entry], at start: Int) -> [UInt8] {
        var directory: [UInt8] = []
        var values: [UInt8] = []
        directory.append(bigEndian: entries.count, width: 2)
        for entry in entries.sorted(by: { $0.tag < $1.tag }) {
            directory.append(bigEndian: entry.tag, width: 2)
            directory.append(bigEndian: entry.type, width: 2)
            directory.append(bigEndian: entry.count, width: 4)
            if entry.bytes.count <= 4 {
                directory += entry.bytes + [UInt8](repeating: 0, count: 4 - entry.bytes.count)
            } else {
                directory.append(bigEndian: start + 6 + 12 * entries.count + values.count, width: 4)
                values += entry.bytes
                if !values.count.isMultiple(of: 2) { values.append(0) }
            }
        }
        directory.append(bigEndian: 0, width: 4)
        return directory + values
    }

    // MARK: Reading

    /// An entry as it stands in the file.
    private struct Field {
        let type: Int
        let count: Int
        /// Where its four bytes are that hold the value, or its offset.
        let place: Int
    }

    private struct Structure {
        let bytes: [UInt8]
        let isBig: Bool
        let start: Int

        init?(_ bytes: [UInt8]) {
            guard bytes.count >= 8 else { return nil }
            switch Array(bytes[..<4]) {
            case [0x4d, 0x4d, 0, 42]: isBig = true
            case [0x49, 0x49, 42, 0]: isBig = false
            default: return nil
            }
            self.bytes = bytes
            start = isBig ? bytes.bigEndian(at: 4, width: 4) : bytes.littleEndian(at: 4, width: 4)
        }

        private func number(at offset: Int, _ width: Int) -> Int? {
            guard offset >= 0, offset <= bytes.count - width else { return nil }
            return isBig ? bytes.bigEndian(at: offset, width: width) : bytes.littleEndian(at: offset, width: width)
        }

        /// The first entry of each tag.
        func directory(at offset: Int) -> [Int: Field] {
            guard let count = number(at: offset, 2), count <= 512 else { return [:] }
            var fields: [Int: Field] = [:]
            for index in 0..<count {
                let place = offset + 2 + 12 * index
                guard let tag = number(at: place, 2), let type = number(at: place + 2, 2),
                    let count = number(at: place + 4, 4), place + 12 <= bytes.count
                else { break }
                if fields[tag] == nil { fields[tag] = Field(type: type, count: count, place: place + 8) }
            }
            return fields
        }

        private func place(_ field: Field, width: Int) -> Int? {
            guard field.count <= 1 << 16 else { return nil }
            let size = field.count * width
            guard size > 4 else { return field.place }
            guard let offset = number(at: field.place, 4), offset <= bytes.count - size else { return nil }
            return offset
        }

        func numbers(_ field: Field, type: Int, most: Int) -> [Int]? {
            let width = type == 3 ? 2 : 4
            guard field.type == type, (1...most).contains(field.count), let start = place(field, width: width) else {
                return nil
            }
            var numbers: [Int] = []
            for index in 0..<field.count {
                guard let number = number(at: start + index * width, width) else { return nil }
                numbers.append(number)
            }
            return numbers
        }

        /// Up to the first NUL, without the spaces around; `nil` where it is empty or no plain text. The standard knows ASCII
        /// alone; what cameras write besides is UTF-8, or Latin-1, such as an “©”.
        private func text(_ field: Field) -> [UInt8]? {
            guard field.type == 2 || field.type == 129, let start = place(field, width: 1) else { return nil }
            let end = min(bytes.count, start + field.count)
            var text = Array(bytes[start..<end].prefix { $0 != 0 })
            while text.last == 0x20 { text.removeLast() }
            text = Array(text.drop { $0 == 0x20 })
            let valid =
                String(validating: text, as: UTF8.self)
                ?? String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) }))
            guard (1...255).contains(valid.utf8.count),
                valid.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
            else { return nil }
            return Array(valid.utf8)
        }

        func entry(_ tag: Int, _ field: Field, _ form: Form) -> Entry? {
            switch form {
            case .short(let range):
                guard let number = numbers(field, type: 3, most: 8)?.first, range.contains(number) else { return nil }
                if tag == 0xa001, ![1, 2, 0xffff].contains(number) { return nil }
                var bytes: [UInt8] = []
                bytes.append(bigEndian: number, width: 2)
                return Entry(tag: tag, type: 3, count: 1, bytes: bytes)
            case .rational, .signedRational:
                let type = if case .rational = form { 5 } else { 10 }
                guard field.type == type, field.count == 1, let start = place(field, width: 8),
                    let numerator = number(at: start, 4), let denominator = number(at: start + 4, 4)
                else { return nil }
                var bytes: [UInt8] = []
                bytes.append(bigEndian: numerator, width: 4)
                bytes.append(bigEndian: denominator, width: 4)
                return Entry(tag: tag, type: type, count: 1, bytes: bytes)
            case .rationals:
                guard field.type == 5, field.count == 3, let start = place(field, width: 8) else { return nil }
                var bytes: [UInt8] = []
                for offset in stride(from: start, to: start + 24, by: 4) {
                    guard let number = number(at: offset, 4) else { return nil }
                    bytes.append(bigEndian: number, width: 4)
                }
                return Entry(tag: tag, type: 5, count: 3, bytes: bytes)
            case .byte(let most):
                guard field.type == 1, field.count == 1, bytes[field.place] <= most else { return nil }
                return Entry(tag: tag, type: 1, count: 1, bytes: [bytes[field.place]])
            case .version:
                guard field.type == 1, field.count == 4 else { return nil }
                let version = Array(bytes[field.place..<field.place + 4])
                return version.allSatisfy { $0 < 10 } ? Entry(tag: tag, type: 1, count: 4, bytes: version) : nil
            case .date, .zone, .digits, .text, .name, .day, .letter:
                guard let text = text(field).map(form.spelled), form.takes(text) else { return nil }
                return Entry(tag: tag, type: 2, count: text.count + 1, bytes: text + [0])
            }
        }
    }
}

extension KeptEXIF.Form {
    /// A text as the standard spells it: some cameras write dashes between the numbers of a date.
    fileprivate func spelled(_ text: [UInt8]) -> [UInt8] {
        guard case .date = self, text.count == 19 else { return text }
        var text = text
        for index in [4, 7] where text[index] == UInt8(ascii: "-") { text[index] = UInt8(ascii: ":") }
        return text
    }

    /// Whether a text is one of its form.
    fileprivate func takes(_ text: [UInt8]) -> Bool {
        func fits(_ pattern: String) -> Bool {
            text.count == pattern.utf8.count
                && zip(text, pattern.utf8).allSatisfy { byte, wanted in
                    wanted == UInt8(ascii: "0") ? (48...57).contains(byte) : byte == wanted
                }
        }
        func holds(_ offset: Int, _ range: ClosedRange<Int>) -> Bool {
            range.contains(Int(text[offset] - 48) * 10 + Int(text[offset + 1] - 48))
        }
        switch self {
        case .date:
            return fits("0000:00:00 00:00:00") && holds(5, 1...12) && holds(8, 1...31) && holds(11, 0...23)
                && holds(14, 0...59)
                && holds(17, 0...60)
        case .zone: return (fits("+00:00") || fits("-00:00")) && holds(1, 0...14) && holds(4, 0...59)
        case .digits: return text.count <= 9 && text.allSatisfy { (48...57).contains($0) }
        case .name: return KeptText.mayStay(text, ofCamera: true)
        case .text: return KeptText.mayStay(text, ofCamera: false)
        case .day: return fits("0000:00:00") && holds(5, 1...12) && holds(8, 1...31)
        case .letter(let letters): return text.count == 1 && letters.utf8.contains(text[0])
        case .short, .rational, .signedRational, .rationals, .byte, .version: return false
        }
    }
}
