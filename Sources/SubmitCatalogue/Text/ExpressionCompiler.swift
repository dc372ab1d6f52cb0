/// Reads a regular expression and makes the steps of it.
struct ExpressionCompiler {
    private let scalars: [Unicode.Scalar]
    private var at = 0
    private var depth = 0

    /// Steps that a program may have. What is counted is written out.
    private static let most = 2000
    private static let deepest = 32

    init(_ pattern: String) { scalars = Array(pattern.unicodeScalars) }

    mutating func compile() throws(CatalogueFault) -> [ExpressionStep] {
        guard scalars.count <= CatalogueLimits.pattern else {
            throw CatalogueFault("The expression is longer than \(CatalogueLimits.pattern) characters.", at: 0)
        }
        let steps = try alternatives()
        guard at == scalars.count else { throw fault("There is a ) without a (.") }
        return steps + [.found]
    }

    private func fault(_ sentence: String) -> CatalogueFault {
        CatalogueFault(sentence, at: scalars[..<min(at, scalars.count)].reduce(0) { $0 + UTF8.width($1) })
    }

    private var next: Unicode.Scalar? { at < scalars.count ? scalars[at] : nil }

    // Steps refer to others by their place, counted from the beginning of their own part.

    private mutating func alternatives() throws(CatalogueFault) -> [ExpressionStep] {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw fault("Too many groups stand in one another.") }
        let first = try sequence()
        guard next == "|" else { return first }
        at += 1
        let rest = try alternatives()
        return try checked(
            [.split(1, first.count + 2)] + first.moved(by: 1) + [.jump(first.count + 2 + rest.count)]
                + rest.moved(by: first.count + 2))
    }

    private mutating func sequence() throws(CatalogueFault) -> [ExpressionStep] {
        var steps: [ExpressionStep] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let part = try repeated(try single())
            steps = try checked(steps + part.moved(by: steps.count))
        }
        return steps
    }

    private func checked(_ steps: [ExpressionStep]) throws(CatalogueFault) -> [ExpressionStep] {
        guard steps.count <= Self.most else { throw fault("The expression is too large once all is counted out.") }
        return steps
    }

    private mutating func single() throws(CatalogueFault) -> [ExpressionStep] {
        guard let scalar = next else { return [] }
        at += 1
        switch scalar {
        case "(":
            if next == "?" {
                guard at + 1 < scalars.count, scalars[at + 1] == ":" else {
                    throw fault("Expressions that look around or name groups are not offered.")
                }
                at += 2
            }
            let steps = try alternatives()
            guard next == ")" else { throw fault("There is a ( without a ).") }
            at += 1
            return steps
        case "[": return [.take(try set())]
        case ".": return [.take(ScalarSet(ranges: [0x0A...0x0A], isInverted: true))]
        case "^": return [.start]
        case "$": return [.end]
        case "\\": return [.take(try escape())]
        case "*", "+", "?", "{":
            at -= 1
            throw fault("There is nothing that could be repeated.")
        default: return [.take(ScalarSet(ranges: [scalar.value...scalar.value]))]
        }
    }

    private mutating func escape() throws(CatalogueFault) -> ScalarSet {
        guard let scalar = next else { throw fault("It ends with a \\, which takes the meaning from nothing.") }
        at += 1
        switch scalar {
        case "d", "D": return ScalarSet(ranges: Self.digits, isInverted: scalar == "D")
        case "w", "W": return ScalarSet(ranges: Self.digits + Self.letters, isInverted: scalar == "W")
        case "s", "S": return ScalarSet(ranges: Self.blanks, isInverted: scalar == "S")
        case "n": return ScalarSet(ranges: [0x0A...0x0A])
        case "t": return ScalarSet(ranges: [0x09...0x09])
        case "r": return ScalarSet(ranges: [0x0D...0x0D])
        default:
            guard !scalar.properties.isAlphabetic, scalar.properties.numericType == nil else {
                at -= 1
                throw fault("\\\(scalar) is not offered.")
            }
            return ScalarSet(ranges: [scalar.value...scalar.value])
        }
    }

    private static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
    private static let letters: [ClosedRange<UInt32>] = [0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
    private static let blanks: [ClosedRange<UInt32>] = [0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x2028...0x2029]

    private mutating func set() throws(CatalogueFault) -> ScalarSet {
        var set = ScalarSet()
        if next == "^" {
            set.isInverted = true
            at += 1
        }
        var isFirst = true
        while let scalar = next, scalar != "]" || isFirst {
            isFirst = false
            let first = try member()
            guard first.count == 1, first[0].count == 1, next == "-", at + 1 < scalars.count, scalars[at + 1] != "]"
            else {
                set.ranges += first
                continue
            }
            at += 1
            let last = try member()
            guard last.count == 1, last[0].count == 1, first[0].lowerBound <= last[0].lowerBound else {
                throw fault("The range ends before it begins.")
            }
            set.ranges.append(first[0].lowerBound...last[0].lowerBound)
        }
        guard next == "]" else { throw fault("There is a [ without a ].") }
        at += 1
        return set
    }

    private mutating func member() throws(CatalogueFault) -> [ClosedRange<UInt32>] {
        guard let scalar = next else { throw fault("There is a [ without a ].") }
        at += 1
        guard scalar == "\\" else { return [scalar.value...scalar.value] }
        let set = try escape()
        guard !set.isInverted else { throw fault("The opposite of a class cannot stand in another.") }
        return set.ranges
    }

    /// A part and how often it comes. A `?` after that, for as few as possible, changes nothing of what is found.
    private mutating func repeated(_ part: [ExpressionStep]) throws(CatalogueFault) -> [ExpressionStep] {
        let (least, most): (Int, Int?)
        switch next {
        case "*": (least, most) = (0, nil)
        case "+": (least, most) = (1, nil)
        case "?": (least, most) = (0, 1)
        case "{": (least, most) = try count()
        default: return part
        }
        at += 1
        if next == "?" { at += 1 }
        if let scalar = next, ["*", "+", "?", "{"].contains(scalar) {
            throw fault("What is repeated cannot be repeated.")
        }
        var steps: [ExpressionStep] = []
        for _ in 0..<least { steps = try checked(steps + part.moved(by: steps.count)) }
        guard let most else {
            let loop = steps.count
            return try checked(
                steps + [.split(loop + 1, loop + part.count + 2)] + part.moved(by: loop + 1) + [.jump(loop)])
        }
        for _ in least..<max(least, most) {
            let start = steps.count
            steps = try checked(steps + [.split(start + 1, start + 1 + part.count)] + part.moved(by: start + 1))
        }
        return steps
    }

    /// `{2}`, `{2,}` or `{2,5}`, up to its last character.
    private mutating func count() throws(CatalogueFault) -> (Int, Int?) {
        at += 1
        let least = number()
        var most = least
        if next == "," {
            at += 1
            most = number()
        }
        guard let least, next == "}", least <= most ?? .max else {
            throw fault("After { there stand one number or two, the greater last, and }.")
        }
        return (least, most)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let scalar = next, Self.digits[0].contains(scalar.value), value ?? 0 < Self.most {
            value = (value ?? 0) * 10 + Int(scalar.value - 0x30)
            at += 1
        }
        return value
    }
}

extension [ExpressionStep] {
    /// The same as a part that stands further on.
    fileprivate func moved(by count: Int) -> [ExpressionStep] {
        map { step in
            switch step {
            case .split(let one, let other): .split(one + count, other + count)
            case .jump(let to): .jump(to + count)
            case .take, .start, .end, .found: step
            }
        }
    }
}
