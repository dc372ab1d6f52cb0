/// A word of an expression.
struct ExpressionToken {
    enum Kind {
        case literal(RecipeValue)
        case name
        case symbol
        case end
    }

    let kind: Kind
    let text: String
    /// In the text that it stands in.
    let offset: Int

    var isSymbol: Bool {
        if case .symbol = kind { true } else { false }
    }

    var isName: Bool {
        if case .name = kind { true } else { false }
    }

    /// A word that means something by itself, and may yet be a member's name: `in`, `true`.
    var isWord: Bool { !isName && text.unicodeScalars.first.map(ExpressionLexer.isLetter) ?? false }
}

/// Takes expressions apart into words.
struct ExpressionLexer {
    private let scalars: [Unicode.Scalar]
    private let start: Int
    private let isBraced: Bool
    private let place: (Int) -> RecipePlace
    private var index: Int
    /// Where the expression ends, its `}}` included.
    private(set) var end = 0

    init(_ scalars: [Unicode.Scalar], from start: Int, isBraced: Bool, place: @escaping (Int) -> RecipePlace) {
        self.scalars = scalars
        self.start = start
        self.isBraced = isBraced
        self.place = place
        index = start
    }

    /// The words, and one that marks the end.
    mutating func tokens() throws(RecipeFault) -> [ExpressionToken] {
        var tokens: [ExpressionToken] = []
        while true {
            while index < scalars.count, " \t\r\n".unicodeScalars.contains(scalars[index]) { index += 1 }
            guard index - start <= ExpressionParser.longest else {
                throw RecipeFault(place(start), "This expression has more than \(ExpressionParser.longest) characters.")
            }
            let at = index
            guard index < scalars.count else {
                if isBraced { throw RecipeFault(place(max(0, start - 2)), "“{{” is opened and never closed by “}}”.") }
                end = index
                return tokens + [ExpressionToken(kind: .end, text: "", offset: at)]
            }
            if isBraced, scalars[index] == "}", peek(1) == "}" {
                end = index + 2
                return tokens + [ExpressionToken(kind: .end, text: "}}", offset: at)]
            }
            tokens.append(try token(at))
        }
    }

    private func peek(_ distance: Int) -> Unicode.Scalar? {
        index + distance < scalars.count ? scalars[index + distance] : nil
    }

    private func text(_ range: Range<Int>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars[range])
        return text
    }

    private mutating func token(_ at: Int) throws(RecipeFault) -> ExpressionToken {
        let first = scalars[at]
        if first == "'" || first == "\"" { return try quoted(first, at) }
        if Self.isDigit(first) { return try number(at) }
        if Self.isLetter(first) {
            while let scalar = peek(0), Self.isLetter(scalar) || Self.isDigit(scalar) { index += 1 }
            let word = text(at..<index)
            switch word {
            case "true", "false": return ExpressionToken(kind: .literal(.bool(word == "true")), text: word, offset: at)
            case "null": return ExpressionToken(kind: .literal(.null), text: word, offset: at)
            case "and", "or", "not", "in": return ExpressionToken(kind: .symbol, text: word, offset: at)
            default: return ExpressionToken(kind: .name, text: word, offset: at)
            }
        }
        let two = text(at..<min(at + 2, scalars.count))
        if ["==", "!=", "<=", ">=", "??"].contains(two) {
            index += 2
            return ExpressionToken(kind: .symbol, text: two, offset: at)
        }
        index += 1
        let one = text(at..<at + 1)
        guard "<>+-*|().,[]".contains(one) else {
            let cure = ["&": ": say “and”", "!": ": say “not”", "=": ": say “==”", "?": ": say “??”"][one] ?? ""
            throw RecipeFault(place(at), "“\(one)” has no meaning in an expression\(cure).")
        }
        return ExpressionToken(kind: .symbol, text: one, offset: at)
    }

    private mutating func quoted(_ quote: Unicode.Scalar, _ at: Int) throws(RecipeFault) -> ExpressionToken {
        var text = ""
        index += 1
        while let scalar = peek(0) {
            index += 1
            if scalar == quote {
                return ExpressionToken(kind: .literal(.text(text)), text: self.text(at..<index), offset: at)
            }
            guard scalar == "\\" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            switch peek(0) {
            case "n": text += "\n"
            case "t": text += "\t"
            case let escaped? where escaped == "\\" || escaped == "'" || escaped == "\"":
                text.unicodeScalars.append(escaped)
            default:
                throw RecipeFault(place(index - 1), "After “\\” there may be \\, ', \", n or t.")
            }
            index += 1
        }
        throw RecipeFault(place(at), "This text is opened by \(quote) and never closed.")
    }

    private static let units: [String: Int64] = [
        "": 1, "B": 1, "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000,
        "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
        "s": 1, "m": 60, "h": 3600, "d": 86400,
    ]

    private mutating func number(_ at: Int) throws(RecipeFault) -> ExpressionToken {
        while let scalar = peek(0), Self.isDigit(scalar) { index += 1 }
        let digits = text(at..<index)
        let unitStart = index
        while let scalar = peek(0), Self.isLetter(scalar) || Self.isDigit(scalar) { index += 1 }
        let unit = text(unitStart..<index)
        if unit.isEmpty, peek(0) == ".", let after = peek(1), Self.isDigit(after) {
            throw RecipeFault(place(at), "There are whole numbers only: use a smaller unit.")
        }
        guard let factor = Self.units[unit] else {
            throw RecipeFault(
                place(unitStart),
                "“\(unit)” is no unit: there are B, KB, MB, GB, TB, KiB, MiB, GiB, TiB for sizes and s, m, h, d for times."
            )
        }
        guard let count = Int64(digits),
            case (let value, let isTooLarge) = count.multipliedReportingOverflow(by: factor),
            !isTooLarge
        else { throw RecipeFault(place(at), "This number is too large.") }
        return ExpressionToken(kind: .literal(.integer(value)), text: text(at..<index), offset: at)
    }

    static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_": true
        default: false
        }
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("0"..."9").contains(scalar)
    }
}
