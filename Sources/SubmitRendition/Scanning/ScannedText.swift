/// What a text tells that a maker, a camera or an owner needs not tell: where it was, in any of the ways people and devices
/// write that, or which one of its kind a camera is.
struct ScannedText {
    private enum Token: Equatable {
        /// Digits; those behind a point or a comma, too.
        case number(whole: String, fraction: String)
        /// Letters, all small.
        case word(String)
        case mark(Unicode.Scalar)
    }

    private let tokens: [Token]
    private let text: String

    init(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        let string =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        text = string.lowercased()
        tokens = Self.tokens(Array(text.unicodeScalars))
    }

    private static func tokens(_ text: [Unicode.Scalar]) -> [Token] {
        var (tokens, index) = ([Token](), 0)
        func run(_ body: (Unicode.Scalar) -> Bool) -> String {
            var run = String.UnicodeScalarView()
            while index < text.count, body(text[index]) {
                run.append(text[index])
                index += 1
            }
            return String(run)
        }
        func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
        while index < text.count {
            let scalar = text[index]
            if isDigit(scalar) {
                let whole = run(isDigit)
                var fraction = ""
                if index + 1 < text.count, text[index] == "." || text[index] == ",", isDigit(text[index + 1]) {
                    index += 1
                    fraction = run(isDigit)
                }
                tokens.append(.number(whole: whole, fraction: fraction))
            } else if scalar.properties.isAlphabetic {
                tokens.append(.word(run { $0.properties.isAlphabetic }))
            } else {
                if !scalar.properties.isWhitespace { tokens.append(.mark(scalar)) }
                index += 1
            }
        }
        return tokens
    }

    // MARK: Places

    private static let words = [
        "geo:", "geo=", "maps.", "/maps", "goo.gl", "what3words", "w3w", "plus.codes", "openstreetmap", "osm.org",
        "mgrs",
        "6709", "coordinate", "degrees",
    ]
    private static let directions: Set<String> = [
        "n", "s", "e", "w", "o", "north", "south", "east", "west", "nord", "sud", "süd", "ost", "est", "ouest", "norte",
        "sur", "este", "oeste",
    ]
    private static let axes: Set<String> = ["lat", "lon", "lng", "latitude", "longitude"]

    var tellsPlace: Bool {
        Self.words.contains { text.contains($0) } || tokens.indices.contains { isPlace(at: $0) } || hasCode
    }

    private func isPlace(at index: Int) -> Bool {
        switch tokens[index] {
        case .word(let word):
            if Self.axes.contains(word) { return tokens[index...].dropFirst().prefix(3).contains { isNumber($0) } }
            if Self.directions.contains(word) { return isAngle(from: index + 1) || isAngle(before: index) }
            return false
        case .number: return isDegree(at: index) || isPair(at: index) || isDegreesOfBoth(at: index)
        case .mark: return false
        }
    }

    private func isNumber(_ token: Token) -> Bool { if case .number = token { true } else { false } }

    private func value(at index: Int) -> (whole: Int, digits: Int)? {
        guard tokens.indices.contains(index), case .number(let whole, let fraction) = tokens[index],
            let whole = Int(whole)
        else { return nil }
        return (whole, fraction.count)
    }

    /// The next number, behind marks of angles and what people put between numbers; a hyphen is one of ranges.
    private func number(behind index: Int) -> Int? {
        let between: Set<String> = ["d", "deg"]
        for next in tokens.indices where next > index {
            switch tokens[next] {
            case .number: return next
            case .mark(let mark) where mark != "-" && mark != "–": continue
            case .word(let word) where between.contains(word): continue
            default: return nil
            }
        }
        return nil
    }

    private func isLength(at index: Int) -> Bool { tokens.indices.contains(index) && tokens[index] == .word("mm") }

    /// `35 40`, `35.68`, where a direction stands beside them.
    private func isAngle(from index: Int) -> Bool {
        let first = tokens.indices.contains(index) && tokens[index] == .mark("-") ? index + 1 : index
        guard let degrees = value(at: first), degrees.whole <= 180 else { return false }
        if degrees.digits >= 2, !isLength(at: first + 1) { return true }
        guard let next = number(behind: first), let minutes = value(at: next) else { return false }
        return minutes.whole < 60 && !isLength(at: next + 1)
    }

    private func isAngle(before index: Int) -> Bool {
        guard let last = tokens[..<index].lastIndex(where: { isNumber($0) }), index - last <= 3,
            tokens[last + 1..<index].allSatisfy({ if case .mark(let mark) = $0 { mark != "-" } else { false } })
        else { return false }
        if let degrees = value(at: last), degrees.whole <= 180, degrees.digits >= 2 { return true }
        guard let first = tokens[..<last].lastIndex(where: { isNumber($0) }), number(behind: first) == last,
            let degrees = value(at: first), let minutes = value(at: last)
        else { return false }
        return degrees.whole <= 180 && minutes.whole < 60
    }

    /// `35°`, `35 deg`, `35'40`, `35d40m`.
    private func isDegree(at index: Int) -> Bool {
        guard tokens.indices.contains(index + 1) else { return false }
        switch tokens[index + 1] {
        case .mark("°"), .mark("º"), .mark("˚"), .word("º"), .word("deg"): return true
        case .mark("'"), .mark("’"), .mark("′"), .mark("`"), .mark("´"), .mark("″"): return value(at: index + 2) != nil
        case .word("d"):
            let ends: [Token] = [.word("m"), .mark("'"), .mark("’"), .mark("′")]
            return value(at: index + 2) != nil && tokens.indices.contains(index + 3) && ends.contains(tokens[index + 3])
        default: return false
        }
    }

    /// `35.68,139.76`; not `3.5-5.6` and not `4.3 - 21.5 mm`.
    private func isPair(at index: Int) -> Bool {
        guard let next = tokens[index...].dropFirst().firstIndex(where: { isNumber($0) }), next - index <= 5,
            let latitude = value(at: index), let longitude = value(at: next), latitude.whole <= 90,
            longitude.whole <= 180, latitude.digits > 0, longitude.digits > 0, !isLength(at: next + 1)
        else { return false }
        var isListed = false
        for token in tokens[index + 1..<next] {
            switch token {
            case .mark(let mark): if mark == "," || mark == ";" { isListed = true }
            case .word(let word): if !Self.directions.contains(word) { return false }
            case .number: return false
            }
        }
        return isListed || max(latitude.digits, longitude.digits) >= 2
    }

    /// `35 40 52 139 45 50`.
    private func isDegreesOfBoth(at index: Int) -> Bool {
        var (place, wholes) = (Optional(index), [Int]())
        while let at = place, wholes.count < 6 {
            wholes.append(value(at: at)?.whole ?? .max)
            place = number(behind: at)
        }
        return wholes.count == 6 && zip(wholes, [90, 59, 59, 180, 59, 59]).allSatisfy { $0 <= $1 }
    }

    /// `8Q7XMQJ6+2V` (Open Location Code).
    private var hasCode: Bool {
        let digits = Set("23456789cfghjmpqrvwx")
        return text.split(separator: "+", omittingEmptySubsequences: false).dropLast().contains {
            $0.count >= 8 && $0.suffix(8).allSatisfy { digits.contains($0) } && $0.suffix(8).contains { $0.isNumber }
        }
    }

    // MARK: Numbers of devices

    /// Which one of its kind a device is, in the name of its kind.
    var tellsDevice: Bool {
        for (index, token) in tokens.enumerated() {
            switch token {
            case .number(let whole, _): if whole.count >= 9 { return true }
            case .word("sn"), .word("serial"), .word("ser"), .mark("#"):
                if tokens[index...].dropFirst().prefix(3).contains(where: { isLong($0) }) { return true }
            case .word("s"):
                if tokens[index...].dropFirst().starts(with: [.mark("/"), .word("n")]) { return true }
            default: break
            }
        }
        return text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).contains { part in
            let digits = part.count(where: \.isNumber)
            return digits >= 6 && (digits == part.count || part.count >= 16)
        }
    }

    private func isLong(_ token: Token) -> Bool {
        if case .number(let whole, _) = token { whole.count >= 3 } else { false }
    }
}
