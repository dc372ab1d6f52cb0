package import Submit
package import SystemPackage
internal import Yams

/// Edits `config.yaml` as text, so that comments and order stay.
package struct ConfigurationText {
    /// As YAML counts them, each with its end.
    var lines: [String]
    /// What ends a line that is added.
    private let lineEnd: String
    let path: FilePath

    package init(_ text: String, path: FilePath) {
        lines = text.linesOfYAML
        lineEnd = lines.first.flatMap { line in ["\r\n", "\r"].first { line.hasSuffix($0) } } ?? "\n"
        if let last = lines.last?.unicodeScalars.last, !last.endsLineOfYAML { lines[lines.count - 1] += lineEnd }
        self.path = path
    }

    /// What is to be written.
    package var text: String { lines.joined() }

    /// Adds a destination below `destinations:`.
    ///
    /// - Parameter comments: lines for people.
    /// - Throws: where the file is written in a way that only people should edit.
    package mutating func add(
        _ name: String, type: String, values: [(key: String, value: String)], comments: [String] = []
    ) throws(SubmitFailure) {
        let before = lines
        let section = try section()
        let indent = String(repeating: " ", count: section?.indent ?? 2)
        var block = ["\(indent)\(name):"]
        block += comments.map { "\(indent)  # \($0)" } + ["\(indent)  type: \(type)"]
        for (key, value) in values { block.append("\(indent)  \(key): \(Self.quoted(value))") }
        if let section {
            insert(block, at: section.line)
        } else {
            insert(["destinations:"] + block, at: lines.count)
        }
        let wanted = Dictionary(values.map { ($0.key, $0.value) }) { $1 }
        guard let written = changes(since: before, only: name), written.type.text == type,
            written.values.merging(written.general, uniquingKeysWith: { $1 }).mapValues(\.text) == wanted
        else {
            lines = before
            _ = try ConfigurationFile(text, path: path)
            throw byHand("add the destination “\(name)” there")
        }
    }

    /// Removes a destination's lines.
    ///
    /// - Throws: where the file is written in a way that only people should edit.
    package mutating func remove(_ name: String) throws(SubmitFailure) {
        let before = lines
        guard let section = try section(), let start = section.entries[name], start <= lines.count else { return }
        // Up to the next line that stands no deeper, comments of its own included.
        let depth = section.indent ?? 2
        var end = start
        while end < lines.count {
            let line = lines[end]
            let text = line.drop { $0 == " " }
            if !text.isBlank, line.count - text.count <= depth { break }
            end += 1
        }
        lines.removeSubrange(start - 1..<end)
        guard removes(name, since: before) else {
            lines = before
            throw byHand("remove the destination “\(name)” there")
        }
    }

    /// Adds a setting to a destination that does not have it.
    ///
    /// - Throws: where the file is written in a way that only people should edit.
    package mutating func set(_ key: String, _ value: String, of name: String) throws(SubmitFailure) {
        let before = lines
        if let start = (try? section())?.entries[name], start <= lines.count {
            // Above its other settings but for its type, and as deep as they are; blanks and comments may stand between.
            let depth = lines[start - 1].prefix { $0 == " " }.count
            let next = lines[start...].firstIndex { line in
                let text = line.drop { $0 == " " }
                return !text.isBlank && !text.hasPrefix("#")
            }
            let first = next.map { lines[$0].prefix { $0 == " " } } ?? ""
            let indent = first.count > depth ? first : String(repeating: " ", count: depth + 2)[...]
            let type = next.flatMap { lines[$0].hasPrefix("\(indent)type:") ? $0 : nil }
            insert(["\(indent)\(key): \(Self.quoted(value))"], at: type.map { $0 + 1 } ?? start)
        }
        let written = changes(since: before, only: name)
        guard (written?.values[key] ?? written?.general[key])?.text == value else {
            lines = before
            throw byHand("add “\(key): \(value)” to the destination “\(name)” there")
        }
    }

    private mutating func insert(_ new: [String], at index: Int) {
        lines.insert(contentsOf: new.map { $0 + lineEnd }, at: min(index, lines.count))
    }

    func byHand(_ what: String) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "configuration", message: "\(path) is written so that only people should edit it: \(what).")
    }

    /// The destination as it is now, if an edit changed nothing but it.
    func changes(since before: [String], only name: String) -> ConfigurationFile.Entry? {
        guard let new = try? ConfigurationFile(text, path: path), isSame(new, before, but: name) else { return nil }
        return new.destinations[name]
    }

    private func removes(_ name: String, since before: [String]) -> Bool {
        guard let new = try? ConfigurationFile(text, path: path) else { return false }
        return new.destinations[name] == nil && isSame(new, before, but: name)
    }

    /// An edit touched nothing but the destination.
    private func isSame(_ new: ConfigurationFile, _ before: [String], but name: String) -> Bool {
        guard let old = try? ConfigurationFile(before.joined(), path: path) else { return false }
        func rest(_ file: ConfigurationFile) -> [String: [String: String]] {
            file.destinations.filter { $0.key != name }.mapValues { entry in
                entry.values.merging(entry.general) { $1 }.mapValues(\.text).merging(["type": entry.type.text]) { $1 }
            }
        }
        return rest(new) == rest(old) && new.general == old.general
    }

    /// Where `destinations:` stands: its 1-based line, the indent of its entries and their 1-based lines.
    func section() throws(SubmitFailure) -> (line: Int, indent: Int?, entries: [String: Int])? {
        guard let root = try? Yams.compose(yaml: text), let mapping = root.mapping else { return nil }
        for (key, value) in mapping where key.scalar?.string == "destinations" {
            let line = key.mark?.line ?? 1
            guard let entries = value.mapping else { return (line, nil, [:]) }
            guard entries.style != .flow else {
                throw SubmitFailure(
                    .giveUp, code: "configuration",
                    message: "\(path):\(line): “destinations” is written in braces: edit that file by hand.")
            }
            var lines: [String: Int] = [:]
            for (entry, _) in entries { lines[entry.scalar?.string ?? ""] = entry.mark?.line }
            return (line, (entries.keys.first?.mark?.column ?? 3) - 1, lines)
        }
        return nil
    }

    static func quoted(_ value: String) -> String {
        "'" + value.escaping(["'": "''"]) + "'"
    }
}

extension String {
    /// Each with its end (YAML 1.1, section 5.4, which libyaml goes by).
    fileprivate var linesOfYAML: [String] {
        var lines: [String] = []
        var line = ""
        var isAfterReturn = false
        for scalar in unicodeScalars {
            if isAfterReturn, scalar != "\n" {
                lines.append(line)
                line = ""
            }
            line.unicodeScalars.append(scalar)
            isAfterReturn = scalar == "\r"
            if scalar.endsLineOfYAML, !isAfterReturn {
                lines.append(line)
                line = ""
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }
}

extension Unicode.Scalar {
    fileprivate var endsLineOfYAML: Bool { "\n\r\u{85}\u{2028}\u{2029}".unicodeScalars.contains(self) }
}

extension Substring {
    fileprivate var isBlank: Bool { unicodeScalars.allSatisfy(\.endsLineOfYAML) }
}
