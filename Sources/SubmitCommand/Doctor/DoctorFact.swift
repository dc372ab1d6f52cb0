/// Something that was found out, as it is said to people and to programs.
indirect enum DoctorFact: Sendable {
    case text(String)
    case number(Int64)
    case list([String])
    case facts([(name: String, finding: DoctorFact)])

    /// With each text made fit to be shown.
    func object(_ shown: (String) -> String) -> Any {
        switch self {
        case .text(let text): shown(text)
        case .number(let number): number
        case .list(let texts): texts.map(shown)
        case .facts(let facts):
            Dictionary(
                facts.map { ($0.name.replacing(" ", with: "_"), $0.finding.object(shown)) }, uniquingKeysWith: { $1 })
                as [String: Any]
        }
    }

    /// Lines, each below what it belongs to.
    func lines(_ name: String, _ shown: (String) -> String, indent: String = "  ") -> [String] {
        switch self {
        case .text(let text): return ["\(indent)\(name): \(shown(text))"]
        case .number(let number): return ["\(indent)\(name): \(number)"]
        case .list(let texts):
            return ["\(indent)\(name): \(texts.isEmpty ? "none" : texts.map(shown).joined(separator: ", "))"]
        case .facts(let facts):
            if facts.isEmpty { return ["\(indent)\(name): none"] }
            return ["\(indent)\(name):"] + facts.flatMap { $0.finding.lines($0.name, shown, indent: indent + "  ") }
        }
    }
}

/// One part of what `submit doctor` tells.
struct Examination: Sendable {
    var facts: [(name: String, finding: DoctorFact)] = []
    /// What is wrong, one sentence each.
    var troubles: [String] = []
    /// Of a journal: its tables are those of this version.
    var isCurrent = true

    mutating func add(_ name: String, _ finding: DoctorFact) { facts.append((name, finding)) }
    mutating func add(_ name: String, _ text: String) { add(name, .text(text)) }
    mutating func add(_ name: String, _ number: some BinaryInteger) { add(name, .number(Int64(clamping: number))) }
}
