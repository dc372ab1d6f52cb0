/// Patterns of names that are left out, as in a file of gitignore(5): the last one that matches decides.
///
/// A pattern with a “/” at its beginning or in its midst is of a path below the folder that was named; all others are of a
/// name at any depth. One that ends with “/” is of folders alone. What begins with “!” is taken after all; not where a
/// folder above it is left out, as nothing below that is looked at.
///
/// Where the first rule is one that takes, nothing else is taken: whoever says “take `*.jpg`” means no more than that.
public struct IgnoreRules: Sendable, Hashable, Codable {
    /// What a rule says of what it matches.
    enum RuleVerdict {
        case taken, leftOut
    }

    private struct Rule: Sendable, Hashable {
        var pattern: [UInt8]
        var takes = false
        var isOfFolders = false
        /// It is of a path; else of a name at any depth.
        var isOfPath = false
        /// So many bytes at its beginning stand for themselves.
        var plain = 0
    }

    /// As they were written, in order.
    public private(set) var lines: [String]
    private var rules: [Rule] = []

    /// - Parameter lines: as in a file of gitignore(5): blank ones and comments (`#`) say nothing.
    public init(lines: [String] = []) {
        self.lines = []
        for line in lines { add(line) }
    }

    public init(from decoder: any Decoder) throws {
        self.init(lines: try decoder.singleValueContainer().decode([String].self))
    }

    /// Writes ``lines``.
    ///
    /// - Throws: what the encoder throws where that cannot write a value: take another encoder.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(lines)
    }

    /// Reads a file of them.
    ///
    /// - Parameter text: its bytes, with `\n` or `\r\n` between its lines.
    public init(text: some Sequence<UInt8>) {
        self.init()
        var bytes = Array(text)[...]
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes = bytes.dropFirst(3) }
        for line in bytes.split(separator: 0x0a) {
            add(String(decoding: line.last == 0x0d ? line.dropLast() : line, as: UTF8.self))
        }
    }

    /// One rule more, which goes over those before.
    public mutating func add(_ line: String) {
        lines.append(line)
        if let rule = Self.rule(Array(line.utf8)) { rules.append(rule) }
    }

    /// There is none.
    public var isEmpty: Bool { rules.isEmpty }

    /// Whether only what a rule takes is taken.
    var takesNothingElse: Bool { rules.first?.takes ?? false }

    /// What the rules say of one entry, whatever they say of the folders above it; `nil` where none matches.
    ///
    /// - Parameter path: below the folder that was named, with “/” between its parts.
    func verdict(_ path: [UInt8], isFolder: Bool) -> RuleVerdict? {
        guard let rule = rules.last(where: { Self.matches($0, path, isFolder) }) else { return nil }
        return rule.takes ? .taken : .leftOut
    }

    private static func rule(_ line: [UInt8]) -> Rule? {
        var pattern = withoutSpaces(line)[...]
        if pattern.first == UInt8(ascii: "#") { return nil }
        var rule = Rule(pattern: [])
        if pattern.first == UInt8(ascii: "!") {
            rule.takes = true
            pattern = pattern.dropFirst()
        }
        if pattern.last == UInt8(ascii: "/") {
            rule.isOfFolders = true
            pattern = pattern.dropLast()
        }
        rule.isOfPath = pattern.contains(UInt8(ascii: "/"))
        if rule.isOfPath, pattern.first == UInt8(ascii: "/") { pattern = pattern.dropFirst() }
        if pattern.isEmpty { return nil }
        rule.pattern = Array(pattern)
        rule.plain = rule.pattern.firstIndex { "*?[\\".utf8.contains($0) } ?? rule.pattern.count
        return rule
    }

    /// Spaces at the end say nothing, unless “\\” stands before them.
    private static func withoutSpaces(_ line: [UInt8]) -> [UInt8] {
        var end = 0
        var index = 0
        while index < line.count {
            if line[index] == UInt8(ascii: "\\") {
                index += 2
                end = min(index, line.count)
            } else {
                index += 1
                if line[index - 1] != UInt8(ascii: " ") { end = index }
            }
        }
        return Array(line[..<end])
    }

    private static func matches(_ rule: Rule, _ path: [UInt8], _ isFolder: Bool) -> Bool {
        if rule.isOfFolders, !isFolder { return false }
        let text = rule.isOfPath ? path[...] : path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
        if rule.plain == rule.pattern.count { return text.elementsEqual(rule.pattern) }
        guard text.starts(with: rule.pattern[..<rule.plain]) else { return false }
        // As git does: what stands for itself is no part of the pattern, so that “**” behind it stands at its beginning.
        guard rule.isOfPath else { return Wildmatch.matches(rule.pattern, text, isPath: false) }
        return Wildmatch.matches(rule.pattern[rule.plain...], text.dropFirst(rule.plain), isPath: true)
    }
}
