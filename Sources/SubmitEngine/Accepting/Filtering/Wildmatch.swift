/// A shell pattern as git matches it: bytes, not characters, and “/” is matched by nothing but itself and “**”.
///
/// The rules are those of wildmatch.c, by which gitignore(5) is defined: `?`, `*`, `[a-z]`, `[!a]`, `[[:alpha:]]` and `\`
/// as in fnmatch(3), and “**” for any number of folders where it is all that stands between two “/”.
struct Wildmatch {
    private enum Outcome {
        case match, noMatch
        /// No later start of a “*” before can match either.
        case never
        /// The same, for every “*” that does not cross “/”.
        case neverHere
    }

    private let pattern: [UInt8]
    private let text: [UInt8]
    /// “*” stops at “/”.
    private let isPath: Bool

    /// - Parameter isPath: “/” in the text separates names.
    static func matches(_ pattern: some Sequence<UInt8>, _ text: some Sequence<UInt8>, isPath: Bool) -> Bool {
        Wildmatch(pattern: Array(pattern), text: Array(text), isPath: isPath).match(0, 0) == .match
    }

    private func at(_ index: Int) -> UInt8 { index < pattern.count ? pattern[index] : 0 }

    private func match(_ start: Int, _ from: Int) -> Outcome {
        var (p, t) = (start, from)
        while p < pattern.count {
            let isOver = t >= text.count
            if isOver, pattern[p] != UInt8(ascii: "*") { return .never }
            switch pattern[p] {
            case UInt8(ascii: "\\"):
                p += 1
                if p >= pattern.count || pattern[p] != text[t] { return .noMatch }
            case UInt8(ascii: "?"):
                if isPath, text[t] == UInt8(ascii: "/") { return .noMatch }
            case UInt8(ascii: "*"):
                if let outcome = matchStar(&p, &t, start) { return outcome }
            case UInt8(ascii: "["):
                guard let isIn = matchSet(&p, text[t]) else { return .never }
                if !isIn || isPath && text[t] == UInt8(ascii: "/") { return .noMatch }
            default:
                if pattern[p] != text[t] { return .noMatch }
            }
            p += 1
            t += 1
        }
        return t == text.count ? .match : .noMatch
    }

    /// - Returns: `nil` where the pattern goes on behind the “/” that both stand at.
    private func matchStar(_ p: inout Int, _ t: inout Int, _ start: Int) -> Outcome? {
        let slash = UInt8(ascii: "/")
        let first = p
        while at(p) == UInt8(ascii: "*") { p += 1 }
        var crossesSlash = !isPath
        if isPath, p - first > 1 {
            let isBounded = first == start || pattern[first - 1] == slash
            let isEnd = p == pattern.count || at(p) == slash || (at(p) == UInt8(ascii: "\\") && at(p + 1) == slash)
            if isBounded, isEnd {
                // No folder at all.
                if at(p) == slash, match(p + 1, t) == .match { return .match }
                crossesSlash = true
            }
        }
        if p == pattern.count {
            return crossesSlash || !text[t...].contains(slash) ? .match : .neverHere
        }
        if !crossesSlash, pattern[p] == slash {
            guard let next = text[t...].firstIndex(of: slash) else { return .never }
            t = next
            return nil
        }
        while t < text.count {
            let outcome = match(p, t)
            if outcome != .noMatch {
                if !crossesSlash || outcome != .neverHere { return outcome }
            } else if !crossesSlash, text[t] == slash {
                return .neverHere
            }
            t += 1
        }
        return .never
    }

    /// Whether a byte is in a set, and the end of the set; `nil` for a set that has no end or an unknown class.
    private func matchSet(_ p: inout Int, _ byte: UInt8) -> Bool? {
        p += 1
        let isNegated = at(p) == UInt8(ascii: "!") || at(p) == UInt8(ascii: "^")
        if isNegated { p += 1 }
        var isIn = false
        var previous: UInt8 = 0
        repeat {
            var next = at(p)
            if next == 0 { return nil }
            if next == UInt8(ascii: "\\") {
                p += 1
                next = at(p)
                if next == 0 { return nil }
                isIn = isIn || byte == next
            } else if next == UInt8(ascii: "-"), previous != 0, at(p + 1) != 0, at(p + 1) != UInt8(ascii: "]") {
                p += 1
                next = at(p)
                if next == UInt8(ascii: "\\") {
                    p += 1
                    next = at(p)
                    if next == 0 { return nil }
                }
                isIn = isIn || (previous <= byte && byte <= next)
                next = 0
            } else if next == UInt8(ascii: "["), at(p + 1) == UInt8(ascii: ":") {
                let name = p + 2
                p = name
                while at(p) != 0, at(p) != UInt8(ascii: "]") { p += 1 }
                if at(p) == 0 { return nil }
                if p - name < 1 || at(p - 1) != UInt8(ascii: ":") {
                    p = name - 2
                    isIn = isIn || byte == UInt8(ascii: "[")
                } else {
                    guard let has = Self.classes[String(decoding: pattern[name..<p - 1], as: UTF8.self)] else {
                        return nil
                    }
                    isIn = isIn || has(byte)
                    next = 0
                }
            } else {
                isIn = isIn || byte == next
            }
            previous = next
            p += 1
        } while at(p) != UInt8(ascii: "]")
        return isIn != isNegated
    }

    private static let classes: [String: @Sendable (UInt8) -> Bool] = [
        "alnum": { isLower($0) || isUpper($0) || isDigit($0) },
        "alpha": { isLower($0) || isUpper($0) },
        "blank": { $0 == 0x20 || $0 == 0x09 },
        "cntrl": { $0 < 0x20 || $0 == 0x7f },
        "digit": { isDigit($0) },
        "graph": { (0x21..<0x7f).contains($0) },
        "lower": { isLower($0) },
        "print": { (0x20..<0x7f).contains($0) },
        "punct": { (0x21..<0x7f).contains($0) && !isLower($0) && !isUpper($0) && !isDigit($0) },
        "space": { $0 == 0x20 || (0x09...0x0d).contains($0) },
        "upper": { isUpper($0) },
        "xdigit": { isDigit($0) || (0x41...0x46).contains($0) || (0x61...0x66).contains($0) },
    ]

    private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte) }
    private static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
