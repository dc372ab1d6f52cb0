internal import Foundation
package import Submit
internal import Yams

extension ConfigurationText {
    /// Gives a setting of a destination another value, adds it, or takes it away. A comment behind it stays.
    ///
    /// - Parameter value: `nil` takes the setting away.
    /// - Throws: where the file is written in a way that only people should edit.
    package mutating func change(_ key: String, to value: String?, of name: String) throws(SubmitFailure) {
        let before = lines
        guard let line = try line(of: key, of: name) else {
            if let value { try set(key, value, of: name) }
            return
        }
        let old = lines[line - 1]
        let end = old.last?.isNewline == true ? String(old.suffix(1)) : ""
        let indent = old.prefix { $0 == " " }
        let comment =
            old.range(of: " #", options: .backwards).map { old[$0.lowerBound...].dropLast(end.count) }
            ?? old[old.endIndex...]
        func isRight(_ text: ConfigurationText) -> Bool {
            guard let entry = text.changes(since: before, only: name) else { return false }
            return (entry.values[key] ?? entry.general[key])?.text == value
        }
        // What looks like a comment may be part of a value.
        for comment in [String(comment), ""] {
            lines = before
            if let value {
                lines[line - 1] = "\(indent)\(key): \(Self.quoted(value))\(comment)\(end)"
            } else {
                lines.remove(at: line - 1)
            }
            if isRight(self) { return }
        }
        lines = before
        throw byHand("change “\(key)” of the destination “\(name)” there")
    }

    /// Where a setting stands, from 1; `nil`: it is not set.
    private func line(of key: String, of name: String) throws(SubmitFailure) -> Int? {
        guard let root = try? Yams.compose(yaml: text), let entry = root["destinations"]?[name] else {
            throw byHand("change the destination “\(name)” there")
        }
        for (node, value) in entry.mapping ?? [:] where node.scalar?.string == key {
            guard entry.mapping?.style != .flow, let line = node.mark?.line, value.mark?.line == line else {
                throw byHand("change “\(key)” of the destination “\(name)” there")
            }
            return line
        }
        return nil
    }

    /// Gives a destination another name, also where `default` and `watch` name it.
    ///
    /// - Throws: where the file is written in a way that only people should edit.
    package mutating func rename(_ name: String, to new: String) throws(SubmitFailure) {
        let before = lines
        guard let root = try? Yams.compose(yaml: text) else { throw byHand("rename the destination “\(name)” there") }
        var places: [Node] = []
        for (key, _) in root["destinations"]?.mapping ?? [:] where key.scalar?.string == name { places.append(key) }
        places += Self.scalars(root["default"])
        for rule in root["watch"]?.sequence ?? [] { places += Self.scalars(rule["to"]) }
        // From the end of each line: what stands before stays where it is.
        for place in places.sorted(by: { ($0.mark?.column ?? 0) > ($1.mark?.column ?? 0) }) {
            guard let mark = place.mark, let text = place.scalar?.string, mark.line <= lines.count else { continue }
            let line = Array(lines[mark.line - 1].unicodeScalars)
            let start = min(mark.column - 1, line.count)
            // With quotes around it.
            let end = min(line.count, start + text.unicodeScalars.count + 2)
            let renamed = Self.replacing(name, by: new, in: Array(line[start..<end]))
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: line[..<start] + renamed + line[end...])
            lines[mark.line - 1] = String(scalars)
        }
        guard isRenamed(name, to: new, since: before) else {
            lines = before
            throw byHand("rename the destination “\(name)” there")
        }
    }

    private static func scalars(_ node: Node?) -> [Node] {
        guard let node else { return [] }
        if node.scalar != nil { return [node] }
        return node.sequence.map(Array.init) ?? []
    }

    /// Where it stands by itself, and is no part of another name.
    private static func replacing(_ name: String, by new: String, in text: [Unicode.Scalar]) -> [Unicode.Scalar] {
        let wanted = Array(name.unicodeScalars)
        func isPart(_ scalar: Unicode.Scalar?) -> Bool {
            scalar.map {
                $0.isASCII
                    && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || "-_.".unicodeScalars.contains($0))
            } ?? false
        }
        var result: [Unicode.Scalar] = []
        var index = 0
        while index < text.count {
            let end = index + wanted.count
            if end <= text.count, Array(text[index..<end]) == wanted, !isPart(index > 0 ? text[index - 1] : nil),
                !isPart(end < text.count ? text[end] : nil)
            {
                result += Array(new.unicodeScalars)
                index = end
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return result
    }

    private func isRenamed(_ name: String, to new: String, since before: [String]) -> Bool {
        guard let old = try? ConfigurationFile(before.joined(), path: path),
            let file = try? ConfigurationFile(text, path: path)
        else { return false }
        func renamed(_ text: String) -> String { text == name ? new : text }
        func texts(_ file: ConfigurationFile) -> [String: [String: String]] {
            file.destinations.mapValues { entry in
                let type = entry.type.line == entry.line ? [:] : ["type": entry.type.text]
                return entry.values.merging(entry.general) { $1 }.mapValues(\.text).merging(type) { $1 }
            }
        }
        let wanted = Dictionary(texts(old).map { (renamed($0.key), $0.value) }) { $1 }
        func rules(_ file: ConfigurationFile, _ change: (String) -> String) -> [[String: [String]]] {
            file.watch.map { rule in
                Dictionary(
                    rule.values.map { key, values in (key, values.map { key == "to" ? change($0.text) : $0.text }) }
                ) { $1 }
            }
        }
        return texts(file) == wanted && file.defaults.map(\.text) == old.defaults.map { renamed($0.text) }
            && rules(file) { $0 } == rules(old, renamed)
    }

    /// Makes destinations those that are used where none is named.
    ///
    /// - Throws: where the file is written in a way that only people should edit.
    package mutating func setDefaults(_ names: [String]) throws(SubmitFailure) {
        let before = lines
        let old = try ConfigurationFile(text, path: path)
        let line = "default: \(names.joined(separator: ", "))"
        if let start = old.defaults.first?.line, lines[start - 1].hasPrefix("default:") {
            lines[start - 1] = line + "\n"
        } else {
            // Below the comments that the file begins with.
            let start = lines.firstIndex { !$0.hasPrefix("#") && $0.contains { !$0.isWhitespace } } ?? lines.count
            lines.insert(line + "\n", at: start)
        }
        guard let new = try? ConfigurationFile(text, path: path), new.defaults.map(\.text) == names,
            new.destinations.mapValues({ $0.values.mapValues(\.text) })
                == old.destinations.mapValues({ $0.values.mapValues(\.text) })
        else {
            lines = before
            throw byHand("add “\(line)” there")
        }
    }
}
