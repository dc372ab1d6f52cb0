internal import Foundation
internal import Submit
internal import SystemPackage
internal import Yams

/// What `config.yaml` says.
struct ConfigurationFile: Sendable {
    /// A destination as written, with the line of each key for complaints.
    struct Entry: Sendable {
        var type: String
        var typeLine: Int
        var line: Int
        var values: [String: (text: String, line: Int)]
    }

    /// Destinations used without `--to`.
    var defaults: [(name: String, line: Int)] = []
    var destinations: [String: Entry] = [:]
    /// `network`: proxy, ca_file, connect_timeout, stall_timeout.
    var network: [String: (text: String, line: Int)] = [:]
    /// `secrets`: where secrets are kept.
    var secrets: (text: String, line: Int)?
    var passphraseCommand: (text: String, line: Int)?
    let path: FilePath

    static let networkKeys = ["proxy", "ca_file", "connect_timeout", "stall_timeout"]

    /// Reads the file; an absent one says nothing.
    ///
    /// - Throws: one sentence with file, line and the key that was probably meant.
    static func read(_ path: FilePath) throws(SubmitFailure) -> ConfigurationFile {
        let text: String
        do {
            text = try String(contentsOfFile: path.string, encoding: .utf8)
        } catch CocoaError.fileReadNoSuchFile {
            return ConfigurationFile(path: path)
        } catch {
            throw SubmitFailure(
                .giveUp, code: "configuration", "\(path) cannot be read: check its permissions and that it is UTF-8.")
        }
        return try ConfigurationFile(text, path: path)
    }

    private init(path: FilePath) {
        self.path = path
    }

    init(_ text: String, path: FilePath) throws(SubmitFailure) {
        self.path = path
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw Self.syntax(error, path)
        }
        guard let root, root != Node("", Tag(.null)) else { return }
        if root.scalar?.string.isEmpty == true { return }
        for (key, value) in try mapping(root, "the file") {
            switch key.text {
            case "default": defaults = try names(value)
            case "destinations":
                for (name, entry) in try mapping(value, "“destinations”") {
                    destinations[name.text] = try self.entry(name, entry)
                }
            case "network":
                for (name, value) in try mapping(value, "“network”") {
                    guard Self.networkKeys.contains(name.text) else {
                        throw unknown(name, among: Self.networkKeys, of: "“network”")
                    }
                    network[name.text] = try scalar(value, name)
                }
            case "secrets": secrets = try scalar(value, key)
            case "passphrase_command": passphraseCommand = try scalar(value, key)
            default:
                throw unknown(
                    key, among: ["default", "destinations", "network", "secrets", "passphrase_command"], of: "the file")
            }
        }
    }

    /// A complaint about a line.
    func complaint(_ line: Int, _ what: String) -> SubmitFailure {
        SubmitFailure(.giveUp, code: "configuration", "\(path):\(line): \(what)")
    }

    func unknown(_ key: (text: String, line: Int), among keys: [String], of what: String) -> SubmitFailure {
        complaint(
            key.line,
            "“\(key.text)” is not a key of \(what)\(NearestNames.hint(for: key.text, among: keys)); "
                + "there are \(keys.sorted().joined(separator: ", ")).")
    }

    private func entry(
        _ name: (text: String, line: Int), _ node: Node
    ) throws(SubmitFailure) -> Entry {
        guard Self.isName(name.text) else {
            throw complaint(
                name.line, "“\(name.text)” is no name for a destination: use letters, digits, “-”, “_” and “.”.")
        }
        var entry = Entry(type: name.text, typeLine: name.line, line: name.line, values: [:])
        for (key, value) in try mapping(node, "the destination “\(name.text)”") {
            let text = try scalar(value, key)
            if key.text == "type" {
                (entry.type, entry.typeLine) = text
            } else {
                entry.values[key.text] = text
            }
        }
        return entry
    }

    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
            && name.first != "-" && name.first != "."
    }

    private func mapping(
        _ node: Node, _ what: String
    ) throws(SubmitFailure) -> [(key: (text: String, line: Int), value: Node)] {
        if let scalar = node.scalar, scalar.string.isEmpty || scalar.string == "~" || scalar.string == "null" { return [] }
        guard let mapping = node.mapping else {
            throw complaint(node.mark?.line ?? 1, "\(what) must be a list of “key: value” lines.")
        }
        var pairs: [(key: (text: String, line: Int), value: Node)] = []
        for (key, value) in mapping {
            guard let text = key.scalar?.string else {
                throw complaint(key.mark?.line ?? 1, "a key of \(what) must be plain text.")
            }
            pairs.append(((text, key.mark?.line ?? 1), value))
        }
        return pairs
    }

    private func scalar(
        _ node: Node, _ key: (text: String, line: Int)
    ) throws(SubmitFailure) -> (text: String, line: Int) {
        guard let text = node.scalar?.string else {
            throw complaint(key.line, "“\(key.text)” must have one value.")
        }
        return (text, node.mark?.line ?? key.line)
    }

    private func names(_ node: Node) throws(SubmitFailure) -> [(name: String, line: Int)] {
        if let scalar = node.scalar {
            return scalar.string.split(separator: ",").map {
                ($0.trimmingCharacters(in: .whitespaces), node.mark?.line ?? 1)
            }
        }
        guard let sequence = node.sequence else {
            throw complaint(node.mark?.line ?? 1, "“default” must be a list of destinations.")
        }
        var names: [(name: String, line: Int)] = []
        for element in sequence {
            guard let text = element.scalar?.string else {
                throw complaint(element.mark?.line ?? 1, "“default” must be a list of destinations.")
            }
            names.append((text, element.mark?.line ?? 1))
        }
        return names
    }

    private static func syntax(_ error: any Error, _ path: FilePath) -> SubmitFailure {
        let line: Int
        let problem: String
        switch error as? YamlError {
        case .scanner(_, let text, let mark, _), .parser(_, let text, let mark, _), .composer(_, let text, let mark, _):
            (line, problem) = (mark.line, text)
        case .duplicatedKeysInMapping(let duplicates, let context):
            (line, problem) = (context.mark.line, "the key “\(duplicates.first ?? "")” stands there twice")
        default: (line, problem) = (1, "it is not YAML")
        }
        return SubmitFailure(.giveUp, code: "configuration", "\(path):\(line): \(problem).")
    }
}
