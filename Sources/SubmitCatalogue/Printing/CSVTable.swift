internal import Submit

/// A table as RFC 4180 has it: a header, lines that end with CR LF, a comma between values, quotation marks around what needs them.
///
/// It is for spreadsheets, and what would do something there does nothing: a text that begins like a formula, with `=`, `+`, `-`,
/// `@`, a tab or a carriage return, gets a `'` before it. Controls but tabs and line ends, NUL first, and what turns the direction
/// of writing become U+FFFD. Lists and objects stand as JSON, null as nothing. Who needs the texts as they are takes JSON.
public struct CSVTable: Sendable, Hashable {
    /// The columns, by paths within a record.
    public let columns: [String]

    /// A table with these columns.
    public init(_ columns: [String]) { self.columns = columns }

    /// The first line.
    public var header: String { line(columns.map { Self.cell(.text($0)) }) }

    /// A record's line, or lines where a text of it has some.
    public func row(of record: DatasourceRecord) -> String {
        line(columns.map { record[$0].map(Self.cell) ?? "" })
    }

    private func line(_ cells: [String]) -> String {
        // An empty line is none to many readers.
        cells == [""] ? "\"\"\r\n" : cells.joined(separator: ",") + "\r\n"
    }

    private static func cell(_ value: RecordValue) -> String {
        switch value {
        case .text, .list, .object: quoted(content(of: value))
        case .null, .truth, .number: content(of: value)
        }
    }

    /// What stands in the cell of a value, as whoever reads the table has it.
    package static func content(of value: RecordValue) -> String {
        switch value {
        case .null: ""
        case .truth(let isTrue): isTrue ? "true" : "false"
        case .number(let digits): digits
        case .text(let text): harmless(text)
        case .list, .object: value.json
        }
    }

    private static let formulas: [Unicode.Scalar] = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    private static func harmless(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        // Blanks before it do not keep a spreadsheet from calculating.
        if let first = text.unicodeScalars.first(where: { $0 != " " }), formulas.contains(first) || text.hasPrefix("'")
        {
            scalars.append("'")
        }
        for scalar in text.unicodeScalars {
            let isKept = ["\t", "\n", "\r"].contains(scalar) || !scalar.steersTerminals
            scalars.append(isKept ? scalar : "\u{FFFD}")
        }
        return String(scalars)
    }

    private static func quoted(_ text: String) -> String {
        let needsMarks = text.unicodeScalars.contains { ["\"", ",", "\r", "\n", " ", "\t", ";"].contains($0) }
        guard needsMarks else { return text }
        return "\"\(text.escaping(.ofDoubledQuotes))\""
    }
}
