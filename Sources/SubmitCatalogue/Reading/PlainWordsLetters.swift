/// The letters of a typed question, from the next one on. What is asked of them skips blanks before it.
struct PlainWordsLetters {
    private let scalars: [Unicode.Scalar]
    private let offsets: [Int]
    private var at = 0

    init(_ text: String) {
        var (scalars, offsets, offset): ([Unicode.Scalar], [Int], Int) = ([], [], 0)
        for scalar in text.unicodeScalars {
            scalars.append(scalar)
            offsets.append(offset)
            offset += UTF8.width(scalar)
        }
        (self.scalars, self.offsets) = (scalars, offsets + [offset])
        skipBlanks()
    }

    /// Bytes before the next letter.
    var offset: Int { offsets[at] }

    var isAtEnd: Bool { at == scalars.count }

    func fault(_ sentence: String) -> CatalogueFault { CatalogueFault(sentence, at: offset) }

    private mutating func skipBlanks() {
        while at < scalars.count, scalars[at].properties.isWhitespace { at += 1 }
    }

    private func isAt(_ text: String, _ place: Int) -> Bool {
        scalars[min(place, scalars.count)...].starts(with: text.unicodeScalars)
    }

    func isAt(_ text: String) -> Bool { isAt(text, at) }

    mutating func skip(_ text: String) -> Bool {
        guard isAt(text) else { return false }
        at += text.unicodeScalars.count
        skipBlanks()
        return true
    }

    /// Whether a word stands here that is meant as such, in whatever case: nothing follows it that makes it a name or a longer word.
    func isAt(word: String) -> Bool {
        let end = at + word.unicodeScalars.count
        guard end <= scalars.count, scalars[at..<end].elementsEqual(word.unicodeScalars, by: Self.isSame) else {
            return false
        }
        return end == scalars.count || scalars[end].properties.isWhitespace && sign(after: end) == nil
            || ["(", ")"].contains(scalars[end])
    }

    /// - Parameter known: in small letters.
    private static func isSame(_ letter: Unicode.Scalar, _ known: Unicode.Scalar) -> Bool {
        letter == known || ("A"..."Z").contains(letter) && letter.value + 0x20 == known.value
    }

    mutating func skip(word: String) -> Bool {
        guard isAt(word: word) else { return false }
        at += word.unicodeScalars.count
        skipBlanks()
        return true
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_" || scalar == "."
    }

    private static let signs = ["!=~", "=~", "!=", "!~", ">=", "<=", "=", "~", ">", "<"]

    /// The operator that stands at a place, or after blanks.
    private func sign(after place: Int) -> String? {
        var place = place
        while place < scalars.count, scalars[place].properties.isWhitespace { place += 1 }
        return Self.signs.first { isAt($0, place) }
    }

    private var nameEnd: Int {
        var end = at
        while end < scalars.count, Self.isOfName(scalars[end]) { end += 1 }
        return end
    }

    private mutating func taken(to end: Int) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[at..<end])
        at = end
        skipBlanks()
        return String(text)
    }

    /// The name that stands here; empty where none does.
    mutating func name() -> String { taken(to: nameEnd) }

    /// The name that stands here, if an operator follows it.
    mutating func nameBeforeOperator() -> String? {
        let end = nameEnd
        return end > at && sign(after: end) != nil ? taken(to: end) : nil
    }

    /// One of the words after which there comes when.
    mutating func timeField() -> String? {
        ["taken", "captured", "uploaded", "accepted"].first { skip(word: $0) }
    }

    /// The operator that stands here.
    mutating func operatorSign() -> String {
        let sign = sign(after: at) ?? ""
        _ = skip(sign)
        return sign
    }

    /// An operator that stands here without a name before it.
    func strayOperator() -> String? {
        Self.signs.first { isAt($0) } ?? (isAt(",") ? "," : nil)
    }

    /// A value, and where it begins.
    mutating func value() throws(CatalogueFault) -> (text: String, offset: Int) {
        let start = offset
        if isAt("\"") { return (try quoted(), start) }
        if let sign = Self.signs.first(where: { isAt($0) }) {
            throw fault("Here a value is missing: one that begins with \(sign) stands in quotation marks.")
        }
        var end = at
        while end < scalars.count, !scalars[end].properties.isWhitespace,
            !["(", ")", ",", "\""].contains(scalars[end]),
            !isAt("..", end)
        { end += 1 }
        guard end > at else { throw fault("Here a value is missing.") }
        return (taken(to: end), start)
    }

    private mutating func quoted() throws(CatalogueFault) -> String {
        let start = fault("The quotation mark that stands here has no second one.")
        at += 1
        var text = String.UnicodeScalarView()
        while at < scalars.count, scalars[at] != "\"" {
            if scalars[at] == "\\", at + 1 < scalars.count, ["\"", "\\"].contains(scalars[at + 1]) { at += 1 }
            text.append(scalars[at])
            at += 1
        }
        guard at < scalars.count else { throw start }
        at += 1
        skipBlanks()
        return String(text)
    }
}

extension PlainWordsLetters {
    /// `53.55,9.99` or `53.55,9.99,5km`: m, km or mi.
    mutating func nearness() throws(CatalogueFault) -> Nearness {
        let start = offset
        func wrong() -> CatalogueFault { CatalogueFault("A place is asked for as near=53.55,9.99,5km.", at: start) }
        var parts = [try value().text]
        while skip(",") { parts.append(try value().text) }
        guard (2...3).contains(parts.count), let latitude = CataloguePlace.degrees(parts[0]),
            let longitude = CataloguePlace.degrees(parts[1]),
            let place = CataloguePlace(latitude: latitude, longitude: longitude)
        else { throw wrong() }
        guard parts.count == 3 else {
            guard let nearness = Nearness(place) else { throw wrong() }
            return nearness
        }
        for (unit, size) in [("km", 1000.0), ("mi", 1609.344), ("m", 1.0)] where parts[2].hasSuffix(unit) {
            guard let distance = CataloguePlace.degrees(parts[2].dropLast(unit.count)),
                let nearness = Nearness(place, within: distance * size)
            else { throw wrong() }
            return nearness
        }
        throw wrong()
    }
}
