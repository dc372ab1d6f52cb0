internal import Submit

/// Whether a text of a photo's or a film's own may stay: names of makers, cameras and people may; what could be a place, or the
/// number of one camera, may not. In doubt a text goes: the picture is the same without it.
enum KeptText {
    private static let words = [
        "gps", "xmp", "adobe.com", "rdf:", "8bim", "ftyp", "mpf", "exif", "location", "latitude", "longitude", "geo:",
        "geo=",
        "maps", "goo.gl", "what3words", "w3w", "plus.codes", "openstreetmap", "osm.org", "mgrs", "6709", "coordinate",
        "degree",
    ]
    private static let directions: Set<String> = [
        "n", "s", "e", "w", "o", "north", "south", "east", "west", "nord", "sud", "süd", "ost", "est", "ouest", "norte",
        "sur",
        "este", "oeste",
    ]
    /// What stands between degrees, minutes and seconds.
    private static let units: Set<String> = ["d", "deg"]

    static func mayStay(_ text: [UInt8], ofCamera: Bool) -> Bool {
        guard let text = String(validating: text, as: UTF8.self)?.lowercased(), isSeen(text) else { return false }
        if words.contains(where: { text.contains($0) }) || tellsPlace(text) || holdsLongFraction(parts(text)) {
            return false
        }
        return !ofCamera || !tellsSerialNumber(text)
    }

    /// Whether each character is one that people see.
    private static func isSeen(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    /// Runs of digits and of letters, and single other characters but spaces.
    private static func parts(_ text: String) -> [Substring] {
        var (parts, rest) = ([Substring](), text[...])
        while let first = rest.first {
            let run: Substring
            if isDigit(first) {
                run = rest.prefix { isDigit($0) }
            } else if first.isLetter {
                run = rest.prefix { $0.isLetter }
            } else {
                run = rest.prefix(1)
            }
            if !first.isWhitespace { parts.append(run) }
            rest = rest.dropFirst(run.count)
        }
        return parts
    }

    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

    /// Whether coordinates stand in a text, which has no capital letters.
    static func tellsPlace(_ text: String) -> Bool {
        if text.contains(where: { "°º˚′″".contains($0) }), text.contains(where: isDigit) { return true }
        let parts = parts(text)
        func isNumber(_ index: Int) -> Bool { parts.indices.contains(index) && parts[index].first.map(isDigit) == true }
        for index in parts.indices {
            let part = String(parts[index])
            // `35'40` and `35 deg 40`.
            if "'’`´\"”".contains(part) && part.count == 1, isNumber(index - 1), isNumber(index + 1) { return true }
            if ["deg", "d"].contains(part), isNumber(index - 1), part == "deg" || isNumber(index + 1) { return true }
            if ["lat", "lon", "lng"].contains(part), (1...4).contains(where: { isNumber(index + $0) }) { return true }
            if part.first.map({ $0 == "+" || $0 == "-" }) == true, holdsSigns(parts[index...]) { return true }
            guard directions.contains(part) else { continue }
            if holdsAngle(parts[(index + 1)...]) || holdsAngle(before: parts[..<index]) { return true }
        }
        return holdsPair(parts) || holdsRow(parts) || holdsCode(text)
    }

    /// `35 40`, `35:40`, `-35.68`, behind a direction; not `18-55` and not `30mm`.
    private static func holdsAngle(_ parts: ArraySlice<Substring>) -> Bool {
        var rest = parts.drop { $0.first.map { !$0.isLetter && !isDigit($0) } == true }
        guard let first = rest.popFirst(), first.first.map(isDigit) == true, Int(first) ?? .max <= 180 else {
            return false
        }
        if [".", ","].contains(rest.first), let fraction = rest.dropFirst().first, fraction.first.map(isDigit) == true {
            rest = rest.dropFirst(2)
            if fraction.count >= 2, rest.first != "mm" { return true }
        }
        rest = rest.drop {
            units.contains(String($0))
                || $0 != "-" && $0 != "–" && $0.first.map { !$0.isLetter && !isDigit($0) } == true
        }
        guard let second = rest.popFirst(), second.first.map(isDigit) == true else { return false }
        return Int(second) ?? .max < 60 && rest.first != "mm"
    }

    /// `35 40 N`, `35.68 N`.
    private static func holdsAngle(before parts: ArraySlice<Substring>) -> Bool {
        func dropMarks(_ parts: ArraySlice<Substring>) -> ArraySlice<Substring> {
            var parts = parts
            while let last = parts.last,
                units.contains(String(last)) || last.first.map({ !$0.isLetter && !isDigit($0) }) == true,
                last != "-", last != "–"
            {
                parts = parts.dropLast()
            }
            return parts
        }
        var rest = dropMarks(parts)
        guard let last = rest.popLast(), last.first.map(isDigit) == true else { return false }
        if [".", ","].contains(rest.last), rest.dropLast().last?.first.map(isDigit) == true {
            if last.count >= 2 { return true }
            rest = rest.dropLast(2)
        }
        rest = dropMarks(rest)
        return rest.last?.first.map(isDigit) == true
    }

    /// `+35.6+139.7`, `+35+139/`.
    private static func holdsSigns(_ parts: ArraySlice<Substring>) -> Bool {
        let shape = parts.prefix(9).map { $0.first.map(isDigit) == true ? "0" : String($0) }
        return ["+", "-"].contains { sign in
            [["0", sign, "0"], ["0", ".", "0", sign, "0"]].contains { shape.dropFirst().starts(with: $0) }
        } && parts.dropFirst().first.map { (2...6).contains($0.count) } == true
            && (shape.contains(".") || shape.contains("/"))
    }

    private static func holdsLongFraction(_ parts: [Substring]) -> Bool {
        zip(parts, parts.dropFirst()).contains { $0 == "." && $1.count >= 4 && $1.first.map(isDigit) == true }
    }

    /// Two numbers with fractions that may be a latitude and a longitude.
    private static func holdsPair(_ parts: [Substring]) -> Bool {
        var last: (end: Int, whole: Int, digits: Int)?
        var index = 0
        while index < parts.count {
            defer { index += 1 }
            guard parts[index].first.map(isDigit) == true, index + 2 < parts.count,
                parts[index + 1] == "." || parts[index + 1] == ",",
                parts[index + 2].first.map(isDigit) == true, let whole = Int(parts[index])
            else { continue }
            let (start, digits) = (index, parts[index + 2].count)
            index += 2
            guard whole <= 180 else { continue }
            defer { last = (index, whole, digits) }
            guard let last, last.whole <= 90, start - last.end <= 6 else { continue }
            let between = parts[last.end + 1..<start]
            if between.contains(where: { $0.first?.isLetter == true && !directions.contains(String($0)) }) { continue }
            let isRange = between.first == "-" && between.count == 1 && max(last.digits, digits) < 2
            let isLens = index + 1 < parts.count && parts[index + 1] == "mm"
            if !isRange, !isLens { return true }
        }
        return false
    }

    /// Six numbers of which each may be degrees, minutes or seconds.
    private static func holdsRow(_ parts: [Substring]) -> Bool {
        var row = 0
        for part in parts {
            if let number = Int(part) {
                row = number <= 180 ? row + 1 : 0
                if row >= 6 { return true }
            } else if part == "-" || part == "–" || part.first?.isLetter == true && !units.contains(String(part)) {
                row = 0
            }
        }
        return false
    }

    /// `8Q7XMQJ6+2V`.
    private static func holdsCode(_ text: String) -> Bool {
        text.contains("+")
            && text.split(separator: "+", omittingEmptySubsequences: false).dropLast().contains {
                $0.count >= 8 && $0.suffix(8).allSatisfy { $0.isLetter || $0.isNumber }
                    && $0.suffix(8).contains { $0.isNumber }
            }
    }

    private static func tellsSerialNumber(_ text: String) -> Bool {
        let parts = parts(text)
        for (index, part) in parts.enumerated() {
            if ["sn", "serial", "ser", "#"].contains(part) || part == "/" && index > 0 && parts[index - 1] == "s" {
                if parts[index...].dropFirst().prefix(4).contains(where: { $0.first.map(isDigit) == true }) {
                    return true
                }
                if part == "/" { return true }
            }
            if part.count >= 9, part.first.map(isDigit) == true { return true }
        }
        return text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).contains {
            $0.count >= 6 && $0.allSatisfy(isDigit) || $0.count >= 16 && $0.count(where: \.isNumber) >= 6
        }
    }
}
