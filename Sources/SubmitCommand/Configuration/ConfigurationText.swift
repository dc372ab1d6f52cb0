internal import Submit
internal import SystemPackage
internal import Yams

/// Edits `config.yaml` as text, so that comments and order stay.
struct ConfigurationText {
    private var lines: [String]
    private let path: FilePath

    init(_ text: String, path: FilePath) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        self.path = path
    }

    var text: String { lines.map { $0 + "\n" }.joined() }

    /// Adds a destination below `destinations:`.
    mutating func add(_ name: String, type: String, values: [(key: String, value: String)]) throws(SubmitFailure) {
        let section = try section()
        let indent = String(repeating: " ", count: section?.indent ?? 2)
        var block = ["\(indent)\(name):", "\(indent)  type: \(type)"]
        for (key, value) in values { block.append("\(indent)  \(key): \(Self.quoted(value))") }
        if let section {
            lines.insert(contentsOf: block, at: section.line)
        } else {
            lines += ["destinations:"] + block
        }
        _ = try ConfigurationFile(text, path: path)
    }

    /// Removes a destination's lines.
    mutating func remove(_ name: String) throws(SubmitFailure) {
        guard let section = try section(), let start = section.entries[name] else { return }
        // Up to the next line that stands no deeper, comments of its own included.
        let depth = section.indent ?? 2
        var end = start
        while end < lines.count {
            let line = lines[end]
            let text = line.drop { $0 == " " }
            if !text.isEmpty, line.count - text.count <= depth { break }
            end += 1
        }
        lines.removeSubrange(start - 1..<end)
        _ = try ConfigurationFile(text, path: path)
    }

    /// Adds a setting to a destination that does not have it.
    ///
    /// - Throws: where the file is written in a way that only people should edit.
    mutating func set(_ key: String, _ value: String, of name: String) throws(SubmitFailure) {
        let before = lines
        if let start = (try? section())?.entries[name] {
            // Above its other settings but for its type, and as deep as they are; blanks and comments may stand between.
            let depth = lines[start - 1].prefix { $0 == " " }.count
            let next = lines[start...].firstIndex { line in
                let text = line.drop { $0 == " " }
                return !text.isEmpty && !text.hasPrefix("#")
            }
            let first = next.map { lines[$0].prefix { $0 == " " } } ?? ""
            let indent = first.count > depth ? first : String(repeating: " ", count: depth + 2)[...]
            let type = next.flatMap { lines[$0].hasPrefix("\(indent)type:") ? $0 : nil }
            lines.insert("\(indent)\(key): \(Self.quoted(value))", at: type.map { $0 + 1 } ?? start)
        }
        let written = try? ConfigurationFile(text, path: path)
        guard written?.destinations[name]?.values[key]?.text == value else {
            lines = before
            throw SubmitFailure(
                .giveUp, code: "configuration",
                "\(path) is written so that only people should edit it: add “\(key): \(value)” to the destination "
                    + "“\(name)” there.")
        }
    }

    /// Where `destinations:` stands: its 1-based line, the indent of its entries and their 1-based lines.
    private func section() throws(SubmitFailure) -> (line: Int, indent: Int?, entries: [String: Int])? {
        guard let root = try? Yams.compose(yaml: text), let mapping = root.mapping else { return nil }
        for (key, value) in mapping where key.scalar?.string == "destinations" {
            let line = key.mark?.line ?? 1
            guard let entries = value.mapping else { return (line, nil, [:]) }
            guard entries.style != .flow else {
                throw SubmitFailure(
                    .giveUp, code: "configuration",
                    "\(path):\(line): “destinations” is written in braces: edit that file by hand.")
            }
            var lines: [String: Int] = [:]
            for (entry, _) in entries { lines[entry.scalar?.string ?? ""] = entry.mark?.line }
            return (line, (entries.keys.first?.mark?.column ?? 3) - 1, lines)
        }
        return nil
    }

    private static func quoted(_ value: String) -> String {
        "'" + value.replacing("'", with: "''") + "'"
    }
}
