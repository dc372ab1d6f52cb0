/// Writes JSON in one line, up to ``RecipeValue/longestText`` bytes.
struct JSONWriter {
    let isASCII: Bool
    let place: RecipePlace
    private var bytes: [UInt8] = []
    private var isFirst = true

    init(isASCII: Bool, place: RecipePlace) {
        self.isASCII = isASCII
        self.place = place
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// `[` or `{`
    mutating func begin(_ bracket: String) throws(RecipeFault) {
        try append(bracket.utf8)
        isFirst = true
    }

    mutating func end(_ bracket: String) throws(RecipeFault) {
        try append(bracket.utf8)
        isFirst = false
    }

    /// What stands before an element, or before a member and its key.
    mutating func separate(_ key: String?) throws(RecipeFault) {
        if !isFirst { try append(",".utf8) }
        isFirst = false
        if let key {
            try write(string: key)
            try append(":".utf8)
        }
    }

    /// Members of maps in the order of their keys.
    mutating func write(_ value: RecipeValue) throws(RecipeFault) {
        switch value {
        case .null: try append("null".utf8)
        case .bool(let flag): try append((flag ? "true" : "false").utf8)
        case .integer(let number): try append(String(number).utf8)
        case .text(let text): try write(string: text)
        case .bytes: throw RecipeFault(place, "JSON cannot hold bytes: use “base64” or “hex”.")
        case .list(let elements):
            try begin("[")
            for element in elements {
                try separate(nil)
                try write(element)
            }
            try end("]")
        case .map(let members):
            try begin("{")
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                try separate(key)
                try write(member)
            }
            try end("}")
        }
    }

    private mutating func write(string: String) throws(RecipeFault) {
        try append("\"".utf8)
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": try append("\\\"".utf8)
            case "\\": try append("\\\\".utf8)
            case "\n": try append("\\n".utf8)
            case "\r": try append("\\r".utf8)
            case "\t": try append("\\t".utf8)
            case _ where scalar.value < 0x20 || isASCII && scalar.value >= 0x7f:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    try append(("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
                }
            default: try append(String(scalar).utf8)
            }
        }
        try append("\"".utf8)
    }

    private mutating func append(_ more: some Collection<UInt8>) throws(RecipeFault) {
        guard bytes.count + more.count <= RecipeValue.longestText else {
            throw RecipeFault(place, "This makes a text of more than \(RecipeValue.longestText >> 20) MiB.")
        }
        bytes += more
    }
}
