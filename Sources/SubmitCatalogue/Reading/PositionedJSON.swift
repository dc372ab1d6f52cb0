/// A JSON value, and where it stands. Nothing but JSON is one, and no object has a key twice: what two readers would understand in
/// two ways is refused.
struct PositionedJSON: Sendable, Hashable {
    enum JSONForm: Sendable, Hashable {
        case null
        case truth(Bool)
        /// As it is written.
        case number(String)
        case text(String)
        case list([PositionedJSON])
        case object([NamedValue])
        /// A value of a place where everything is written as text: a number, a date or a text.
        case written(String)
    }

    struct NamedValue: Sendable, Hashable {
        let name: String
        let offset: Int
        let value: PositionedJSON
    }

    let content: JSONForm
    /// Bytes before it.
    let offset: Int

    /// For people: `a list`.
    var told: String {
        switch content {
        case .null: "null"
        case .truth: "true or false"
        case .number: "a number"
        case .text, .written: "a text"
        case .list: "a list"
        case .object: "an object"
        }
    }

    /// The value as a field of this kind takes it, if everything there is written as text. `007` isn't a number in JSON, so it
    /// stays a text.
    func read(as kind: CatalogueFieldType?) -> PositionedJSON {
        if case .list(let values) = content {
            return PositionedJSON(content: .list(values.map { $0.read(as: kind) }), offset: offset)
        }
        guard case .written(let text) = content else { return self }
        if [.number, nil].contains(kind), let json = try? Self.read(text), case .number = json.content {
            return PositionedJSON(content: json.content, offset: offset)
        }
        let truths =
            kind == .truth ? ["true": true, "false": false, "yes": true, "no": false] : ["true": true, "false": false]
        if [.truth, nil].contains(kind), let isTrue = truths[text] {
            return PositionedJSON(content: .truth(isTrue), offset: offset)
        }
        return PositionedJSON(content: .text(text), offset: offset)
    }

    func members(_ path: String) throws(CatalogueFault) -> [NamedValue] {
        guard case .object(let members) = content else { throw wrong("an object", path) }
        return members
    }

    func list(_ path: String) throws(CatalogueFault) -> [PositionedJSON] {
        guard case .list(let values) = content else { throw wrong("a list", path) }
        return values
    }

    func text(_ path: String) throws(CatalogueFault) -> String {
        guard case .text(let text) = read(as: .text).content else { throw wrong("a text", path) }
        return text
    }

    func truth(_ path: String) throws(CatalogueFault) -> Bool {
        guard case .truth(let isTrue) = read(as: .truth).content else { throw wrong("true or false", path) }
        return isTrue
    }

    private func wrong(_ wanted: String, _ path: String) -> CatalogueFault {
        CatalogueFault("Here stands \(told), and \(wanted) should.", at: offset, path: path)
    }

    var wholeNumber: Int? { if case .number(let digits) = read(as: .number).content { Int(digits) } else { nil } }

    var double: Double? { if case .number(let digits) = content { Double(digits) } else { nil } }

    /// The same at other places.
    func placed(_ place: (Int) -> Int) -> PositionedJSON {
        let content: JSONForm =
            switch self.content {
            case .null, .truth, .number, .text, .written: self.content
            case .list(let values): .list(values.map { $0.placed(place) })
            case .object(let members):
                .object(
                    members.map {
                        NamedValue(name: $0.name, offset: place($0.offset), value: $0.value.placed(place))
                    })
            }
        return PositionedJSON(content: content, offset: place(offset))
    }

    /// - Throws: where it is no JSON, with its place.
    static func read(_ text: String) throws(CatalogueFault) -> PositionedJSON {
        guard text.utf8.count <= CatalogueLimits.text else {
            throw CatalogueFault("This is longer than \(CatalogueLimits.text) bytes.", at: CatalogueLimits.text)
        }
        var reader = JSONBytesReader(Array(text.utf8))
        return try reader.whole()
    }

    /// The same of what others wrote: half a character becomes U+FFFD, and nobody's page fails for it.
    static func read(foreign bytes: [UInt8], limit: Int) throws(CatalogueFault) -> PositionedJSON {
        guard bytes.count <= limit else { throw CatalogueFault("This is longer than \(limit) bytes.", at: limit) }
        var reader = JSONBytesReader(bytes)
        reader.isForeign = true
        return try reader.whole()
    }
}

private struct JSONBytesReader {
    private let bytes: [UInt8]
    private var at = 0
    private var depth = 0

    /// Half a character is no fault, and values are counted.
    var isForeign = false
    private var count = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func whole() throws(CatalogueFault) -> PositionedJSON {
        let value = try value()
        skipBlanks()
        guard at == bytes.count else { throw fault("There is more after the end of the JSON.") }
        return value
    }

    private func fault(_ sentence: String) -> CatalogueFault { CatalogueFault(sentence, at: at) }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipBlanks() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { at += 1 }
    }

    private mutating func skip(_ letter: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: letter) else { return false }
        at += 1
        return true
    }

    private mutating func value() throws(CatalogueFault) -> PositionedJSON {
        skipBlanks()
        let start = at
        count += 1
        guard !isForeign || count <= CatalogueLimits.jsonValues else { throw fault("There are too many values.") }
        depth += 1
        defer { depth -= 1 }
        guard depth <= CatalogueLimits.jsonDepth else {
            throw fault("Too many lists and objects stand in one another.")
        }
        let content: PositionedJSON.JSONForm
        switch next {
        case UInt8(ascii: "{"): content = .object(try members())
        case UInt8(ascii: "["): content = .list(try list())
        case UInt8(ascii: "\""): content = .text(try text())
        case UInt8(ascii: "t"): content = try word("true", .truth(true))
        case UInt8(ascii: "f"): content = try word("false", .truth(false))
        case UInt8(ascii: "n"): content = try word("null", .null)
        case nil: throw fault("The JSON ends too early.")
        default: content = .number(try number())
        }
        return PositionedJSON(content: content, offset: start)
    }

    private mutating func word(
        _ word: String, _ content: PositionedJSON.JSONForm
    ) throws(CatalogueFault) -> PositionedJSON.JSONForm {
        guard bytes[at...].starts(with: word.utf8) else { throw fault("This is no JSON: \(word) may be meant.") }
        at += word.utf8.count
        return content
    }

    private mutating func list() throws(CatalogueFault) -> [PositionedJSON] {
        at += 1
        skipBlanks()
        if skip("]") { return [] }
        var values: [PositionedJSON] = []
        while true {
            values.append(try value())
            skipBlanks()
            if skip("]") { return values }
            guard skip(",") else { throw fault("After a value of a list there comes , or ].") }
        }
    }

    private mutating func members() throws(CatalogueFault) -> [PositionedJSON.NamedValue] {
        at += 1
        skipBlanks()
        if skip("}") { return [] }
        var members: [PositionedJSON.NamedValue] = []
        var names: Set<String> = []
        while true {
            skipBlanks()
            let start = at
            guard next == UInt8(ascii: "\"") else { throw fault("A key in quotation marks is missing.") }
            let name = try text()
            guard names.insert(name).inserted else {
                throw CatalogueFault("\(name.forPeople) stands twice in one object.", at: start)
            }
            skipBlanks()
            guard skip(":") else { throw fault("After a key there comes a colon.") }
            members.append(PositionedJSON.NamedValue(name: name, offset: start, value: try value()))
            skipBlanks()
            if skip("}") { return members }
            guard skip(",") else { throw fault("After a value of an object there comes , or }.") }
        }
    }

    private mutating func number() throws(CatalogueFault) -> String {
        let start = at
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
        func digits() throws(CatalogueFault) {
            guard isDigit(next) else { throw fault(at == start ? "This is no JSON." : "A digit is missing.") }
            while isDigit(next) { at += 1 }
        }
        let isNegative = skip("-")
        if skip("0") {
            guard !isDigit(next) else { throw fault("A number does not begin with 0.") }
        } else {
            if isNegative, !isDigit(next) { throw fault("A digit is missing.") }
            try digits()
        }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func text() throws(CatalogueFault) -> String {
        let start = at
        at += 1
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                at += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += String(try escape()).utf8
            case 0..<0x20: throw fault("A control character in a text is written with a \\.")
            default:
                text.append(byte)
                at += 1
            }
        }
        throw CatalogueFault("The text that begins here has no end.", at: start)
    }

    private mutating func escape() throws(CatalogueFault) -> Character {
        let start = at
        at += 1
        let letter = next
        at += 1
        switch letter {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            var unit = try hexadecimal(start)
            if (0xD800..<0xDC00).contains(unit), bytes[at...].starts(with: "\\u".utf8) {
                let first = at
                at += 2
                let low = try hexadecimal(start)
                if (0xDC00..<0xE000).contains(low) {
                    unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
                } else {
                    at = first
                }
            }
            guard let scalar = Unicode.Scalar(unit) ?? (isForeign ? "\u{FFFD}" : nil) else { throw Self.half(start) }
            return Character(scalar)
        default: throw CatalogueFault("After \\ there comes one of \" \\ / b f n r t u.", at: start)
        }
    }

    private static func half(_ start: Int) -> CatalogueFault {
        CatalogueFault("This is half of a character.", at: start)
    }

    private mutating func hexadecimal(_ start: Int) throws(CatalogueFault) -> UInt32 {
        let digits = bytes[min(at, bytes.count)..<min(at + 4, bytes.count)]
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw CatalogueFault("After \\u there come four hexadecimal digits.", at: start) }
        at += 4
        return unit
    }
}

extension String {
    /// In quotation marks, cut where it is long, with what cannot be seen made visible.
    var forPeople: String {
        var text = ""
        for scalar in unicodeScalars.prefix(40) {
            let isSeen = scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format
            text += isSeen ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
        return "“\(text)\(unicodeScalars.count > 40 ? "…" : "")”"
    }
}
