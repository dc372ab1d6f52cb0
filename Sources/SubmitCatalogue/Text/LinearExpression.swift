/// A regular expression whose time grows with the text and with itself, and not with both to a power: all ways are followed side
/// by side, none is tried again. Whoever asks cannot make the answer take for ever.
///
/// No library does this here. Swift's `Regex` backtracks: `(a|a)*b` takes twice as long for each letter, 1.5 s for 18. POSIX
/// expressions know no `\d` and no NUL, and go by bytes.
///
/// It has literals, `.`, `[a-z]`, `[^a-z]`, `\d`, `\w`, `\s` and their opposites, `(…)`, `(?:…)`, `|`, `*`, `+`, `?`, `{2}`, `{2,}`,
/// `{2,5}`, `^` and `$`. What looks around, refers back or counts further is refused. It is found anywhere in a text, by Unicode
/// scalars.
public struct LinearExpression: Sendable, Hashable {
    /// As it was given.
    public let pattern: String
    /// Whether case is disregarded.
    public let isCaseless: Bool
    let program: [ExpressionStep]

    /// - Throws: where it is none of these.
    public init(_ pattern: String, isCaseless: Bool = false) throws(CatalogueFault) {
        var compiler = ExpressionCompiler(pattern)
        program = try compiler.compile()
        self.pattern = pattern
        self.isCaseless = isCaseless
    }

    /// Whether it is found in a text.
    package func isFound(in text: String) -> Bool {
        var now = ExpressionThreads(program.count)
        var next = ExpressionThreads(program.count)
        var isStart = true
        var scalars = text.unicodeScalars.makeIterator()
        while true {
            let scalar = scalars.next()
            // It may begin anywhere.
            if now.follow(0, program, isStart: isStart, isEnd: scalar == nil) { return true }
            guard let scalar else { return false }
            isStart = false
            next.clear()
            let isLast = { () -> Bool in
                var rest = scalars
                return rest.next() == nil
            }()
            for step in now.waiting where takes(program[step], scalar) {
                if next.follow(step + 1, program, isStart: false, isEnd: isLast) { return true }
            }
            swap(&now, &next)
        }
    }

    private func takes(_ step: ExpressionStep, _ scalar: Unicode.Scalar) -> Bool {
        guard case .take(let set) = step else { return false }
        if set.contains(scalar) { return true }
        guard isCaseless else { return false }
        return [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping].contains { mapped in
            mapped.unicodeScalars.count == 1 && mapped.unicodeScalars.first.map(set.contains) == true
        }
    }
}

/// A step of what an expression is compiled to.
enum ExpressionStep: Sendable, Hashable {
    /// Goes on after a scalar of these.
    case take(ScalarSet)
    /// Goes on at both.
    case split(Int, Int)
    case jump(Int)
    case start
    case end
    case found
}

/// Some Unicode scalars.
struct ScalarSet: Sendable, Hashable {
    var ranges: [ClosedRange<UInt32>] = []
    var isInverted = false

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) } != isInverted
    }
}

/// Where in the program the ways are that still are followed; each step at most once.
private struct ExpressionThreads {
    private(set) var waiting: [Int] = []
    private var known: [Bool]
    private var touched: [Int] = []

    init(_ count: Int) { known = Array(repeating: false, count: count) }

    mutating func clear() {
        for step in touched { known[step] = false }
        touched.removeAll(keepingCapacity: true)
        waiting.removeAll(keepingCapacity: true)
    }

    /// Goes on from a step to all that wait for a scalar.
    ///
    /// - Returns: whether the end of the program is among them.
    mutating func follow(_ first: Int, _ program: [ExpressionStep], isStart: Bool, isEnd: Bool) -> Bool {
        var open = [first]
        while let step = open.popLast() {
            if known[step] { continue }
            known[step] = true
            touched.append(step)
            switch program[step] {
            case .take: waiting.append(step)
            case .jump(let to): open.append(to)
            case .split(let one, let other): open += [other, one]
            case .start: if isStart { open.append(step + 1) }
            case .end: if isEnd { open.append(step + 1) }
            case .found: return true
            }
        }
        return false
    }
}
